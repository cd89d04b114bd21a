// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

/** A file as persistent memory. Positions and lengths are in bytes. */
interface PersistentMapping extends AutoCloseable {

    /** Stores bytes. Until they are written back, a crash may leave any subset of their words. */
    void store(long position, byte[] bytes, int from, int length, Site site);

    /** Returns once the cache lines of this range survive a crash of the machine. */
    void writeBack(long position, int length, Site site);

    @Override
    void close();
}
