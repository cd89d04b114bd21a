// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Space for an object, encoded in one number with the offset and the generation of the next object. A free slot stores the
 * generation of its last object. The generation is only in memory, because proxies do not outlive the process either. The next
 * object gets another generation, so proxies of the last 16,383 objects in a slot are distinguished from its current one.
 */
public final class Room {
    private static final int GENERATION_SHIFT = 48;
    private static final long OFFSET = (1L << GENERATION_SHIFT) - 1;
    /** Source of generations for space whose last object is unknown. */
    private static final AtomicInteger COUNTER = new AtomicInteger(new java.security.SecureRandom().nextInt());

    private Room() {
    }

    /** Space with this offset and an object of this generation. */
    public static long of(long offset, int generation) {
        return offset | (long) (generation & ObjectHeader.GENERATIONS - 1) << GENERATION_SHIFT;
    }

    /** Space with an unknown previous object. */
    public static long of(long offset) {
        return of(offset, COUNTER.getAndIncrement());
    }

    /** The same space with the generation of the next object. */
    static long next(long room) {
        return of(offset(room), generation(room) + 1);
    }

    public static long offset(long room) {
        return room & OFFSET;
    }

    public static int generation(long room) {
        return (int) (room >>> GENERATION_SHIFT);
    }
}
