// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.file.Path;

/**
 * An open file with its exclusive lock. Positions and lengths are in bytes. Every method throws
 * {@link org.terrace.persist.HeapException} naming the file when the system reports an error.
 */
public interface MediumFile extends AutoCloseable {

    Path path();

    /** The file of the operating system. This is the file itself, or the one below a {@link MappedFile}. */
    default MediumFile system() {
        return this;
    }

    long size();

    /** Reads exactly {@code length} bytes. */
    void read(long position, byte[] into, int from, int length);

    /**
     * Writes all bytes, at least to the page cache.
     *
     * @throws org.terrace.persist.HeapFullException if the device has no space. Some of the bytes may be written, and the same call
     *     may be repeated
     */
    void write(long position, byte[] bytes, int from, int length, Site site);

    /**
     * Returns once all writes and the metadata needed to read them are on stable storage. After an error, data written since the
     * last sync may be lost, and a later call does not report that.
     */
    void sync(Site site);

    /**
     * Extends the file with zeros to at least {@code size}, and allocates device space for {@code [from, size)}.
     *
     * @throws org.terrace.persist.HeapFullException if the device has no space. The file's length is unchanged
     */
    void extend(long from, long size);

    /** Closes the file and releases the lock. */
    @Override
    void close();
}
