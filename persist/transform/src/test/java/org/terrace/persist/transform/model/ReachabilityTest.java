// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.PersistentArray;
import org.terrace.persist.types.PersistentDeque;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentHashSet;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentSkipListMap;
import org.terrace.persist.types.PersistentTreeMap;

/**
 * Tests objects of ordinary classes that are created and stored in each way. All acknowledged changes must exist after the process
 * has ended with its heaps open. Each way has a separate heap, so that no later block makes an earlier one durable.
 */
@Tag("model")
class ReachabilityTest {
    private static final int HALTED = 9;
    private static final int WAYS_OF_A_PROGRAM = 80;
    private static final String ACKNOWLEDGED = "acknowledged ";

    @TempDir
    Path directory;

    /** The object that is created. */
    enum Made {
        PERSON(() -> new Noted.Person("Ann")),
        DIARY(() -> new Noted.Diary("first")),
        RECORD(() -> new Noted.Page("title", new Noted.Person("Bob"), new PersistentList<>())),
        THREE_DEEP(() -> new Noted.Shelf("three deep")),
        CHAIN(() -> new Noted.Shelf("1", new Noted.Shelf("2", new Noted.Shelf("3")))),
        CHANGED_BEFORE(() -> {
            Noted.Shelf shelf = new Noted.Shelf("changed");
            shelf.add("before it is stored");
            return shelf;
        });

        private final Supplier<Noted> make;

        Made(Supplier<Noted> make) {
            this.make = make;
        }
    }

    /** Where it is created and stored, in {@code Heap.use}. */
    enum Place {
        OUTSIDE, MADE_IN_A_BLOCK, STORED_IN_A_BLOCK, IN_ONE_BLOCK;

        void run(Heap heap, Supplier<Noted> make, BiConsumer<Heap, Supplier<Noted>> store) {
            switch (this) {
                case OUTSIDE -> store.accept(heap, make);
                case MADE_IN_A_BLOCK -> store.accept(heap, () -> heap.atomic(make::get));
                case STORED_IN_A_BLOCK -> {
                    Noted made = make.get();
                    heap.atomic(() -> store.accept(heap, () -> made));
                }
                default -> heap.atomic(() -> store.accept(heap, make));
            }
        }
    }

    /** How the reference is stored in the object of a root. */
    enum Stored {
        ROOT(null, null, root -> root),
        SUPPLIER(null, null, root -> root),
        FIELD(h -> new Noted.Holder(), (c, o) -> ((Noted.Holder) c).held = o, c -> ((Noted.Holder) c).held),
        FIELD_BY_A_BLOCK(h -> new Noted.Holder(), (c, o) -> ((Noted.Holder) c).hold(o), c -> ((Noted.Holder) c).held),
        ARRAY(h -> new PersistentArray<>(h, 3), (c, o) -> ReachabilityTest.<PersistentArray<Object>>cast(c).set(2, o),
                c -> ((PersistentArray<?>) c).get(2)),
        LIST(PersistentList::new, Stored::add, Stored::first),
        DEQUE(PersistentDeque::new, (c, o) -> ReachabilityTest.<Deque<Object>>cast(c).addFirst(o), Stored::first),
        HASH_SET(PersistentHashSet::new, Stored::add, Stored::first),
        HASH_MAP(PersistentHashMap::new, Stored::put, Stored::get),
        HASH_MAP_KEY(PersistentHashMap::new, (c, o) -> ReachabilityTest.<Map<Object, Object>>cast(c).put(o, 1),
                c -> first(((Map<?, ?>) c).keySet())),
        HASH_MAP_OPTIONAL(PersistentHashMap::new, (c, o) -> put(c, Optional.of(o)), c -> ((Optional<?>) get(c)).orElseThrow()),
        TREE_MAP(PersistentTreeMap::new, Stored::put, Stored::get),
        SKIP_LIST_MAP(PersistentSkipListMap::new, Stored::put, Stored::get);

        private final Function<Heap, Object> container;
        private final BiConsumer<Object, Object> store;
        private final Function<Object, Object> load;

        Stored(Function<Heap, Object> container, BiConsumer<Object, Object> store, Function<Object, Object> load) {
            this.container = container;
            this.store = store;
            this.load = load;
        }

        private static void add(Object collection, Object object) {
            ReachabilityTest.<Collection<Object>>cast(collection).add(object);
        }

        private static Object first(Object collection) {
            return ((Collection<?>) collection).iterator().next();
        }

        private static void put(Object map, Object object) {
            ReachabilityTest.<Map<Object, Object>>cast(map).put("k", object);
        }

        private static Object get(Object map) {
            return ((Map<?, ?>) map).get("k");
        }

        void store(Heap heap, Supplier<Noted> make) {
            switch (this) {
                case ROOT -> heap.setRoot("w", make.get());
                case SUPPLIER -> heap.root("w", Object.class, make);
                default -> store.accept(heap.root("w", Object.class), make.get());
            }
        }

        Noted found(Heap heap) {
            return (Noted) load.apply(heap.root("w", Object.class));
        }

        /** A record is a value, so a root cannot refer to it, and as a key it must not change. */
        boolean takes(Made made) {
            return made != Made.RECORD || this != ROOT && this != SUPPLIER && this != HASH_SET && this != HASH_MAP_KEY;
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T cast(Object object) {
        return (T) object;
    }

    record Way(Made made, Place place, Stored stored) {
        static List<Way> all() {
            List<Way> ways = new ArrayList<>();
            for (Made made : Made.values()) {
                for (Place place : Place.values()) {
                    for (Stored stored : Stored.values()) {
                        if (stored.takes(made)) {
                            ways.add(new Way(made, place, stored));
                        }
                    }
                }
            }
            return ways;
        }

        void make(Heap heap) {
            if (stored.container != null) {
                heap.setRoot("w", stored.container.apply(heap));
            }
            place.run(heap, made.make, stored::store);
        }
    }

    /**
     * Stores in some of the ways, changes the stored objects, prints the acknowledged contents, and halts. Arguments: directory,
     * from, to.
     */
    public static final class Worker {
        public static void main(String[] args) {
            List<Way> ways = Way.all();
            List<Heap> open = new ArrayList<>();
            for (int i = Integer.parseInt(args[1]); i < Integer.parseInt(args[2]); i++) {
                Way way = ways.get(i);
                Heap heap = open(Path.of(args[0]), i);
                open.add(heap);
                heap.use(() -> {
                    way.make(heap);
                    way.stored.found(heap).add("one");
                    way.stored.found(heap).add("two");
                });
                System.out.println(ACKNOWLEDGED + way.stored.found(heap));
            }
            Runtime.getRuntime().halt(open.isEmpty() ? 1 : HALTED);
        }
    }

    private static Heap open(Path directory, int number) {
        return Heap.open(directory.resolve(number + ".heap"), HeapOptions.defaults().maxSize(1 << 20).logSize(64 << 10).threads(1)
                .durability(number % 2 == 0 ? Durability.SYNC : Durability.PROCESS));
    }

    @Test
    void whatIsMadeAndStoredInAnyWayIsThereAfterTheProcessEnded() throws IOException, InterruptedException {
        List<Way> ways = Way.all();
        for (int from = 0; from < ways.size(); from += WAYS_OF_A_PROGRAM) {
            int to = Math.min(ways.size(), from + WAYS_OF_A_PROGRAM);
            List<String> acknowledged = runUntilItHalts(Worker.class, "" + from, "" + to).lines()
                    .filter(line -> line.startsWith(ACKNOWLEDGED)).toList();
            assertEquals(to - from, acknowledged.size());
            for (int i = from; i < to; i++) {
                check(ways.get(i), i, acknowledged.get(i - from));
            }
        }
        System.out.println("ways to store objects of ordinary classes, of which all was kept: " + ways.size());
    }

    private void check(Way way, int number, String acknowledged) {
        try (Heap heap = open(directory, number)) {
            assertEquals(acknowledged, ACKNOWLEDGED + way.stored.found(heap), way::toString);
            assertTrue(acknowledged.contains("one, two"), way::toString);
            assertEquals(List.of(), heap.check(), way::toString);
        }
    }

    /** A program like that of a user. It has a person with notes as a root, and in a map that is created outside of blocks. */
    public static final class Notebook {
        public static void main(String[] args) {
            Heap heap = Heap.open(Path.of(args[0]).resolve("notebook.heap"));
            heap.use(() -> {
                Noted.Person ann = new Noted.Person("Ann");
                heap.setRoot("person", ann);
                ann.add("one");
                Map<String, Noted.Person> persons = new PersistentHashMap<>();
                heap.setRoot("persons", persons);
                persons.put("ann", ann);
                persons.put("bob", new Noted.Person("Bob"));
                persons.get("bob").add("two");
                for (int i = 0; i < 1000; i++) {
                    persons.put("person " + i, ann);
                }
            });
            Runtime.getRuntime().halt(HALTED);
        }
    }

    @Test
    void aNotebookMadeOutsideOfBlocksKeepsItsPersonsAndNotes() throws IOException, InterruptedException {
        runUntilItHalts(Notebook.class);
        try (Heap heap = Heap.open(directory.resolve("notebook.heap"))) {
            assertEquals("Ann [one]", heap.root("person", Noted.Person.class).toString());
            Map<String, Noted.Person> persons = cast(heap.root("persons", PersistentHashMap.class));
            assertEquals(1002, persons.size());
            assertEquals("Bob [two]", persons.get("bob").toString());
            assertEquals("Ann [one]", persons.get("ann").toString());
            assertEquals(List.of(), heap.check());
        }
    }

    private String runUntilItHalts(Class<?> program, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(a -> a.startsWith("-javaagent"))
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName(), directory.toString()));
        command.addAll(List.of(arguments));
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(10, TimeUnit.MINUTES), "the program hangs");
        } finally {
            process.destroyForcibly().waitFor();
        }
        String text = Files.readString(output);
        assertEquals(HALTED, process.exitValue(), text);
        return text;
    }
}
