// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import java.util.function.Consumer;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.Internals;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentClass.Builder;
import org.terrace.persist.PersistentObject;

/** A class for tests that is defined again for each version of a program. In a heap, it has the fields of the last version. */
public final class Thing extends PersistentObject {

    private Thing(PersistentClass<Thing> type, Heap heap) {
        super(type, heap);
    }

    private Thing(Heap heap, long offset) {
        super(heap, offset);
    }

    /** A version of the program with its definition of the class. */
    public static final class Version {
        private final PersistentClass<Thing> type;

        private Version(PersistentClass<Thing> type) {
            this.type = type;
        }

        public Thing create(Heap heap) {
            return new Thing(type, heap);
        }

        public Object get(Thing thing, String field) {
            int at = type.offset(field);
            return switch (typeOf(field)) {
                case BOOLEAN -> thing.getBoolean(at);
                case BYTE -> thing.getByte(at);
                case SHORT -> thing.getShort(at);
                case CHAR -> thing.getChar(at);
                case INT -> thing.getInt(at);
                case FLOAT -> thing.getFloat(at);
                case LONG -> thing.getLong(at);
                case DOUBLE -> thing.getDouble(at);
                case REFERENCE -> thing.getReference(at);
            };
        }

        public void set(Thing thing, String field, Object value) {
            int at = type.offset(field);
            switch (typeOf(field)) {
                case BOOLEAN -> thing.setBoolean(at, (Boolean) value);
                case BYTE -> thing.setByte(at, (Byte) value);
                case SHORT -> thing.setShort(at, (Short) value);
                case CHAR -> thing.setChar(at, (Character) value);
                case INT -> thing.setInt(at, (Integer) value);
                case FLOAT -> thing.setFloat(at, (Float) value);
                case LONG -> thing.setLong(at, (Long) value);
                case DOUBLE -> thing.setDouble(at, (Double) value);
                case REFERENCE -> thing.setReference(at, (PersistentObject) value);
            }
        }

        FieldType typeOf(String field) {
            return Internals.fields(type).stream().filter(f -> f.name().equals(field)).findFirst().orElseThrow().type();
        }
    }

    public static Version define(Consumer<Builder<Thing>> fields) {
        Builder<Thing> builder = PersistentClass.of(Thing.class, Thing::new);
        fields.accept(builder);
        return new Version(builder.build());
    }
}
