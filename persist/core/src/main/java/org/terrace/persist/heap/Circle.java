// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.nio.file.Path;
import org.terrace.persist.CorruptHeapException;

/**
 * Ends a traversal of references that form a cycle, which only damage produces. It remembers the reference at each step whose
 * number is a power of two, and meets it again after a few rounds of the cycle (Brent, BIT 1980). Short traversals are not checked.
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
     * Notes a step and returns its reference, which is 0 at the end.
     *
     * @throws CorruptHeapException if the references form a cycle
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
