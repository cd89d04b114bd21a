// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Room for an object as one number: its offset, and the generation of the object that is to have it. A free slot remembers the
 * generation of its last object, in memory only: proxies do not outlive the process either. So the next object's is another, and
 * proxies of the last 16,383 objects of a slot are told from its present one.
 */
public final class Room {
    private static final int GENERATION_SHIFT = 48;
    private static final long OFFSET = (1L << GENERATION_SHIFT) - 1;
    /** For room whose last object is not known. */
    private static final AtomicInteger COUNTER = new AtomicInteger(new java.security.SecureRandom().nextInt());

    private Room() {
    }

    /** Room that has this offset, and had an object of this generation. */
    public static long of(long offset, int generation) {
        return offset | (long) (generation & ObjectHeader.GENERATIONS - 1) << GENERATION_SHIFT;
    }

    /** Room of which it is not known what it had. */
    static long of(long offset) {
        return of(offset, COUNTER.getAndIncrement());
    }

    /** The same room, for the next object. */
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
