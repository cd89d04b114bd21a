// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** The heap in which a thread creates objects. It is the heap of the innermost block or of {@link Heap#use}. */
final class CurrentHeap {
    private static final ThreadLocal<Heap> CURRENT = new ThreadLocal<>();

    private CurrentHeap() {
    }

    /** The current heap, or null if there is none. */
    static Heap get() {
        return CURRENT.get();
    }

    /** @return the argument for {@link #restore} */
    static Heap enter(Heap heap) {
        Heap former = CURRENT.get();
        if (former != heap) {
            CURRENT.set(heap);
        }
        return former;
    }

    static void restore(Heap former, Heap entered) {
        if (former == null) {
            CURRENT.remove();
        } else if (former != entered) {
            CURRENT.set(former);
        }
    }
}
