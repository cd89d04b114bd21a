// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.nio.file.Path;
import org.terrace.persist.CorruptHeapException;

/**
 * Ends a walk along references that lead in a circle, which damage makes: it remembers what the walk met at the last step whose
 * number is a power of two, and meets that again within a few turns (Brent, BIT 1980). Most walks end before it begins.
 */
public final class Circle {
    private static final int UNCHECKED_STEPS = 64;

    private final Path heap;
    private long remembered;
    private int steps;

    public Circle(Path heap) {
        this.heap = heap;
    }

    /**
     * What the walk goes on to; 0 at its end.
     *
     * @throws CorruptHeapException if it leads in a circle
     */
    public long step(long reference) {
        if (++steps >= UNCHECKED_STEPS) {
            check(reference);
        }
        return reference;
    }

    private void check(long reference) {
        if (reference == remembered && reference != 0) {
            throw new CorruptHeapException(heap + ": references that lead from object to object come back to offset " + reference
                    + CorruptHeapException.REMEDY);
        }
        if ((steps & steps - 1) == 0) {
            remembered = reference;
        }
    }
}
