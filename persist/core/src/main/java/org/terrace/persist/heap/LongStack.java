// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.Arrays;

/** A stack of longs. Not thread-safe. */
public final class LongStack {
    private long[] elements = new long[16];
    private int size;

    public void push(long value) {
        if (size == elements.length) {
            elements = Arrays.copyOf(elements, 2 * size);
        }
        elements[size++] = value;
    }

    public long pop() {
        return elements[--size];
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public long get(int index) {
        return elements[index];
    }

    public void clear() {
        size = 0;
    }

    /** Moves up to {@code count} elements to another stack. */
    public void moveTo(LongStack other, int count) {
        for (int i = Math.min(count, size); i > 0; i--) {
            other.push(pop());
        }
    }
}
