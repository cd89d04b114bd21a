// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.terrace.persist.Heap;
import org.terrace.persist.RawObjects;
import org.terrace.persist.fa.Transaction;

/**
 * A range of a list. It becomes invalid when the length of the list, or of a range around this one, is changed by other means than
 * this range.
 */
final class PartOfList<E> extends ViewList<E> {
    private final PersistentList<E>.View list;
    /** The range around this one, or null if that is the list. */
    private final PartOfList<E> outer;
    private final int start;
    private int size;
    private Transaction.Outcome learntIn;

    PartOfList(PersistentList<E>.View list, PartOfList<E> outer, int start, int end) {
        this.list = list;
        this.outer = outer;
        this.start = start;
        this.size = end - start;
        learn();
    }

    private void learn() {
        modCount = list.modifications();
        learntIn = RawObjects.of(heap()).outcome();
    }

    @Override
    Heap heap() {
        return list.heap();
    }

    @Override
    void checkUnchanged() {
        if (list.modifications() != modCount || learntIn != null && learntIn.isRolledBack()) {
            throw new ConcurrentModificationException("a part of a list is used after the list was changed in length otherwise");
        }
    }

    /** Notes that a method of this range has changed the length of the list and of all ranges around this one. */
    private void changed(int by) {
        for (PartOfList<E> part = this; part != null; part = part.outer) {
            part.size += by;
            part.learn();
        }
    }

    private int at(int index) {
        return start + Objects.checkIndex(index, size);
    }

    private int between(int index) {
        if (index < 0 || index > size) {
            throw new IndexOutOfBoundsException("index " + index + " of a list of " + size);
        }
        return start + index;
    }

    @Override
    public int size() {
        return heap().read(() -> {
            checkUnchanged();
            return size;
        });
    }

    @Override
    public E get(int index) {
        return heap().read(() -> {
            checkUnchanged();
            return list.get(at(index));
        });
    }

    @Override
    public E set(int index, E value) {
        return heap().atomic(() -> {
            checkUnchanged();
            return list.set(at(index), value);
        });
    }

    @Override
    public void add(int index, E value) {
        heap().atomic(() -> {
            checkUnchanged();
            list.add(between(index), value);
            changed(1);
        });
    }

    @Override
    public boolean addAll(int index, Collection<? extends E> c) {
        return heap().atomic(() -> {
            checkUnchanged();
            int before = list.size();
            boolean some = list.addAll(between(index), c);
            changed(list.size() - before);
            return some;
        });
    }

    @Override
    public E remove(int index) {
        return heap().atomic(() -> {
            checkUnchanged();
            E removed = list.remove(at(index));
            changed(-1);
            return removed;
        });
    }

    @Override
    protected void removeRange(int from, int to) {
        heap().atomic(() -> {
            checkUnchanged();
            list.removeRange(start + from, start + to);
            changed(from - to);
        });
    }

    @Override
    boolean removeIf(int from, int to, Predicate<? super E> filter) {
        return heap().atomic(() -> {
            checkUnchanged();
            int before = list.size();
            boolean some = list.removeIf(start + from, start + to, filter);
            changed(list.size() - before);
            return some;
        });
    }

    @Override
    public List<E> subList(int from, int to) {
        return heap().read(() -> {
            checkUnchanged();
            PersistentList.checkRange(from, to, size);
            return new PartOfList<>(list, this, start + from, start + to);
        });
    }
}
