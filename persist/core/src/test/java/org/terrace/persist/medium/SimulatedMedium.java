// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.file.Path;
import java.util.Arrays;
import org.terrace.persist.Promises.Survives;

/**
 * The medium of the tests. Files below {@code /sim/} are on a {@link Disk} that loses unsynced data in a crash, and other files are
 * real.
 */
public final class SimulatedMedium extends Medium {
    private static final Path ROOT = Path.of("/sim");
    private static final int PAGE = 4096;
    private static final byte[] ZEROS = new byte[PAGE];

    private final LinuxMedium linux = Boolean.getBoolean(MappedMedium.PROPERTY) ? new MappedMedium() : new LinuxMedium();

    private static boolean isSimulated(Path path) {
        return path.startsWith(ROOT);
    }

    @Override
    public MediumFile open(Path path, Mode mode) {
        return isSimulated(path) ? Disk.of(path).open(path, mode) : linux.open(path, mode);
    }

    @Override
    public boolean exists(Path path) {
        return isSimulated(path) ? Disk.of(path).exists(path) : linux.exists(path);
    }

    @Override
    public void publish(Path temporary, Path name) {
        if (isSimulated(name)) {
            Disk.of(name).publish(temporary, name);
        } else {
            linux.publish(temporary, name);
        }
    }

    @Override
    public Path withoutLinks(Path file) {
        return isSimulated(file) ? file : linux.withoutLinks(file);
    }

    @Override
    public void copyAccess(MediumFile from, MediumFile to) {
        if (!(from instanceof Disk.Handle)) {
            linux.copyAccess(from, to);
        }
    }

    @Override
    public void syncNames(Path file, Site site) {
        if (isSimulated(file)) {
            Disk.of(file).syncNames(site);
        } else {
            linux.syncNames(file, site);
        }
    }

    @Override
    public FileSystem fileSystem(MediumFile file) {
        return file instanceof Disk.Handle ? new FileSystem("simulated", Survives.MACHINE) : linux.fileSystem(file);
    }

    @Override
    public PageCache pageCache(MediumFile file) {
        return file instanceof Disk.Handle simulated ? simulated.pageCache() : linux.pageCache(file);
    }

    @Override
    public String obstacleToMapping(MediumFile file) {
        if (file instanceof Disk.Handle simulated) {
            return simulated.mapping() == null ? "the simulated disk has sectors" : null;
        }
        return linux.obstacleToMapping(file);
    }

    @Override
    public MediumFile mapped(MediumFile file) {
        return file instanceof Disk.Handle simulated ? new MappedFile(simulated, simulated.mapping()) : linux.mapped(file);
    }

    @Override
    public long random(Path path) {
        return isSimulated(path) ? Disk.of(path).random() : linux.random(path);
    }

    @Override
    public long reserve(long bytes) {
        return linux.reserve(bytes);
    }

    @Override
    public void retire(long address, long bytes) {
        linux.retire(address, bytes);
    }

    @Override
    public void release(long address, long bytes) {
        linux.release(address, bytes);
    }

    @Override
    public void map(MediumFile file, long position, long length, long address) {
        if (file.system() instanceof Disk.Handle simulated) {
            linux.retire(address, length);
            byte[] page = new byte[PAGE];
            for (int at = 0; at < length; at += PAGE) {
                int size = (int) Math.min(PAGE, length - at);
                simulated.read(position + at, page, 0, size);
                // The memory has zeros already. Most pages of a small heap's file are zeros too.
                if (!Arrays.equals(page, 0, size, ZEROS, 0, size)) {
                    Memory.copy(page, 0, address + at, size);
                }
            }
        } else {
            linux.map(file, position, length, address);
        }
    }

    @Override
    public void discard(MediumFile file, long position, long length, long address) {
        if (file.system() instanceof Disk.Handle simulated) {
            byte[] inFile = new byte[(int) length];
            byte[] inMemory = new byte[(int) length];
            simulated.read(position, inFile, 0, inFile.length);
            Memory.copy(address, inMemory, 0, inMemory.length);
            if (!Arrays.equals(inFile, inMemory)) {
                throw new AssertionError("the page at " + position + " is dropped from memory and differs in " + file.path());
            }
        } else {
            linux.discard(file, position, length, address);
        }
    }
}
