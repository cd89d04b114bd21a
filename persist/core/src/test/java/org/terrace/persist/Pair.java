// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.ArrayList;
import java.util.List;

/**
 * A persistent class for tests of explicit persistence. {@code copy} is set after {@code value}, so a crash in between leaves it
 * behind until {@link #recover}. The class records the calls of {@code recover()}.
 */
public final class Pair extends PersistentObject {
    public static final PersistentClass<Pair> CLASS = PersistentClass.of(Pair.class, Pair::new).field("value", FieldType.LONG)
            .field("gap", FieldType.LONG).field("copy", FieldType.LONG).field("next", FieldType.REFERENCE).build();
    /** Values of the objects whose recover() was called. */
    public static final List<Long> RECOVERED = new ArrayList<>();
    public static boolean failing;
    public static boolean failingWithError;
    private static final int VALUE = CLASS.offset("value");
    private static final int COPY = CLASS.offset("copy");
    private static final int NEXT = CLASS.offset("next");

    /** Computed when the proxy is created. */
    private long doubled = -1;

    public Pair(Heap heap, int value) {
        super(CLASS, heap);
        setLong(VALUE, value);
        setLong(COPY, value);
    }

    private Pair(Heap heap, long offset) {
        super(heap, offset);
    }

    @Override
    protected void resurrect() {
        doubled = 2 * getLong(VALUE);
    }

    @Override
    protected void recover() {
        if (failingWithError) {
            throw new AssertionError("not yet");
        }
        if (failing) {
            throw new IllegalStateException("not yet");
        }
        RECOVERED.add(getLong(VALUE));
        setLong(COPY, getLong(VALUE));
    }

    /** The first fence makes the value durable before the copy. */
    public void store(long value) {
        setLong(VALUE, value);
        pwb(VALUE, FieldType.LONG);
        heap().pfence();
        setLong(COPY, value);
        pwb(COPY, FieldType.LONG);
        heap().psync();
    }

    /** Simulates a crash in the middle of {@link #store}. */
    public void storeHalf(long value) {
        setLong(VALUE, value);
        pwb(VALUE, FieldType.LONG);
        heap().psync();
    }

    public long value() {
        return getLong(VALUE);
    }

    public long copy() {
        return getLong(COPY);
    }

    public long doubled() {
        return doubled;
    }

    public Pair next() {
        return (Pair) getReference(NEXT);
    }

    public void next(Pair next) {
        setReference(NEXT, next);
    }

    public void nextByHand(Pair next) {
        setReferenceByHand(NEXT, next);
    }

    public void updateNext(Pair next) {
        updateReference(NEXT, next);
    }

    public void updateNextAndFree(Pair next) {
        updateReferenceAndFree(NEXT, next);
    }

    public void flushNext() {
        pwb(NEXT, FieldType.REFERENCE);
    }
}
