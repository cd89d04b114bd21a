// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.file.Path;
import java.security.SecureRandom;
import org.terrace.persist.HeapException;

/**
 * The only access to storage. It provides files, and memory in which their contents are mapped privately. Each process has one
 * medium, which is a constant for the compiler. The system property {@value #PROPERTY} selects another class. Tests use it to
 * record writes and to lose data that was not synced.
 *
 * <p>Addresses belong to the process and are not checked. An invalid address crashes the process.
 */
public abstract class Medium {
    public static final String PROPERTY = "org.terrace.persist.medium";
    public static final Medium MEDIUM = select();

    /** How a file is opened. */
    public enum Mode { READ, WRITE, CREATE }

    /**
     * Opens a file and locks it. The lock is exclusive, or excludes only writers with {@link Mode#READ}. {@link Mode#CREATE}
     * truncates the file.
     *
     * @throws HeapException if the file is missing, cannot be opened, or is open in another process or heap
     */
    public abstract MediumFile open(Path path, Mode mode);

    public abstract boolean exists(Path path);

    /** Atomically renames a complete file to its final name, and replaces an existing file of that name. */
    public abstract void publish(Path temporary, Path name);

    /**
     * The path of a file after links to it or its directory are resolved. The file may not exist yet. Names of other files in the
     * directory are derived from this path, and a rename to it does not replace a link. If there is no link, the path is unchanged.
     */
    public abstract Path withoutLinks(Path file);

    /** Copies owner, group and permissions of one file to another. */
    public abstract void copyAccess(MediumFile from, MediumFile to);

    /** Makes the names of the file and of other files in its directory durable, so that they survive a crash of the machine. */
    public abstract void syncNames(Path file, Site site);

    /** The file system that stores a file. */
    public abstract FileSystem fileSystem(MediumFile file);

    /** The page cache that holds unsynced writes to a file. Null if it is unknown or may lose some of them by itself. */
    public abstract PageCache pageCache(MediumFile file);

    /** Why a file cannot be used as persistent memory, or null if it can. */
    public abstract String obstacleToMapping(MediumFile file);

    /** The file as persistent memory. Closing the result closes the file. There must be no {@link #obstacleToMapping}. */
    public abstract MediumFile mapped(MediumFile file);

    /** A random number that is unpredictable and was never used for this file before. */
    public long random(Path path) {
        return new SecureRandom().nextLong();
    }

    /** Reserves an address range without memory. */
    public abstract long reserve(long bytes);

    /** Unmaps the file. The addresses stay reserved and read as zeros, so that a late access does not crash the VM. */
    public abstract void retire(long address, long bytes);

    public abstract void release(long address, long bytes);

    /**
     * Maps a part of a file privately. It reads as the file until it is modified, and stores stay in memory. Position and length
     * are multiples of 4096.
     */
    public abstract void map(MediumFile file, long position, long length, long address);

    /** Discards private copies of pages that equal the file. */
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
