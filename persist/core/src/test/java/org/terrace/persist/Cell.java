// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** A persistent class for tests with a number and two references. */
final class Cell extends PersistentObject {
    static final PersistentClass<Cell> CLASS = PersistentClass.of(Cell.class, Cell::new)
            .field("value", FieldType.LONG).field("next", FieldType.REFERENCE).field("other", FieldType.REFERENCE)
            .field("small", FieldType.INT).field("flag", FieldType.BOOLEAN).build();
    private static final int VALUE = CLASS.offset("value");
    private static final int NEXT = CLASS.offset("next");
    private static final int OTHER = CLASS.offset("other");
    private static final int SMALL = CLASS.offset("small");
    private static final int FLAG = CLASS.offset("flag");

    Cell(Heap heap, int value, Cell next) {
        super(CLASS, heap);
        setLong(VALUE, value);
        setReference(NEXT, next);
    }

    private Cell(Heap heap, long offset) {
        super(heap, offset);
    }

    long value() {
        return getLong(VALUE);
    }

    void value(long value) {
        setLong(VALUE, value);
    }

    Cell next() {
        return (Cell) getReference(NEXT);
    }

    void next(Cell next) {
        setReference(NEXT, next);
    }

    void nextByHand(Cell next) {
        setReferenceByHand(NEXT, next);
    }

    PersistentObject other() {
        return getReference(OTHER);
    }

    void other(PersistentObject other) {
        setReference(OTHER, other);
    }

    void otherByHand(PersistentObject other) {
        setReferenceByHand(OTHER, other);
    }

    void updateOther(PersistentObject other) {
        updateReference(OTHER, other);
    }

    void updateOtherAndFree(PersistentObject other) {
        updateReferenceAndFree(OTHER, other);
    }

    /** Queues one field, whose cache line contains several. */
    void flushValue() {
        pwb(VALUE, FieldType.LONG);
    }

    int small() {
        return getInt(SMALL);
    }

    void small(int small) {
        setInt(SMALL, small);
    }

    boolean flag() {
        return getBoolean(FLAG);
    }

    void flag(boolean flag) {
        setBoolean(FLAG, flag);
    }
}
