// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Values in the order in which they were added last, the newest first. It keeps no value in memory. Thread-safe. */
final class NewestFirst<T> {
    /** Replaced, never modified. */
    private volatile List<WeakReference<T>> references = List.of();

    synchronized void add(T value) {
        Stream<WeakReference<T>> others = references.stream().filter(reference -> reference.get() != null && reference.get() != value);
        references = Stream.concat(Stream.of(new WeakReference<>(value)), others).toList();
    }

    boolean contains(T value) {
        return references.stream().anyMatch(reference -> reference.refersTo(value));
    }

    Stream<T> stream() {
        return references.stream().map(WeakReference::get).filter(Objects::nonNull);
    }
}
