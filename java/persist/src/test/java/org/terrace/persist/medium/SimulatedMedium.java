package org.terrace.persist.medium;

import java.nio.file.Path;

/** The medium of the tests: files below {@code /sim/} are on a {@link Disk} that forgets what was not synced, others are real. */
public final class SimulatedMedium extends Medium {
    private static final Path ROOT = Path.of("/sim");

    private final LinuxMedium linux = new LinuxMedium();

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
    public void publish(Path temporary, Path name, Site site) {
        if (isSimulated(name)) {
            Disk.of(name).publish(temporary, name, site);
        } else {
            linux.publish(temporary, name, site);
        }
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
        if (file instanceof Disk.Handle simulated) {
            linux.retire(address, length);
            byte[] content = new byte[(int) length];
            simulated.read(position, content, 0, content.length);
            Memory.copy(content, 0, address, content.length);
        } else {
            linux.map(file, position, length, address);
        }
    }

    @Override
    public void discard(MediumFile file, long position, long length, long address) {
        if (file instanceof Disk.Handle simulated) {
            byte[] inFile = new byte[(int) length];
            byte[] inMemory = new byte[(int) length];
            simulated.read(position, inFile, 0, inFile.length);
            Memory.copy(address, inMemory, 0, inMemory.length);
            if (!java.util.Arrays.equals(inFile, inMemory)) {
                throw new AssertionError("the page at " + position + " is dropped from memory and differs in " + file.path());
            }
        } else {
            linux.discard(file, position, length, address);
        }
    }
}
