// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

/** A file as memory that persists. Positions and lengths are in bytes. */
interface PersistentMapping extends AutoCloseable {

    /** Stores bytes: a crash may leave any of their words until they are written back. */
    void store(long position, byte[] bytes, int from, int length, Site site);

    /** Returns once the cache lines of this range are where a crash of the machine leaves them. */
    void writeBack(long position, int length, Site site);

    @Override
    void close();
}
