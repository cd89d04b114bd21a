// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.terrace.persist.Cell;
import org.terrace.persist.Durability;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.evolution.Thing;
import org.terrace.persist.types.Bytes;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentDoubleArray;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentIntArray;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentLongArray;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentSkipListSet;
import org.terrace.persist.types.PersistentString;
import org.terrace.persist.types.PersistentTreeMap;
import org.terrace.persist.types.PersistentTreeSet;
import org.terrace.persist.types.Records;

/** A heap with objects of all kinds, and a model of it in the Java heap. Both are converted to one text for each root. */
final class DamageSubject {
    static final HeapOptions OPTIONS = Internals.withoutBackground(HeapBytes.OPTIONS.logSize(256 << 10))
            .classes(Cell.class, Thing.class, Point.class);
    private static final int COMMITS = 12;
    private static final int MAX_CHAIN = 1000;
    private static final int LARGE_BYTES = 60_000;
    private static final Thing.Version NEWEST = newest();

    private final Random random;
    /** The contents of the roots, as texts or as values of {@code java.util}. */
    private final Map<String, Object> model = new TreeMap<>();

    record Point(int x, String name, Optional<String> more) {
        static {
            Records.define(MethodHandles.lookup());
        }
    }

    /** A text that represents a value of a class that the model lacks. */
    private record Text(String text) {
    }

    private DamageSubject(long seed) {
        this.random = new Random(seed);
    }

    private static Thing.Version newest() {
        return Thing.define(b -> b.field("added", FieldType.LONG).field("a", FieldType.LONG).field("name", FieldType.REFERENCE));
    }

    /**
     * Creates a closed heap.
     *
     * @return its contents
     */
    static List<Map<String, String>> close(Path file, long seed) {
        DamageSubject subject = new DamageSubject(seed);
        subject.evolve(file);
        try (Heap heap = Heap.open(file, OPTIONS)) {
            subject.fill(heap);
        }
        return List.of(subject.state());
    }

    /**
     * Creates the state that a kill leaves, by copying a heap while it is open. The last commits are only in the log.
     *
     * @return the contents after each of these commits, starting with the first, in the order in which they become durable
     */
    static List<Map<String, String>> kill(Path file, Durability level, long seed) throws IOException {
        DamageSubject subject = new DamageSubject(seed);
        Path live = file.resolveSibling(file.getFileName() + ".live");
        subject.evolve(live);
        List<Map<String, String>> states = new ArrayList<>();
        try (Heap heap = Heap.open(live, OPTIONS.durability(level))) {
            subject.fill(heap);
            heap.checkpoint();
            states.add(subject.state());
            for (int i = 0; i < COMMITS; i++) {
                subject.change(heap);
                states.add(subject.state());
            }
            new HeapBytes(live).writeTo(file);
        }
        return states;
    }

    static void save(List<Map<String, String>> states, Path file) throws IOException {
        try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(file))) {
            out.writeObject(new ArrayList<>(states));
        }
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, String>> load(Path file) throws IOException {
        try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(file))) {
            return (List<Map<String, String>>) in.readObject();
        } catch (ClassNotFoundException e) {
            throw new IOException(e);
        }
    }

    private Map<String, String> state() {
        Map<String, String> state = new TreeMap<>();
        model.forEach((name, value) -> state.put(name, text(value)));
        return state;
    }

    /** The contents of all roots, read by the library's own methods. */
    static Map<String, String> read(Heap heap, Set<String> roots) {
        Map<String, String> state = new TreeMap<>();
        for (String name : roots) {
            state.put(name, heap.read(() -> text(heap.root(name, PersistentObject.class))));
        }
        return state;
    }

    /** Creates a heap of an older program, whose objects the next opening converts. */
    private void evolve(Path file) {
        Thing.Version old = Thing.define(b -> b.field("a", FieldType.INT).field("name", FieldType.REFERENCE));
        try (Heap heap = Heap.open(file, OPTIONS)) {
            heap.atomic(() -> {
                PersistentArray<Thing> things = new PersistentArray<>(heap, 20);
                List<Object> texts = new ArrayList<>();
                for (int i = 0; i < things.size(); i++) {
                    Thing thing = old.create(heap);
                    old.set(thing, "a", i * 1000);
                    old.set(thing, "name", new PersistentString(heap, "thing " + i));
                    things.set(i, thing);
                    texts.add(new Text("thing " + i * 1000L + " \"thing " + i + "\" 0"));
                }
                heap.setRoot("things", things);
                model.put("things", texts);
            });
        }
        newest();
    }

    private void put(Heap heap, String name, PersistentObject object, Object value) {
        heap.setRoot(name, object);
        model.put(name, value);
    }

    private void fill(Heap heap) {
        heap.atomic(() -> {
            byte[] bytes = new byte[5000];
            byte[] large = new byte[LARGE_BYTES];
            random.nextBytes(bytes);
            random.nextBytes(large);
            int[] ints = random.ints(100).toArray();
            long[] longs = random.longs(40).toArray();
            double[] doubles = random.doubles(300).toArray();
            put(heap, "bytes", new PersistentByteArray(heap, bytes), bytes);
            put(heap, "large", new PersistentByteArray(heap, large), large);
            put(heap, "ints", new PersistentIntArray(heap, ints), ints);
            put(heap, "longs", new PersistentLongArray(heap, longs), longs);
            put(heap, "doubles", new PersistentDoubleArray(heap, doubles), doubles);
            put(heap, "string", new PersistentString(heap, "a string, " + random.nextInt()), "a string, ");
            model.put("string", heap.root("string", PersistentString.class).toString());
            put(heap, "wide", new PersistentString(heap, "\u4e00\ud83d\ude00 wide"), "\u4e00\ud83d\ude00 wide");
            fillCollections(heap);
        });
        for (int i = 0; i < 200; i++) {
            change(heap);
        }
    }

    private void fillCollections(Heap heap) {
        put(heap, "list", new PersistentList<>(heap), new ArrayList<>());
        put(heap, "array", new PersistentArray<>(heap, 50), new ArrayList<>(Collections.nCopies(50, null)));
        put(heap, "deque", new PersistentDeque<>(heap), new ArrayDeque<>());
        put(heap, "map", new PersistentHashMap<>(heap), new HashMap<>());
        put(heap, "numbers", new PersistentHashMap<>(heap), new HashMap<>());
        put(heap, "set", new PersistentHashSet<>(heap), new HashSet<>());
        put(heap, "tree", new PersistentTreeMap<>(heap), new TreeMap<>());
        put(heap, "skip", new PersistentSkipListMap<>(heap), new TreeMap<>());
        put(heap, "tree set", new PersistentTreeSet<>(heap), new TreeSet<>());
        put(heap, "skip set", new PersistentSkipListSet<>(heap), new TreeSet<>());
        put(heap, "cells", null, new ArrayDeque<>());
        for (int i = 0; i < 150; i++) {
            changeCollections(heap);
        }
    }

    /** Makes one commit with changes. */
    private void change(Heap heap) {
        heap.atomic(() -> changeCollections(heap));
    }

    @SuppressWarnings("unchecked")
    private <T> T both(Heap heap, String name, boolean ofModel) {
        Object value = ofModel ? model.get(name) : heap.root(name, PersistentObject.class);
        if (value == null) {
            throw new HeapException("there is no root " + name);
        }
        return (T) value;
    }

    private void changeCollections(Heap heap) {
        int kind = random.nextInt(10);
        Object value = value();
        String key = "key " + random.nextInt(150) + (random.nextInt(3) > 0 ? " that is a string of its own" : "");
        int number = random.nextInt(1000);
        if (kind == 0) {
            prependCell(heap, number, value instanceof byte[] ? null : number % 2 == 0 ? "text " + number : null);
        }
        for (boolean ofModel : new boolean[] {false, true}) {
            switch (kind) {
                case 0 -> {
                    if (ofModel) {
                        this.<List<Object>>both(heap, "array", true).set(number % 50, value);
                    } else {
                        this.<PersistentArray<Object>>both(heap, "array", false).set(number % 50, value);
                    }
                }
                case 1, 2 -> this.<List<Object>>both(heap, "list", ofModel).add(value);
                case 3 -> {
                    Deque<Object> deque = both(heap, "deque", ofModel);
                    if (number % 3 == 0 && !deque.isEmpty()) {
                        deque.pollFirst();
                    } else {
                        deque.addLast(number);
                        deque.addFirst("element " + number);
                    }
                }
                case 4 -> this.<Map<Object, Object>>both(heap, "map", ofModel).put(key, value);
                case 5 -> {
                    Map<Long, Object> numbers = both(heap, "numbers", ofModel);
                    numbers.put((long) number, number * 3);
                    numbers.remove(number - 1L);
                }
                case 6 -> {
                    this.<Set<Object>>both(heap, "set", ofModel).add(key);
                    this.<Map<Object, Object>>both(heap, "map", ofModel).remove(key);
                }
                case 7 -> this.<Map<String, Object>>both(heap, "tree", ofModel).put(key, value);
                case 8 -> {
                    this.<Map<Integer, Object>>both(heap, "skip", ofModel).put(number, value);
                    this.<Map<Integer, Object>>both(heap, "skip", ofModel).remove(number + 1);
                }
                default -> {
                    this.<Set<String>>both(heap, "tree set", ofModel).add(key);
                    this.<Set<Integer>>both(heap, "skip set", ofModel).add(number);
                }
            }
        }
    }

    private void prependCell(Heap heap, int number, String other) {
        Cell cell = new Cell(heap, number, heap.root("cells", Cell.class));
        cell.small(number / 2);
        cell.flag(number % 2 == 0);
        cell.other(other == null ? null : new PersistentString(heap, other));
        heap.setRoot("cells", cell);
        this.<Deque<Object>>both(heap, "cells", true)
                .addFirst(new Text(number + " " + number / 2 + " " + (number % 2 == 0) + " " + text(other)));
    }

    private Object value() {
        int number = random.nextInt(100_000);
        return switch (random.nextInt(14)) {
            case 0 -> null;
            case 1 -> number;
            case 2 -> (long) number << 20;
            case 3 -> number / 7.0;
            case 4 -> "short" + number % 1000;
            case 5 -> "a string that has to be a copy of its own, " + number;
            case 6 -> "\u4e01 wide " + number;
            case 7 -> Instant.ofEpochSecond(number, 5);
            case 8 -> new UUID(number, 7);
            case 9 -> BigInteger.valueOf(number).pow(5);
            case 10 -> new BigDecimal(BigInteger.valueOf(number), 3);
            case 11 -> TimeUnit.values()[number % 7];
            case 12 -> Optional.of("in an optional " + number);
            default -> number % 2 == 0 ? new Point(number, "point", Optional.of("more")) : Bytes.copyOf(new byte[number % 300]);
        };
    }

    /** Converts a persistent object or the corresponding object of the model to the same text. Also checks that its methods agree. */
    private static String text(Object value) {
        if (value instanceof byte[] b) {
            return "bytes " + Arrays.hashCode(b) + " " + b.length;
        } else if (value instanceof PersistentByteArray b) {
            return text(b.toArray());
        } else if (value instanceof int[] a) {
            return "ints " + Arrays.toString(a);
        } else if (value instanceof PersistentIntArray a) {
            return text(a.toArray());
        } else if (value instanceof long[] a) {
            return "longs " + Arrays.toString(a);
        } else if (value instanceof PersistentLongArray a) {
            return text(a.toArray());
        } else if (value instanceof double[] a) {
            return "doubles " + Arrays.toString(a);
        } else if (value instanceof PersistentDoubleArray a) {
            return text(a.toArray());
        } else if (value instanceof String || value instanceof PersistentString) {
            return '"' + value.toString() + '"';
        } else if (value instanceof Text t) {
            return t.text;
        } else if (value instanceof Thing thing) {
            return "thing " + NEWEST.get(thing, "a") + " " + text(NEWEST.get(thing, "name")) + " " + NEWEST.get(thing, "added");
        } else if (value instanceof Cell cell) {
            return text(cells(cell));
        } else if (value instanceof Map<?, ?> map) {
            return text(map);
        } else if (value instanceof Collection<?> collection) {
            return text(collection);
        }
        return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
    }

    private static List<Object> cells(Cell first) {
        List<Object> cells = new ArrayList<>();
        for (Cell c = first; c != null && cells.size() < MAX_CHAIN; c = c.next()) {
            cells.add(new Text(c.value() + " " + c.small() + " " + c.flag() + " " + text(c.other())));
        }
        return cells;
    }

    private static String text(Map<?, ?> map) {
        List<String> texts = new ArrayList<>();
        List<Object> keys = new ArrayList<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            String value = text(entry.getValue());
            keys.add(entry.getKey());
            texts.add(text(entry.getKey()) + "=" + value);
            // Only damage can create a null key in a sorted map.
            boolean isKey = entry.getKey() != null || !(map instanceof NavigableMap);
            if (!isKey || !map.containsKey(entry.getKey()) || !text(map.get(entry.getKey())).equals(value)) {
                texts.add(text(entry.getKey()) + " is not found");
            }
        }
        if (map instanceof NavigableMap<?, ?> sorted) {
            checkOrder(sorted.navigableKeySet(), keys, texts);
        } else {
            Collections.sort(texts);
        }
        return "map of " + map.size() + " " + texts;
    }

    private static String text(Collection<?> collection) {
        List<String> texts = new ArrayList<>();
        List<Object> elements = new ArrayList<>();
        for (Object element : collection) {
            elements.add(element);
            texts.add(text(element));
            boolean isElement = element != null || !(collection instanceof NavigableSet);
            if (!isElement || collection instanceof Set<?> && !collection.contains(element)) {
                texts.add(text(element) + " is not found");
            }
        }
        if (collection instanceof NavigableSet<?> sorted) {
            checkOrder(sorted, elements, texts);
        } else if (collection instanceof Set) {
            Collections.sort(texts);
        } else if (collection instanceof Deque<?> deque) {
            compare(deque.descendingIterator(), elements, texts);
        }
        if (collection.toArray().length != elements.size()) {
            texts.add("as an array it has other elements");
        }
        return "collection of " + collection.size() + " " + texts;
    }

    @SuppressWarnings("unchecked")
    private static void checkOrder(NavigableSet<?> set, List<Object> elements, List<String> texts) {
        compare(set.descendingIterator(), elements, texts);
        for (int i = 1; i < elements.size() && !elements.contains(null); i++) {
            if (!elements.get(i - 1).equals(((NavigableSet<Object>) set).lower(elements.get(i)))) {
                texts.add(text(elements.get(i)) + " is out of order");
            }
        }
    }

    private static void compare(Iterator<?> backwards, List<Object> elements, List<String> texts) {
        for (int i = elements.size() - 1; i >= 0; i--) {
            if (!backwards.hasNext() || !text(backwards.next()).equals(text(elements.get(i)))) {
                texts.add("backwards it has other elements");
                return;
            }
        }
    }

    /** Uses a heap that may be damaged. Each step is a separate block and may fail. */
    static List<Runnable> uses(Heap heap, long seed) {
        DamageSubject user = new DamageSubject(seed);
        List<Runnable> uses = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            uses.add(() -> heap.atomic(() -> user.changeOnlyHeap(heap)));
        }
        for (String name : List.of("list", "deque", "map", "numbers", "set", "tree", "skip", "tree set", "skip set")) {
            uses.add(() -> heap.atomic(() -> {
                Object root = heap.root(name, PersistentObject.class);
                if (root instanceof Map<?, ?> map) {
                    map.keySet().removeIf(key -> user.random.nextBoolean());
                } else if (root instanceof Collection<?> collection) {
                    collection.removeIf(element -> user.random.nextBoolean());
                }
            }));
            uses.add(() -> heap.atomic(() -> heap.free(user.both(heap, name, false))));
            uses.add(() -> heap.setRoot(name, new PersistentString(heap, "in place of " + name)));
        }
        uses.add(heap::checkpoint);
        uses.add(heap::collect);
        uses.add(heap::check);
        return uses;
    }

    private void changeOnlyHeap(Heap heap) {
        if (model.isEmpty()) {
            // Fills the model because the changes update it too, but it is not read.
            for (String name : List.of("list", "map", "numbers", "set", "tree", "skip", "tree set", "skip set")) {
                model.put(name, name.equals("list") ? new ArrayList<>() : name.equals("set") ? new HashSet<>()
                        : name.endsWith("set") ? new TreeSet<>() : new HashMap<>());
            }
            model.put("array", new ArrayList<>(Collections.nCopies(50, null)));
            model.put("deque", new ArrayDeque<>());
            model.put("cells", new ArrayDeque<>());
        }
        changeCollections(heap);
    }
}
