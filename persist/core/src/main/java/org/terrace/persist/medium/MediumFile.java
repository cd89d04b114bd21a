// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.file.Path;

/**
 * An open file with its exclusive lock. Positions and lengths are in bytes. Every method throws
 * {@link org.terrace.persist.HeapException} naming the file when the system reports an error.
 */
public interface MediumFile extends AutoCloseable {

    Path path();

    /** The file as the system knows it: this one, or what lies below a {@link MappedFile}. */
    default MediumFile system() {
        return this;
    }

    long size();

    /** Reads exactly {@code length} bytes. */
    void read(long position, byte[] into, int from, int length);

    /**
     * Writes all bytes, into the page cache at least.
     *
     * @throws org.terrace.persist.HeapFullException if the device has no room: some of the bytes may be written, and the same call may be
     *         made again
     */
    void write(long position, byte[] bytes, int from, int length, Site site);

    /**
     * Returns once all that was written is on stable storage, with the metadata needed to read it. After an error, what was written
     * since the last sync may be lost, and a later call does not tell.
     */
    void sync(Site site);

    /**
     * Makes the file at least so long, zeros at the end, with room on the device for {@code [from, size)}.
     *
     * @throws org.terrace.persist.HeapFullException if the device has no room; the file's length is as before
     */
    void extend(long from, long size);

    /** Gives up the lock. */
    @Override
    void close();
}
