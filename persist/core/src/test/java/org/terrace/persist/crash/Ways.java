// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.terrace.persist.Cell;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.Isolation;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentIntArray;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentSkipListSet;
import org.terrace.persist.types.PersistentString;
import org.terrace.persist.types.PersistentTreeMap;
import org.terrace.persist.types.PersistentTreeSet;

/** Ways to create an object, to reference it from other unreachable objects, and to store a reference that makes it reachable. */
final class Ways {

    /** The object that is created. */
    enum Made {
        LIST, ARRAY, DEQUE, HASH_MAP, TREE_MAP, SKIP_LIST_MAP, HASH_SET, TREE_SET, SKIP_LIST_SET, CELL, CHAIN, HOLDER, STRING, BYTES,
        INTS;

        PersistentObject make(Heap heap) {
            return switch (this) {
                case LIST -> new PersistentList<Object>(heap);
                case ARRAY -> new PersistentArray<Object>(heap, 40);
                case DEQUE -> new PersistentDeque<Object>(heap);
                case HASH_MAP -> new PersistentHashMap<Object, Object>(heap);
                case TREE_MAP -> new PersistentTreeMap<Object, Object>(heap);
                case SKIP_LIST_MAP -> new PersistentSkipListMap<Object, Object>(heap);
                case HASH_SET -> new PersistentHashSet<Object>(heap);
                case TREE_SET -> new PersistentTreeSet<Object>(heap);
                case SKIP_LIST_SET -> new PersistentSkipListSet<Object>(heap);
                case CELL -> cell(heap, 5);
                case CHAIN -> chain(heap);
                case HOLDER -> new Holder(heap);
                case STRING -> new PersistentString(heap, "a string that is longer than what an entry holds");
                case BYTES -> new PersistentByteArray(heap, new byte[] {3, 1, 4, 1, 5, 9, 2, 6});
                case INTS -> ints(heap);
            };
        }

        /** Makes stores after the constructor. If the object is created outside of blocks, these are outside too. */
        private static Cell cell(Heap heap, int value) {
            Cell cell = new Cell(heap, value, null);
            cell.small(value + 1);
            cell.flag(true);
            return cell;
        }

        private static Cell chain(Heap heap) {
            Cell first = null;
            for (int i = 0; i < 30; i++) {
                Cell next = first;
                first = cell(heap, i);
                first.next(next);
                first.other(i % 10 == 0 ? new PersistentList<Object>(heap) : null);
            }
            return first;
        }

        private static PersistentIntArray ints(Heap heap) {
            PersistentIntArray ints = new PersistentIntArray(heap, 300);
            for (int i = 0; i < 300; i++) {
                ints.set(i, i * i);
            }
            return ints;
        }
    }

    /** A class of a program with a field initializer. */
    static final class Holder extends PersistentObject {
        static final PersistentClass<Holder> CLASS = PersistentClass.of(Holder.class, Holder::new)
                .field("notes", FieldType.REFERENCE).field("number", FieldType.INT).build();

        Holder(Heap heap) {
            super(CLASS, heap);
            setReference(CLASS.offset("notes"), new PersistentList<Object>(heap));
            setInt(CLASS.offset("number"), 11);
        }

        private Holder(Heap heap, long offset) {
            super(heap, offset);
        }

        @SuppressWarnings("unchecked")
        PersistentList<Object> notes() {
            return (PersistentList<Object>) getReference(CLASS.offset("notes"));
        }

        int number() {
            return getInt(CLASS.offset("number"));
        }
    }

    /** Where the object is created. */
    enum Place {
        OUTSIDE, IN_A_BLOCK, IN_THE_BLOCK_OF_THE_STORE, IN_A_CALLERS_BLOCK;
    }

    /** The object that holds it when the reference is stored, at most three levels deep. */
    enum Held {
        BARE, IN_LIST, THREE_DEEP, IN_CELL, IN_CIRCLE;

        PersistentObject hold(Heap heap, PersistentObject made) {
            switch (this) {
                case IN_LIST -> {
                    PersistentList<Object> list = new PersistentList<>(heap);
                    list.add(made);
                    return list;
                }
                case THREE_DEEP -> {
                    PersistentDeque<Object> deque = new PersistentDeque<>(heap);
                    deque.add(made);
                    PersistentHashMap<Object, Object> map = new PersistentHashMap<>(heap);
                    map.put("deque", Optional.of(deque));
                    PersistentArray<Object> array = new PersistentArray<>(heap, 3);
                    array.set(1, map);
                    return array;
                }
                case IN_CELL, IN_CIRCLE -> {
                    Cell cell = new Cell(heap, 8, new Cell(heap, 9, null));
                    cell.next().other(made);
                    cell.next().next(this == IN_CIRCLE ? cell : null);
                    return cell;
                }
                default -> {
                    return made;
                }
            }
        }

        Object made(Object holding) {
            return switch (this) {
                case BARE -> holding;
                case IN_LIST -> ((List<?>) holding).get(0);
                case THREE_DEEP -> ((Deque<?>) ((Optional<?>) ((Map<?, ?>) ((PersistentArray<?>) holding).get(1)).get("deque"))
                        .orElseThrow()).getFirst();
                case IN_CELL, IN_CIRCLE -> ((Cell) holding).next().other();
            };
        }
    }

    /** How the reference is stored. {@link #prepare} creates the container before. */
    enum Stored {
        ROOT(null, (c, o) -> null, c -> null),
        SUPPLIER(null, (c, o) -> null, c -> null),
        FIELD(Stored::cell, (c, o) -> run(() -> ((Cell) c).other(o)), c -> ((Cell) c).other()),
        FIELD_IN_A_BLOCK(Stored::cell, (c, o) -> run(() -> ((Cell) c).heap().atomic(() -> ((Cell) c).other(o))), c -> ((Cell) c).other()),
        UPDATED_FIELD(Stored::cell, (c, o) -> run(() -> ((Cell) c).updateOther(o)), c -> ((Cell) c).other()),
        UPDATED_AND_FREED_FIELD(Stored::cell, (c, o) -> run(() -> ((Cell) c).updateOtherAndFree(o)), c -> ((Cell) c).other()),
        ARRAY(h -> new PersistentArray<>(h, 3), (c, o) -> Ways.<PersistentArray<Object>>cast(c).set(2, o),
                c -> ((PersistentArray<?>) c).get(2)),
        LIST_ADD(PersistentList::new, (c, o) -> list(c).add(o), Stored::last),
        LIST_INSERT(PersistentList::new, (c, o) -> run(() -> list(c).add(0, o)), Stored::last),
        LIST_SET(Stored::listOfOne, (c, o) -> list(c).set(0, o), Stored::last),
        LIST_ADD_ALL(PersistentList::new, (c, o) -> list(c).addAll(List.of("x", o)), Stored::last),
        LIST_REPLACE_ALL(Stored::listOfOne, (c, o) -> run(() -> list(c).replaceAll(e -> o)), Stored::last),
        LIST_ITERATOR(PersistentList::new, (c, o) -> run(() -> list(c).listIterator().add(o)), Stored::last),
        LIST_ITERATOR_SET(Stored::listOfOne, (c, o) -> run(() -> {
            ListIterator<Object> i = list(c).listIterator();
            i.next();
            i.set(o);
        }), Stored::last),
        SUB_LIST(Stored::listOfOne, (c, o) -> list(c).subList(0, 1).add(o), Stored::last),
        DEQUE_FIRST(PersistentDeque::new, (c, o) -> run(() -> deque(c).addFirst(o)), c -> deque(c).getFirst()),
        DEQUE_LAST(PersistentDeque::new, (c, o) -> run(() -> deque(c).offerLast(o)), c -> deque(c).getFirst()),
        HASH_MAP_PUT(PersistentHashMap::new, (c, o) -> map(c).put("k", o), c -> map(c).get("k")),
        HASH_MAP_REPLACE(Stored::mapOfOne, (c, o) -> map(c).put("k", o), c -> map(c).get("k")),
        HASH_MAP_PUT_IF_ABSENT(PersistentHashMap::new, (c, o) -> map(c).putIfAbsent("k", o), c -> map(c).get("k")),
        HASH_MAP_COMPUTE(PersistentHashMap::new, (c, o) -> map(c).computeIfAbsent("k", k -> o), c -> map(c).get("k")),
        HASH_MAP_MERGE(Stored::mapOfOne, (c, o) -> map(c).merge("k", "x", (a, b) -> o), c -> map(c).get("k")),
        HASH_MAP_PUT_ALL(PersistentHashMap::new, (c, o) -> run(() -> map(c).putAll(Map.of("k", o))), c -> map(c).get("k")),
        HASH_MAP_REPLACE_ALL(Stored::mapOfOne, (c, o) -> run(() -> map(c).replaceAll((k, v) -> o)), c -> map(c).get("k")),
        HASH_MAP_ENTRY(Stored::mapOfOne, (c, o) -> map(c).entrySet().iterator().next().setValue(o), c -> map(c).get("k")),
        HASH_MAP_KEY(PersistentHashMap::new, (c, o) -> map(c).put(o, 1), c -> map(c).keySet().iterator().next()),
        HASH_MAP_OPTIONAL(PersistentHashMap::new, (c, o) -> map(c).put("k", Optional.of(Optional.of(o))),
                c -> map(c).get("k") instanceof Optional<?> o ? ((Optional<?>) o.get()).get() : null),
        TREE_MAP_PUT(PersistentTreeMap::new, (c, o) -> map(c).put("k", o), c -> map(c).get("k")),
        TREE_MAP_KEY(PersistentTreeMap::new, (c, o) -> map(c).put(o, 1), c -> map(c).keySet().iterator().next()),
        SKIP_LIST_MAP_PUT(PersistentSkipListMap::new, (c, o) -> map(c).put("k", o), c -> map(c).get("k")),
        SKIP_LIST_MAP_KEY(PersistentSkipListMap::new, (c, o) -> map(c).put(o, 1), c -> map(c).keySet().iterator().next()),
        HASH_SET(PersistentHashSet::new, (c, o) -> set(c).add(o), c -> set(c).iterator().next()),
        TREE_SET(PersistentTreeSet::new, (c, o) -> set(c).add(o), c -> set(c).iterator().next()),
        SKIP_LIST_SET(PersistentSkipListSet::new, (c, o) -> set(c).add(o), c -> set(c).iterator().next());

        private final java.util.function.Function<Heap, PersistentObject> container;
        private final BiFunction<PersistentObject, PersistentObject, Object> store;
        private final java.util.function.Function<PersistentObject, Object> load;

        Stored(java.util.function.Function<Heap, PersistentObject> container,
                BiFunction<PersistentObject, PersistentObject, Object> store,
                java.util.function.Function<PersistentObject, Object> load) {
            this.container = container;
            this.store = store;
            this.load = load;
        }

        private static PersistentObject cell(Heap heap) {
            return new Cell(heap, 1, null);
        }

        private static PersistentObject listOfOne(Heap heap) {
            PersistentList<Object> list = new PersistentList<>(heap);
            list.add("an element that goes");
            return list;
        }

        private static PersistentObject mapOfOne(Heap heap) {
            PersistentHashMap<Object, Object> map = new PersistentHashMap<>(heap);
            map.put("k", 1);
            return map;
        }

        private static Object run(Runnable store) {
            store.run();
            return null;
        }

        private static List<Object> list(PersistentObject container) {
            return cast(container);
        }

        private static Object last(PersistentObject list) {
            return list(list).get(list(list).size() - 1);
        }

        private static Deque<Object> deque(PersistentObject container) {
            return cast(container);
        }

        private static Map<Object, Object> map(PersistentObject container) {
            return cast(container);
        }

        private static Set<Object> set(PersistentObject container) {
            return cast(container);
        }

        /** A key must not change, and must be ordered if the collection requires it. */
        boolean takes(Made made, Held held) {
            return switch (this) {
                case TREE_MAP_KEY, SKIP_LIST_MAP_KEY, TREE_SET, SKIP_LIST_SET -> made == Made.STRING && held == Held.BARE;
                case HASH_MAP_KEY, HASH_SET -> held == Held.IN_CELL || held == Held.BARE && made.compareTo(Made.CELL) >= 0;
                default -> true;
            };
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T cast(Object object) {
        return (T) object;
    }

    /** A combination of one choice of each kind. */
    record Way(Made made, Place place, Held held, Stored stored) {
        static Way random(Random random) {
            while (true) {
                Way way = new Way(any(random, Made.values()), any(random, Place.values()), any(random, Held.values()),
                        any(random, Stored.values()));
                if (way.isPossible()) {
                    return way;
                }
            }
        }

        /** All combinations, or a sample that the seed selects. */
        static List<Way> chosen(int number, long seed) {
            List<Way> all = new ArrayList<>();
            for (Made made : Made.values()) {
                for (Place place : Place.values()) {
                    for (Held held : Held.values()) {
                        for (Stored stored : Stored.values()) {
                            all.add(new Way(made, place, held, stored));
                        }
                    }
                }
            }
            all.removeIf(way -> !way.isPossible());
            int chosen = Math.min(number, all.size());
            System.out.println("ways to store: " + chosen + " of " + all.size());
            Collections.shuffle(all, new Random(seed));
            return all.subList(0, chosen);
        }

        private static <T> T any(Random random, T[] values) {
            return values[random.nextInt(values.length)];
        }

        boolean isPossible() {
            return stored.takes(made, held);
        }

        /** Outside of blocks, {@code updateReference} only queues the reference for the program's fence. */
        boolean needsFence() {
            return stored == Stored.UPDATED_FIELD;
        }

        void prepare(Heap heap, String name) {
            if (stored.container != null) {
                heap.atomic(() -> heap.setRoot(name, stored.container.apply(heap)));
            }
        }

        /**
         * Creates the object and stores the reference. It becomes durable with the next block or, with explicit persistence, the
         * next fence.
         */
        void make(Heap heap, String name) {
            Supplier<PersistentObject> make = () -> held.hold(heap, made.make(heap));
            switch (place) {
                case OUTSIDE -> store(heap, name, make.get());
                case IN_A_BLOCK -> store(heap, name, heap.atomic(make));
                case IN_A_CALLERS_BLOCK -> store(heap, name, heap.atomic(Isolation.CALLER, make));
                case IN_THE_BLOCK_OF_THE_STORE -> heap.atomic(() -> store(heap, name, make.get()));
            }
        }

        private void store(Heap heap, String name, PersistentObject object) {
            switch (stored) {
                case ROOT -> heap.setRoot(name, object);
                case SUPPLIER -> heap.root(name, PersistentObject.class, () -> object);
                default -> stored.store.apply(heap.root(name, PersistentObject.class), object);
            }
        }

        private Object found(Heap heap, String name) {
            PersistentObject root = heap.root(name, PersistentObject.class);
            Object holding = stored.container == null ? root : stored.load.apply(root);
            return holding instanceof PersistentObject ? held.made(holding) : null;
        }

        /** Changes the object in a separate block. */
        void change(Heap heap, String name, int number) {
            Object object = found(heap, name);
            String value = "acknowledged value " + number;
            if (object instanceof PersistentArray<?> array) {
                Ways.<PersistentArray<Object>>cast(array).set(number % 40, value);
            } else if (object instanceof Map<?, ?> map) {
                Ways.<Map<Object, Object>>cast(map).put(number, value);
            } else if (object instanceof Collection<?> collection) {
                Ways.<Collection<Object>>cast(collection).add(value);
            } else if (object instanceof Cell cell) {
                heap.atomic(() -> cell.value(cell.value() + number));
            } else if (object instanceof Holder holder) {
                holder.notes().add(value);
            } else {
                heap.psync();
            }
        }

        String show(Heap heap, String name) {
            try {
                return Ways.show(found(heap, name));
            } catch (java.util.NoSuchElementException | IndexOutOfBoundsException e) {
                return "nothing";
            }
        }
    }

    private Ways() {
    }

    private static String show(Object object) {
        if (object instanceof PersistentByteArray bytes) {
            return java.util.Arrays.toString(bytes.toArray());
        } else if (object instanceof PersistentIntArray ints) {
            long sum = 0;
            for (int i = 0; i < ints.length(); i++) {
                sum = 31 * sum + ints.get(i);
            }
            return "ints " + sum;
        } else if (object instanceof Holder holder) {
            return holder.number() + " " + holder.notes();
        } else if (object instanceof Cell cell) {
            StringJoiner text = new StringJoiner(", ");
            for (Cell c = cell; c != null; c = c.next()) {
                text.add(c.value() + "/" + c.small() + "/" + c.flag() + "/" + c.other());
            }
            return text.toString();
        }
        return String.valueOf(object);
    }
}
