// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.RawObjects;

/** A chunk of a deque. Its slots from {@code from} (inclusive) to {@code to} (exclusive) are in use. */
final class DequeChunk extends org.terrace.persist.PersistentObject {
    static final int SLOTS = 24;
    static final PersistentClass<DequeChunk> CLASS = PersistentClass.of(DequeChunk.class, DequeChunk::new)
            .field("previous", FieldType.REFERENCE).field("next", FieldType.REFERENCE).field("slots", FieldType.REFERENCE)
            .field("from", FieldType.INT).field("to", FieldType.INT).build();
    private static final int PREVIOUS = CLASS.offset("previous");
    private static final int NEXT = CLASS.offset("next");
    private static final int ITEMS = CLASS.offset("slots");
    private static final int FROM = CLASS.offset("from");
    private static final int TO = CLASS.offset("to");

    /** Creates an empty chunk that is filled from its start or from its end. */
    DequeChunk(Heap heap, boolean fromEnd) {
        super(CLASS, heap);
        setReference(ITEMS, new References(heap, SLOTS));
        setInt(FROM, fromEnd ? SLOTS : 0);
        setInt(TO, fromEnd ? SLOTS : 0);
    }

    private DequeChunk(Heap heap, long offset) {
        super(heap, offset);
    }

    References slots() {
        return getPart(ITEMS, References.class);
    }

    int from() {
        return checked(getInt(FROM));
    }

    private int checked(int slot) {
        if (slot < 0 || slot > SLOTS) {
            throw RawObjects.of(heap()).damaged(RawObjects.of(heap()).referenceTo(this), "has no slot " + slot);
        }
        return slot;
    }

    void from(int from) {
        setInt(FROM, from);
    }

    int to() {
        return checked(getInt(TO));
    }

    void to(int to) {
        setInt(TO, to);
    }

    /** The next chunk in the direction of the end or of the start. */
    DequeChunk neighbour(boolean towardsEnd) {
        return getReference(towardsEnd ? NEXT : PREVIOUS, DequeChunk.class);
    }

    void neighbour(boolean towardsEnd, DequeChunk chunk) {
        setReference(towardsEnd ? NEXT : PREVIOUS, chunk);
    }

    void destroy() {
        heap().free(slots());
        heap().free(this);
    }
}
