// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.file.Path;
import java.security.SecureRandom;
import org.terrace.persist.HeapException;

/**
 * The only way to storage: files, and memory in which their contents are mapped privately. There is one medium per process, a
 * constant for the compiler; the system property {@value #PROPERTY} names another class, which tests use to
 * record what is written and to lose what was not synced.
 *
 * <p>Addresses are those of the process. Nothing is checked: a wild address ends the process.
 */
public abstract class Medium {
    public static final String PROPERTY = "org.terrace.persist.medium";
    public static final Medium MEDIUM = select();

    /** How a file is opened. */
    public enum Mode { READ, WRITE, CREATE }

    /**
     * Opens a file and locks it: exclusively, or against writers with {@link Mode#READ}. {@link Mode#CREATE} empties it.
     *
     * @throws HeapException if the file is missing, cannot be opened, or another process or heap has it open
     */
    public abstract MediumFile open(Path path, Mode mode);

    public abstract boolean exists(Path path);

    /** Gives a file its final name: it appears under it whole or not at all, in place of one that had the name. */
    public abstract void publish(Path temporary, Path name);

    /**
     * The name of a file itself, which may not exist yet, where links lead to it or its directory: what lies beside it has its name
     * from this one, and what renames files would replace a link. The path as it is, if there is no link.
     */
    public abstract Path withoutLinks(Path file);

    /** Gives a file the owner, group and permissions of another. */
    public abstract void copyAccess(MediumFile from, MediumFile to);

    /** Returns once a crash of the machine cannot take their names from the file and those beside it. */
    public abstract void syncNames(Path file, Site site);

    /** What keeps a file. */
    public abstract FileSystem fileSystem(MediumFile file);

    /** What holds the writes to a file that were not synced, or null if that is not known, or may lose some of them by itself. */
    public abstract PageCache pageCache(MediumFile file);

    /** Why a file cannot be used as memory that persists, or null if it can. */
    public abstract String obstacleToMapping(MediumFile file);

    /** A file as memory that persists, which closes the other when it is closed. Only if nothing is in the way. */
    public abstract MediumFile mapped(MediumFile file);

    /** A number that was never drawn for this file before, and cannot be foreseen. */
    public long random(Path path) {
        return new SecureRandom().nextLong();
    }

    /** Reserves addresses, without memory behind them. */
    public abstract long reserve(long bytes);

    /**
     * Unmaps the file: the addresses stay reserved and read as zeros, so that a late access finds nothing rather than ends the VM.
     */
    public abstract void retire(long address, long bytes);

    public abstract void release(long address, long bytes);

    /** Maps a part of a file: it reads as the file, until it is stored to; stores stay in memory. Multiples of 4096. */
    public abstract void map(MediumFile file, long position, long length, long address);

    /** Drops private copies of pages which are equal to the file. */
    public abstract void discard(MediumFile file, long position, long length, long address);

    private static Medium select() {
        String name = System.getProperty(PROPERTY);
        if (name == null) {
            return new LinuxMedium();
        }
        try {
            return (Medium) Class.forName(name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new HeapException("-D" + PROPERTY + "=" + name + " does not name a medium", e);
        }
    }
}
