// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.Was;

/**
 * Definitions of the records of this program that can be stored by value. The class of a record defines itself in its initializer,
 * which the transformation adds.
 */
public final class Records {
    /** What is known of a record exists as long as its class. */
    private static final ClassValue<AtomicReference<Records>> DEFINED = new ClassValue<>() {
        @Override
        protected AtomicReference<Records> computeValue(Class<?> type) {
            return new AtomicReference<>();
        }
    };
    private static final int MAX_FORMER_HASHES = 256;

    private final PersistentClass<StoredRecord> layout;
    private final MethodHandle constructor;
    private final MethodHandle[] getters;
    private final FieldType[] types;
    private final String[] names;
    private final int[] offsets;

    private Records(MethodHandles.Lookup lookup) throws ReflectiveOperationException {
        Class<?> type = lookup.lookupClass();
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] parameters = new Class<?>[components.length];
        getters = new MethodHandle[components.length];
        types = new FieldType[components.length];
        names = new String[components.length];
        offsets = new int[components.length];
        // The record's class is used only for its name, by which the heap knows the record.
        @SuppressWarnings("unchecked")
        PersistentClass.Builder<StoredRecord> builder = PersistentClass.of((Class<StoredRecord>) type,
                (heap, offset) -> new StoredRecord(this, heap, offset));
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            parameters[i] = component.getType();
            names[i] = component.getName();
            getters[i] = lookup.unreflect(component.getAccessor()).asType(MethodType.methodType(Object.class, Object.class));
            types[i] = component.getType().isPrimitive()
                    ? FieldType.valueOf(component.getType().getName().toUpperCase(Locale.ROOT))
                    : FieldType.REFERENCE;
            Was was = type.getDeclaredField(component.getName()).getAnnotation(Was.class);
            builder.field(component.getName(), types[i], was == null ? new String[0] : was.value());
        }
        Was was = type.getAnnotation(Was.class);
        layout = (was == null ? builder : builder.formerly(was.value())).build();
        for (int i = 0; i < components.length; i++) {
            offsets[i] = layout.offset(components[i].getName());
        }
        constructor = lookup.findConstructor(type, MethodType.methodType(void.class, parameters))
                .asSpreader(Object[].class, parameters.length).asType(MethodType.methodType(Object.class, Object[].class));
    }

    /** Defines a record. Called by the initializer of a transformed record with its own lookup. */
    public static void define(MethodHandles.Lookup lookup) {
        try {
            DEFINED.get(lookup.lookupClass()).set(new Records(lookup));
        } catch (ReflectiveOperationException e) {
            throw new HeapException(lookup.lookupClass() + " cannot be held by a heap: " + e, e);
        }
    }

    private static Records of(Object value) {
        Records records = DEFINED.get(value.getClass()).get();
        if (records == null) {
            throw new IllegalArgumentException(value.getClass().getName()
                    + " is not a record that the heap can hold: annotate it with @Persistent, and transform it");
        }
        return records;
    }

    /** The components of a storable record that are objects. */
    static List<Object> components(Object value) {
        Records records = of(value);
        List<Object> components = new ArrayList<>();
        for (int i = 0; i < records.count(); i++) {
            if (records.types[i] == FieldType.REFERENCE) {
                components.add(records.get(value, i));
            }
        }
        return components;
    }

    static PersistentObject store(Heap heap, Object value) {
        Records records = of(value);
        return new StoredRecord(records, heap, i -> records.get(value, i));
    }

    /**
     * A hash that is the same in every process and for other versions of the record. It does not depend on the order and width of
     * the components, or on added components that are 0 or null. When a record is loaded that was stored without a component, that
     * component is 0 or null.
     */
    static int stableHash(Object value) {
        Records records = of(value);
        return records.stableHash(i -> records.get(value, i));
    }

    static int stableHash(OpaqueRecord value) {
        return value.records().stableHash(value::component);
    }

    private int stableHash(IntFunction<Object> component) {
        long hash = 0;
        for (int i = 0; i < count(); i++) {
            hash += mixed(number(types[i], component.apply(i)));
        }
        return Long.hashCode(hash);
    }

    /** Hashes of a record with former names of the constants in its components. */
    static List<Integer> formerHashes(Object value) {
        Records records = of(value);
        List<Long> sums = new ArrayList<>(List.of(0L));
        for (int i = 0; i < records.count(); i++) {
            Object component = records.get(value, i);
            List<Long> numbers = new ArrayList<>(List.of(mixed(number(records.types[i], component))));
            if (records.types[i] == FieldType.REFERENCE) {
                StableHash.former(component).forEach(hash -> numbers.add(mixed(hash)));
            }
            sums = sums.stream().flatMap(sum -> numbers.stream().map(number -> sum + number)).limit(MAX_FORMER_HASHES).toList();
        }
        return sums.stream().skip(1).map(sum -> Long.hashCode(sum)).toList();
    }

    private static long number(FieldType type, Object component) {
        return switch (type) {
            case BOOLEAN -> (Boolean) component ? 1 : 0;
            case CHAR -> (Character) component;
            case FLOAT, DOUBLE -> number(((Number) component).doubleValue());
            case REFERENCE -> StableHash.of(component);
            default -> ((Number) component).longValue();
        };
    }

    private static long number(double value) {
        return value == (long) value ? (long) value : Double.doubleToLongBits(value);
    }

    /**
     * Mixes the bits of a number, so that sums of mixed numbers differ. 0 stays 0. The constants are from MurmurHash3's 64-bit
     * finalizer.
     */
    private static long mixed(long number) {
        long mixed = (number ^ number >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }

    PersistentClass<StoredRecord> layout() {
        return layout;
    }

    Class<?> type() {
        return layout.type();
    }

    String name(int component) {
        return names[component];
    }

    int count() {
        return types.length;
    }

    FieldType type(int component) {
        return types[component];
    }

    int offset(int component) {
        return offsets[component];
    }

    Object get(Object value, int component) {
        try {
            return getters[component].invokeExact(value);
        } catch (Throwable e) {
            throw HeapException.of("component " + component + " of a " + value.getClass().getName() + " cannot be read", e);
        }
    }

    Object make(Object[] components) {
        try {
            return constructor.invokeExact(components);
        } catch (Throwable e) {
            throw HeapException.of("a " + layout.type().getName() + " in the heap is refused by its constructor", e);
        }
    }
}
