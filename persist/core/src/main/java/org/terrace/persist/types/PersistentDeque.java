// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.fa.Transaction;

/**
 * A double-ended queue, stored as a list of chunks of slots. Operations at both ends take constant time. A removal in the middle
 * moves slots of one chunk. Nulls are not allowed.
 */
public final class PersistentDeque<E> extends PersistentCollection<E> implements Deque<E> {
    @SuppressWarnings("rawtypes")
    static final PersistentClass<PersistentDeque> CLASS = PersistentClass.of(PersistentDeque.class, PersistentDeque::new)
            .field("size", FieldType.INT).field("modifications", FieldType.INT)
            .field("first", FieldType.REFERENCE).field("last", FieldType.REFERENCE).build();
    private static final int SIZE = CLASS.offset("size");
    private static final int MODIFICATIONS = CLASS.offset("modifications");
    private static final int FIRST = CLASS.offset("first");
    private static final int LAST = CLASS.offset("last");

    private final View view = new View();

    /** Creates an empty deque in the current heap. Must be called in a failure-atomic block. */
    public PersistentDeque() {
        this(Heap.current());
    }

    /** Creates an empty deque. */
    public PersistentDeque(Heap heap) {
        super(CLASS, heap);
    }

    private PersistentDeque(Heap heap, long offset) {
        super(heap, offset);
    }

    private DequeChunk end(boolean last) {
        return getReference(last ? LAST : FIRST, DequeChunk.class);
    }

    private void end(boolean last, DequeChunk chunk) {
        setReference(last ? LAST : FIRST, chunk);
    }

    private void changeSize(int by) {
        setInt(SIZE, getInt(SIZE) + by);
        setInt(MODIFICATIONS, getInt(MODIFICATIONS) + 1);
    }

    @SuppressWarnings("unchecked")
    private static <T> T cast(Object value) {
        return (T) value;
    }

    @Override
    void freeStructure() {
        // An empty deque has no chunks.
    }

    private void push(boolean last, E value) {
        Objects.requireNonNull(value);
        heap().atomic(() -> {
            DequeChunk chunk = end(last);
            if (chunk == null || (last ? chunk.to() == DequeChunk.SLOTS : chunk.from() == 0)) {
                chunk = addChunk(last, chunk);
            }
            int slot = last ? chunk.to() : chunk.from() - 1;
            chunk.slots().set(slot, Boxed.store(heap(), value));
            if (last) {
                chunk.to(slot + 1);
            } else {
                chunk.from(slot);
            }
            changeSize(1);
        });
    }

    private DequeChunk addChunk(boolean last, DequeChunk end) {
        DequeChunk added = new DequeChunk(heap(), !last);
        added.neighbour(!last, end);
        if (end == null) {
            end(!last, added);
        } else {
            end.neighbour(last, added);
        }
        end(last, added);
        return added;
    }

    private void removeChunk(DequeChunk chunk) {
        for (boolean last : new boolean[] {false, true}) {
            DequeChunk neighbour = chunk.neighbour(last);
            if (neighbour == null) {
                end(last, chunk.neighbour(!last));
            } else {
                neighbour.neighbour(!last, chunk.neighbour(!last));
            }
        }
        chunk.destroy();
    }

    private E peek(boolean last) {
        return reading(() -> {
            DequeChunk chunk = end(last);
            if (chunk == null) {
                return null;
            }
            return PersistentDeque.<E>cast(Boxed.load(chunk.slots().get(last ? chunk.to() - 1 : chunk.from())));
        });
    }

    /** Skips the slots of objects that the program has freed, because null is not a valid element. */
    private E poll(boolean last) {
        return changing(() -> {
            E polled = null;
            for (DequeChunk chunk = end(last); polled == null && chunk != null; chunk = end(last)) {
                polled = cast(removeSlot(chunk, last ? chunk.to() - 1 : chunk.from()));
            }
            return polled;
        });
    }

    /** Removes one element and moves the elements that follow it in its chunk. */
    private Object removeSlot(DequeChunk chunk, int slot) {
        References slots = chunk.slots();
        long removed = slots.reference(slot);
        Object value = Boxed.loadToDrop(raw(), removed);
        if (slot == chunk.from()) {
            slots.set(slot, null);
            chunk.from(slot + 1);
        } else {
            for (int i = slot + 1; i < chunk.to(); i++) {
                slots.reference(i - 1, slots.reference(i));
            }
            slots.set(chunk.to() - 1, null);
            chunk.to(chunk.to() - 1);
        }
        Boxed.free(raw(), removed);
        if (chunk.from() == chunk.to()) {
            removeChunk(chunk);
        }
        changeSize(-1);
        return value;
    }

    private boolean removeOccurrence(Object o, boolean fromEnd) {
        return changing(() -> {
            for (Iterator<E> i = new Elements(fromEnd); i.hasNext();) {
                if (i.next().equals(o)) {
                    i.remove();
                    return true;
                }
            }
            return false;
        });
    }

    private static <T> T orThrow(T value) {
        if (value == null) {
            throw new NoSuchElementException();
        }
        return value;
    }

    @Override
    Collection<E> view() {
        return view;
    }

    private final class View extends ViewCollection<E> {
        @Override
        Heap heap() {
            return PersistentDeque.this.heap();
        }

        @Override
        public Spliterator<E> spliterator() {
            return Spliterators.spliterator(this, Spliterator.ORDERED);
        }

        @Override
        public int size() {
            return raw().checkedSize(PersistentDeque.this, getInt(SIZE));
        }

        @Override
        public Iterator<E> iterator() {
            return new Elements(false);
        }

        @Override
        public boolean add(E e) {
            push(true, e);
            return true;
        }

        @Override
        public boolean remove(Object o) {
            return removeOccurrence(o, false);
        }

        @Override
        public void clear() {
            heap().atomic(() -> {
                for (DequeChunk chunk = end(false), next; chunk != null; chunk = next) {
                    next = chunk.neighbour(true);
                    for (int i = chunk.from(); i < chunk.to(); i++) {
                        Boxed.free(chunk.slots().getUnlessFreed(i));
                    }
                    chunk.destroy();
                }
                end(false, null);
                end(true, null);
                changeSize(-getInt(SIZE));
            });
        }
    }

    private final class Elements implements Iterator<E> {
        private final boolean backwards;
        private int expected;
        private Transaction.Outcome learntIn;
        /** Upper limit of the elements still to visit, so that iteration ends even in a damaged deque. */
        private int left;
        private DequeChunk chunk;
        private int slot;
        private DequeChunk lastChunk;
        private int lastSlot;

        Elements(boolean backwards) {
            this.backwards = backwards;
            reading(() -> {
                learn();
                left = view.size();
                enter(end(backwards));
                return null;
            });
        }

        private void learn() {
            expected = getInt(MODIFICATIONS);
            learntIn = raw().outcome();
        }

        private void enter(DequeChunk entered) {
            if (entered != null && entered.from() >= entered.to()) {
                throw raw().damaged(raw().referenceTo(entered), "is a chunk of a deque without elements");
            }
            chunk = entered;
            slot = entered == null ? 0 : backwards ? entered.to() - 1 : entered.from();
        }

        private void checkUnchanged() {
            if (getInt(MODIFICATIONS) != expected || learntIn != null && learntIn.isRolledBack()) {
                throw new ConcurrentModificationException();
            }
        }

        @Override
        public boolean hasNext() {
            return chunk != null;
        }

        @Override
        public E next() {
            orThrow(chunk);
            return reading(() -> {
                checkUnchanged();
                if (--left < 0) {
                    throw raw().damaged(raw().referenceTo(PersistentDeque.this), "has more elements than it says, or its chunks"
                            + " lead back to themselves");
                }
                E value = cast(Boxed.load(chunk.slots().get(slot)));
                lastChunk = chunk;
                lastSlot = slot;
                slot += backwards ? -1 : 1;
                if (backwards ? slot < chunk.from() : slot >= chunk.to()) {
                    enter(chunk.neighbour(!backwards));
                }
                return value;
            });
        }

        @Override
        public void remove() {
            if (lastChunk == null) {
                throw new IllegalStateException();
            }
            heap().atomic(() -> {
                checkUnchanged();
                boolean moved = lastSlot != lastChunk.from();
                removeSlot(lastChunk, lastSlot);
                if (moved && !backwards && lastChunk.equals(chunk)) {
                    slot--;
                }
                learn();
            });
            lastChunk = null;
        }
    }

    @Override
    public void addFirst(E e) {
        push(false, e);
    }

    @Override
    public void addLast(E e) {
        push(true, e);
    }

    @Override
    public boolean offerFirst(E e) {
        push(false, e);
        return true;
    }

    @Override
    public boolean offerLast(E e) {
        push(true, e);
        return true;
    }

    @Override
    public E removeFirst() {
        return orThrow(poll(false));
    }

    @Override
    public E removeLast() {
        return orThrow(poll(true));
    }

    @Override
    public E pollFirst() {
        return poll(false);
    }

    @Override
    public E pollLast() {
        return poll(true);
    }

    @Override
    public E getFirst() {
        return orThrow(peek(false));
    }

    @Override
    public E getLast() {
        return orThrow(peek(true));
    }

    @Override
    public E peekFirst() {
        return peek(false);
    }

    @Override
    public E peekLast() {
        return peek(true);
    }

    @Override
    public boolean removeFirstOccurrence(Object o) {
        return removeOccurrence(o, false);
    }

    @Override
    public boolean removeLastOccurrence(Object o) {
        return removeOccurrence(o, true);
    }

    @Override
    public boolean offer(E e) {
        return offerLast(e);
    }

    @Override
    public E remove() {
        return removeFirst();
    }

    @Override
    public E poll() {
        return pollFirst();
    }

    @Override
    public E element() {
        return getFirst();
    }

    @Override
    public E peek() {
        return peekFirst();
    }

    @Override
    public void push(E e) {
        addFirst(e);
    }

    @Override
    public E pop() {
        return removeFirst();
    }

    @Override
    public Iterator<E> descendingIterator() {
        return new Elements(true);
    }

    /** Compares identity, as the deques of {@code java.util} do. */
    @Override
    public boolean equals(Object other) {
        return isSameObject(other);
    }

    @Override
    public int hashCode() {
        return identityHash();
    }
}
