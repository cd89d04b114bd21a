// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.function.IntFunction;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.PersistentObject;

/** A record in the heap, stored as an immutable copy. */
final class StoredRecord extends PersistentObject implements Copy {
    private final Records records;

    StoredRecord(Records records, Heap heap, IntFunction<Object> component) {
        super(records.layout(), heap);
        this.records = records;
        for (int i = 0; i < records.count(); i++) {
            set(i, component.apply(i));
        }
    }

    StoredRecord(Records records, Heap heap, long offset) {
        super(heap, offset);
        this.records = records;
    }

    private void set(int component, Object value) {
        int field = records.offset(component);
        switch (records.type(component)) {
            case BOOLEAN -> setBoolean(field, (Boolean) value);
            case BYTE -> setByte(field, (Byte) value);
            case SHORT -> setShort(field, (Short) value);
            case CHAR -> setChar(field, (Character) value);
            case INT -> setInt(field, (Integer) value);
            case LONG -> setLong(field, (Long) value);
            case FLOAT -> setFloat(field, (Float) value);
            case DOUBLE -> setDouble(field, (Double) value);
            case REFERENCE -> setReference(field, Boxed.store(heap(), value));
        }
    }

    private Object get(int component) {
        int field = records.offset(component);
        return switch (records.type(component)) {
            case BOOLEAN -> getBoolean(field);
            case BYTE -> getByte(field);
            case SHORT -> getShort(field);
            case CHAR -> getChar(field);
            case INT -> getInt(field);
            case LONG -> getLong(field);
            case FLOAT -> getFloat(field);
            case DOUBLE -> getDouble(field);
            case REFERENCE -> Boxed.load(getReference(field));
        };
    }

    @Override
    public Object value() {
        Object[] components = new Object[records.count()];
        boolean whole = true;
        for (int i = 0; i < components.length; i++) {
            components[i] = get(i);
            whole &= Opaque.in(components[i]) == null;
        }
        if (!whole) {
            return new OpaqueRecord(records, components, null);
        }
        try {
            return records.make(components);
        } catch (HeapException e) {
            if (e.getCause() instanceof RuntimeException) {
                return new OpaqueRecord(records, components, e);
            }
            throw e;
        }
    }

    @Override
    protected boolean hasParts() {
        return true;
    }

    @Override
    protected void freeParts() {
        for (int i = 0; i < records.count(); i++) {
            if (records.type(i) == org.terrace.persist.FieldType.REFERENCE) {
                Boxed.free(getReferenceUnlessFreed(records.offset(i)));
            }
        }
    }
}
