// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** A persistent class for tests with a number and two references. */
public final class Cell extends PersistentObject {
    public static final PersistentClass<Cell> CLASS = PersistentClass.of(Cell.class, Cell::new)
            .field("value", FieldType.LONG).field("next", FieldType.REFERENCE).field("other", FieldType.REFERENCE)
            .field("small", FieldType.INT).field("flag", FieldType.BOOLEAN).build();
    private static final int VALUE = CLASS.offset("value");
    private static final int NEXT = CLASS.offset("next");
    private static final int OTHER = CLASS.offset("other");
    private static final int SMALL = CLASS.offset("small");
    private static final int FLAG = CLASS.offset("flag");

    public Cell(Heap heap, int value, Cell next) {
        super(CLASS, heap);
        setLong(VALUE, value);
        setReference(NEXT, next);
    }

    private Cell(Heap heap, long offset) {
        super(heap, offset);
    }

    public long value() {
        return getLong(VALUE);
    }

    public void value(long value) {
        setLong(VALUE, value);
    }

    public Cell next() {
        return (Cell) getReference(NEXT);
    }

    public void next(Cell next) {
        setReference(NEXT, next);
    }

    public void nextByHand(Cell next) {
        setReferenceByHand(NEXT, next);
    }

    public PersistentObject other() {
        return getReference(OTHER);
    }

    public void other(PersistentObject other) {
        setReference(OTHER, other);
    }

    public void otherByHand(PersistentObject other) {
        setReferenceByHand(OTHER, other);
    }

    public void updateOther(PersistentObject other) {
        updateReference(OTHER, other);
    }

    public void updateOtherAndFree(PersistentObject other) {
        updateReferenceAndFree(OTHER, other);
    }

    /** Queues one field, whose cache line contains several. */
    public void flushValue() {
        pwb(VALUE, FieldType.LONG);
    }

    public int small() {
        return getInt(SMALL);
    }

    public void small(int small) {
        setInt(SMALL, small);
    }

    public boolean flag() {
        return getBoolean(FLAG);
    }

    public void flag(boolean flag) {
        setBoolean(FLAG, flag);
    }
}
