// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.suites;

import java.lang.invoke.MethodHandles;
import org.terrace.persist.Persistent;
import org.terrace.persist.types.Records;

/** The element type for JSR166's tests. Objects of the original class cannot be in a heap. */
@Persistent
public record Item(int value) implements Comparable<Item> {
    static {
        // The transformation would add this call.
        Records.define(MethodHandles.lookup());
    }

    public Item(Item item) {
        this(item.value);
    }

    public Item(Integer value) {
        this((int) value);
    }

    public static Item valueOf(int value) {
        return new Item(value);
    }

    public int intValue() {
        return value;
    }

    public boolean equals(int other) {
        return value == other;
    }

    @Override
    public int compareTo(Item other) {
        return Integer.compare(value, other.value);
    }

    public int compareTo(int other) {
        return Integer.compare(value, other);
    }

    @Override
    public int hashCode() {
        return value;
    }

    @Override
    public String toString() {
        return Integer.toString(value);
    }
}
