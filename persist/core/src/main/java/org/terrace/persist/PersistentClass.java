// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.terrace.persist.heap.ClassChange;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.ClassDescriptor.Field;
import org.terrace.persist.heap.ClassDescriptor.Kind;
import org.terrace.persist.heap.ClassLookup;

/**
 * The definition of a persistent class, as a constant of the class: {@code static final PersistentClass<Simple> CLASS =
 * PersistentClass.of(Simple.class, Simple::new).field("x", FieldType.INT).build()}. Fields are laid out in the order of definition,
 * each aligned to its size.
 */
public final class PersistentClass<T extends PersistentObject> {
    /** The field that the transformation adds to a class. */
    private static final String TRANSFORMED = "terrace$class";
    /** Definitions by class, because several loaders may have classes of one name. They exist as long as the class, newest first. */
    private static final ClassValue<Deque<PersistentClass<?>>> OF_CLASS = new ClassValue<>() {
        @Override
        protected Deque<PersistentClass<?>> computeValue(Class<?> type) {
            return new ConcurrentLinkedDeque<>();
        }
    };

    /**
     * Creates the proxy of an existing object by calling {@link PersistentObject#PersistentObject(Heap, long)} with the given
     * arguments.
     */
    @FunctionalInterface
    public interface Resurrector<T> {
        T resurrect(Heap heap, long offset);
    }

    private final Class<T> type;
    private final Resurrector<T> resurrector;
    private final ClassDescriptor descriptor;
    private final Set<String> dropped;
    private final boolean recovering;
    /** The order of a class of sorted maps, otherwise null. */
    private RawObjects.KeyOrder keyOrder;
    private final Map<String, Integer> offsets = new LinkedHashMap<>();

    private PersistentClass(Class<T> type, Resurrector<T> resurrector, ClassDescriptor descriptor, Set<String> dropped) {
        this.type = type;
        this.resurrector = resurrector;
        this.descriptor = descriptor;
        this.dropped = dropped;
        this.recovering = overridesRecover(type);
        descriptor.fields().forEach(field -> offsets.put(field.name(), field.offset()));
        OF_CLASS.get(type).addFirst(this);
        ClassLookup.defined(type, descriptor.formerNames());
    }

    private static boolean overridesRecover(Class<?> type) {
        // A definition may belong to a class that is not a proxy itself.
        boolean proxy = PersistentObject.class.isAssignableFrom(type);
        for (Class<?> c = type; proxy && c != PersistentObject.class; c = c.getSuperclass()) {
            if (Arrays.stream(c.getDeclaredMethods())
                    .anyMatch(m -> m.getName().equals("recover") && m.getParameterCount() == 0)) {
                return true;
            }
        }
        return false;
    }

    public static <T extends PersistentObject> Builder<T> of(Class<T> type, Resurrector<T> resurrector) {
        return new Builder<>(type, resurrector);
    }

    /** Defines an array class, which has a length of 8 bytes at offset 0 and then references. */
    public static <T extends PersistentObject> PersistentClass<T> references(Class<T> type, Resurrector<T> resurrector) {
        return ofKind(type, resurrector, Kind.REFERENCES);
    }

    /** Defines a class whose objects have any size and no references. */
    public static <T extends PersistentObject> PersistentClass<T> bytes(Class<T> type, Resurrector<T> resurrector) {
        return ofKind(type, resurrector, Kind.BYTES);
    }

    private static <T extends PersistentObject> PersistentClass<T> ofKind(Class<T> type, Resurrector<T> resurrector, Kind kind) {
        ClassDescriptor descriptor = new ClassDescriptor(type.getName(), List.of(), kind, 0, List.of());
        return new PersistentClass<>(type, resurrector, descriptor, Set.of());
    }

    /**
     * The definition for a class of a heap. It has the same name, or declares this name as a former one. In a program older than
     * the heap, it may have one of the former names in the heap. Null if the program has none.
     */
    static PersistentClass<?> find(ClassDescriptor inHeap, ClassLookup lookup) {
        Class<?> type = type(inHeap, lookup, true);
        if (type == null) {
            return null;
        }
        ClassLookup.initialize(type);
        return of(type);
    }

    /** Like {@link #find}, but initializes no class, and is null for one that is not initialized yet. */
    static PersistentClass<?> known(ClassDescriptor inHeap, ClassLookup lookup) {
        Class<?> type = type(inHeap, lookup, false);
        return type == null ? null : of(type);
    }

    private static Class<?> type(ClassDescriptor inHeap, ClassLookup lookup, boolean initializing) {
        return KeyOrders.describesNoClass(inHeap) ? null : lookup.find(wanted(inHeap, initializing));
    }

    static ClassLookup.Wanted wanted(ClassDescriptor inHeap, boolean initializing) {
        return new ClassLookup.Wanted(inHeap.name(), inHeap.formerNames(), PersistentClass::canBeInHeap, initializing);
    }

    /**
     * The definition of the objects of exactly this class, which must be initialized, or null if it has none. The transformation also
     * defines abstract classes, because their subclasses have the fields.
     */
    static PersistentClass<?> of(Class<?> type) {
        boolean isBase = Modifier.isAbstract(type.getModifiers()) && TransformedObject.class.isAssignableFrom(type);
        return isBase ? null : OF_CLASS.get(type).peekFirst();
    }

    /** Whether objects of this class can be in a heap. A heap file may name any class, and must not cause its initialization. */
    private static boolean canBeInHeap(Class<?> type) {
        return of(type) != null || PersistentObject.class.isAssignableFrom(type) || type.isRecord() && isPersistent(type);
    }

    /** Whether a record is annotated, or was listed for the transformation and marked by it. */
    private static boolean isPersistent(Class<?> type) {
        return type.isAnnotationPresent(Persistent.class)
                || Arrays.stream(type.getDeclaredFields()).anyMatch(field -> field.getName().equals(TRANSFORMED));
    }

    public Class<T> type() {
        return type;
    }

    /** Offset of a field, for the accessors of {@link PersistentObject}. */
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

    /** The difference between a class of a heap and this definition. */
    ClassChange changeOf(ClassDescriptor inHeap) {
        return new ClassChange(inHeap, descriptor, dropped);
    }

    /** Whether the objects of a class of a heap already have the fields of this definition. Names may differ. */
    boolean fits(ClassDescriptor inHeap) {
        try {
            return changeOf(inHeap).keepsObjects();
        } catch (HeapException e) {
            return false;
        }
    }

    /** Whether objects override {@code recover()}. */
    boolean isRecovering() {
        return recovering;
    }

    void setKeyOrder(RawObjects.KeyOrder order) {
        keyOrder = order;
    }

    /** The order of a class of sorted maps. It is set once a proxy exists. */
    RawObjects.KeyOrder keyOrder() {
        return keyOrder;
    }

    T resurrect(Heap heap, long offset) {
        T proxy = resurrector.resurrect(heap, offset);
        proxy.resurrect();
        return proxy;
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
        private final Set<String> otherNames = new HashSet<>();
        private Set<String> dropped = Set.of();
        private List<String> formerClassNames = List.of();
        private int bytes;

        private Builder(Class<T> type, Resurrector<T> resurrector) {
            this.type = type;
            this.resurrector = resurrector;
        }

        /**
         * Adds a field. If a heap does not have the field yet, its value is 0 or null in existing objects.
         *
         * @param formerNames names of the field in older programs. If the heap has one of them, the field takes its values
         */
        public Builder<T> field(String name, FieldType fieldType, String... formerNames) {
            checkName(name);
            if (fields.stream().anyMatch(f -> f.name().equals(name))) {
                throw new IllegalArgumentException(type.getName() + " has two persistent fields " + name);
            }
            addOtherNames(formerNames);
            int offset = (bytes + fieldType.bytes() - 1) / fieldType.bytes() * fieldType.bytes();
            fields.add(new Field(name, fieldType, offset, List.of(formerNames)));
            bytes = offset + fieldType.bytes();
            return this;
        }

        /** Former names of the class. A class of a heap with one of these names is this class. */
        public Builder<T> formerly(String... formerClassNames) {
            this.formerClassNames = List.of(formerClassNames);
            this.formerClassNames.forEach(Builder::checkName);
            return this;
        }

        /**
         * Fields of older programs whose values are discarded. Otherwise a heap keeps the values of a field that a program does not
         * define, for a program that defines it again.
         */
        public Builder<T> dropped(String... fieldNames) {
            addOtherNames(fieldNames);
            dropped = Set.of(fieldNames);
            return this;
        }

        private void addOtherNames(String... names) {
            for (String name : names) {
                if (!otherNames.add(checkName(name))) {
                    throw new IllegalArgumentException(type.getName() + " names the former field " + name + " twice");
                }
            }
        }

        private static String checkName(String name) {
            if (name.isEmpty() || name.startsWith("*") || name.chars().anyMatch(Character::isWhitespace)) {
                throw new IllegalArgumentException("a name has no white space, and no * at its start: \"" + name + "\"");
            }
            return name;
        }

        /** @throws IllegalArgumentException if a field has the former name of another, because the heap's field would match both */
        public PersistentClass<T> build() {
            for (Field field : fields) {
                if (otherNames.contains(field.name())) {
                    throw new IllegalArgumentException(type.getName() + " has a field " + field.name()
                            + ", which it also names as a former one");
                }
            }
            if (bytes > ClassDescriptor.MAX_BYTES) {
                throw new IllegalArgumentException(type.getName() + " has " + bytes + " bytes of fields, and may have "
                        + ClassDescriptor.MAX_BYTES);
            }
            return new PersistentClass<>(type, resurrector,
                    new ClassDescriptor(type.getName(), formerClassNames, Kind.OBJECT, bytes, List.copyOf(fields)), dropped);
        }
    }
}
