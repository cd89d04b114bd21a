package org.terrace.persist;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.ClassDescriptor.Field;
import org.terrace.persist.heap.ClassDescriptor.Kind;

/**
 * What a persistent class has in the heap, as a constant of the class: {@code static final PersistentClass<Simple> CLASS =
 * PersistentClass.of(Simple.class, Simple::new).field("x", FieldType.INT).build()}. Fields are placed in the order they are
 * named, each at a multiple of its size.
 */
public final class PersistentClass<T extends PersistentObject> {
    private static final Map<String, PersistentClass<?>> DEFINED = new ConcurrentHashMap<>();

    /**
     * Makes the proxy of an object that exists. It calls {@link PersistentObject#PersistentObject(Heap, long)} with what it is
     * given.
     */
    @FunctionalInterface
    public interface Resurrector<T> {
        T resurrect(Heap heap, long offset);
    }

    private final Class<T> type;
    private final Resurrector<T> resurrector;
    private final ClassDescriptor descriptor;
    private final Map<String, Integer> offsets = new LinkedHashMap<>();

    private PersistentClass(Class<T> type, Resurrector<T> resurrector, ClassDescriptor descriptor) {
        this.type = type;
        this.resurrector = resurrector;
        this.descriptor = descriptor;
        descriptor.fields().forEach(field -> offsets.put(field.name(), field.offset()));
        DEFINED.put(type.getName(), this);
    }

    public static <T extends PersistentObject> Builder<T> of(Class<T> type, Resurrector<T> resurrector) {
        return new Builder<>(type, resurrector);
    }

    /** A class of arrays: a length of 8 bytes at offset 0, then references. */
    public static <T extends PersistentObject> PersistentClass<T> references(Class<T> type, Resurrector<T> resurrector) {
        return new PersistentClass<>(type, resurrector, new ClassDescriptor(type.getName(), Kind.REFERENCES, 0, List.of()));
    }

    /** A class of objects of any size, without references. */
    public static <T extends PersistentObject> PersistentClass<T> bytes(Class<T> type, Resurrector<T> resurrector) {
        return new PersistentClass<>(type, resurrector, new ClassDescriptor(type.getName(), Kind.BYTES, 0, List.of()));
    }

    /** The definition of a class by name, after its class was initialized; null if there is none in this program. */
    static PersistentClass<?> find(String name) {
        PersistentClass<?> defined = DEFINED.get(name);
        if (defined == null) {
            try {
                ClassLoader context = Thread.currentThread().getContextClassLoader();
                Class.forName(name, true, context == null ? PersistentClass.class.getClassLoader() : context);
            } catch (ClassNotFoundException e) {
                // Its objects are opaque.
                return null;
            }
            defined = DEFINED.get(name);
        }
        return defined;
    }

    public Class<T> type() {
        return type;
    }

    /** The place of a field, for the accessors of {@link PersistentObject}. */
    public int offset(String field) {
        Integer offset = offsets.get(field);
        if (offset == null) {
            throw new IllegalArgumentException(type.getName() + " has no persistent field " + field + ", only " + offsets.keySet());
        }
        return offset;
    }

    ClassDescriptor descriptor() {
        return descriptor;
    }

    T resurrect(Heap heap, long offset) {
        return resurrector.resurrect(heap, offset);
    }

    @Override
    public String toString() {
        return descriptor.encode();
    }

    /** Collects the fields of a class. */
    public static final class Builder<T extends PersistentObject> {
        private final Class<T> type;
        private final Resurrector<T> resurrector;
        private final List<Field> fields = new ArrayList<>();
        private int bytes;

        private Builder(Class<T> type, Resurrector<T> resurrector) {
            this.type = type;
            this.resurrector = resurrector;
        }

        public Builder<T> field(String name, FieldType fieldType) {
            if (name.isEmpty() || name.chars().anyMatch(Character::isWhitespace)) {
                throw new IllegalArgumentException("a field's name has no white space: \"" + name + "\"");
            }
            if (fields.stream().anyMatch(f -> f.name().equals(name))) {
                throw new IllegalArgumentException(type.getName() + " has two persistent fields " + name);
            }
            int offset = (bytes + fieldType.bytes() - 1) / fieldType.bytes() * fieldType.bytes();
            fields.add(new Field(name, fieldType, offset));
            bytes = offset + fieldType.bytes();
            return this;
        }

        public PersistentClass<T> build() {
            return new PersistentClass<>(type, resurrector,
                    new ClassDescriptor(type.getName(), Kind.OBJECT, bytes, List.copyOf(fields)));
        }
    }
}
