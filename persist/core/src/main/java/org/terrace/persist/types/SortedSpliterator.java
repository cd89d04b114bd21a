// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Comparator;
import java.util.Spliterator;
import java.util.function.Consumer;

/** A spliterator with {@link Spliterator#SORTED} and an explicit comparator. */
record SortedSpliterator<T>(Spliterator<T> elements, Comparator<? super T> order) implements Spliterator<T> {
    @Override
    public boolean tryAdvance(Consumer<? super T> action) {
        return elements.tryAdvance(action);
    }

    @Override
    public void forEachRemaining(Consumer<? super T> action) {
        elements.forEachRemaining(action);
    }

    @Override
    public Spliterator<T> trySplit() {
        Spliterator<T> part = elements.trySplit();
        return part == null ? null : new SortedSpliterator<>(part, order);
    }

    @Override
    public long estimateSize() {
        return elements.estimateSize();
    }

    @Override
    public int characteristics() {
        return elements.characteristics();
    }

    @Override
    public Comparator<? super T> getComparator() {
        return order;
    }
}
