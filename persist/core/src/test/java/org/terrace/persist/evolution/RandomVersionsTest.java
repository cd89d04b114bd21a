// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Durability;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.evolution.Thing.Version;
import org.terrace.persist.medium.Disk;

/**
 * Tests programs that randomly add, omit, restore, widen, rename, drop and reorder fields, one after another. The values that each
 * program reads are compared with a model. {@code -Dpersist.seed=N} replays a failure.
 */
class RandomVersionsTest {
    private static final HeapOptions OPTIONS = Internals.withoutBackground(
            HeapOptions.defaults().maxSize(256 << 10).logSize(64 << 10).threads(1)).durability(Durability.PROCESS);
    private static final int HISTORIES = 15;
    private static final int VERSIONS = 10;
    private static final int OBJECTS = 20;
    private static final FieldType[] NUMBERS =
        {FieldType.BYTE, FieldType.SHORT, FieldType.CHAR, FieldType.INT, FieldType.FLOAT, FieldType.LONG, FieldType.DOUBLE};

    /** The values of one field in all objects. */
    private record Column(FieldType type, double[] values) {
    }

    @Test
    void everyVersionReadsWhatThoseBeforeItHaveWritten() {
        long seed = Long.getLong("persist.seed", 20211026);
        for (int i = 0; i < HISTORIES; i++) {
            new History(seed + i).run();
        }
    }

    private static final class History {
        private final long seed;
        private final Random random;
        private final Disk disk = new Disk();
        private final Map<String, Column> model = new LinkedHashMap<>();
        /** Fields of the last program. */
        private final List<String> current = new ArrayList<>();
        private int names;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            for (int v = 0; v < VERSIONS; v++) {
                Map<String, String> renamed = new LinkedHashMap<>();
                Set<String> dropped = new HashSet<>();
                change(renamed, dropped);
                Version version = Thing.define(b -> {
                    for (String name : current) {
                        String[] former = renamed.containsKey(name) ? new String[] {renamed.get(name)} : new String[0];
                        b.field(name, model.get(name).type(), former);
                    }
                    b.field("next", FieldType.REFERENCE).dropped(dropped.toArray(String[]::new));
                });
                readAndWrite(version, "seed " + seed + ", version " + v + " " + current);
            }
            disk.dispose();
        }

        private void change(Map<String, String> renamed, Set<String> dropped) {
            for (String name : List.copyOf(model.keySet())) {
                boolean had = current.remove(name);
                Column column = model.get(name);
                switch (random.nextInt(had ? 8 : 3)) {
                    case 0 -> { }
                    case 1 -> {
                        model.remove(name);
                        dropped.add(name);
                    }
                    case 2 -> {
                        FieldType wider = NUMBERS[random.nextInt(NUMBERS.length)];
                        model.put(name, new Column(column.type.widensTo(wider) ? wider : column.type, column.values));
                        current.add(name);
                    }
                    case 3 -> {
                        model.remove(name);
                        String newName = "f" + names++;
                        model.put(newName, column);
                        renamed.put(newName, name);
                        current.add(newName);
                    }
                    default -> current.add(name);
                }
            }
            for (int added = random.nextInt(4); added >= 0; added--) {
                String name = "f" + names++;
                model.put(name, new Column(NUMBERS[random.nextInt(NUMBERS.length)], new double[OBJECTS]));
                current.add(name);
            }
            Collections.shuffle(current, random);
        }

        private void readAndWrite(Version version, String where) {
            try (Heap heap = Heap.open(disk.path("test.heap"), OPTIONS)) {
                assertEquals(List.of(), heap.check(), where);
                if (heap.root("thing", Thing.class) == null) {
                    heap.atomic(() -> {
                        for (int i = 0; i < OBJECTS; i++) {
                            Thing thing = version.create(heap);
                            version.set(thing, "next", heap.root("thing", Thing.class));
                            heap.setRoot("thing", thing);
                        }
                    });
                }
                int i = 0;
                for (Thing t = heap.root("thing", Thing.class); t != null; t = (Thing) version.get(t, "next")) {
                    Thing thing = t;
                    int index = i++;
                    for (String name : current) {
                        Column column = model.get(name);
                        assertEquals(column.values[index], number(version.get(thing, name)), where + ", " + name);
                        if (random.nextInt(3) == 0) {
                            Object value = random(column.type);
                            heap.atomic(() -> version.set(thing, name, value));
                            column.values[index] = number(value);
                        }
                    }
                }
                assertEquals(OBJECTS, i, where);
            }
        }

        private static double number(Object value) {
            return value instanceof Character c ? c : ((Number) value).doubleValue();
        }

        /** A random value that a double can represent exactly. */
        private Object random(FieldType type) {
            return switch (type) {
                case BYTE -> (byte) random.nextInt();
                case SHORT -> (short) random.nextInt();
                case CHAR -> (char) random.nextInt();
                case INT -> random.nextInt();
                case FLOAT -> random.nextFloat();
                case LONG -> (long) random.nextInt() << 16;
                default -> random.nextDouble();
            };
        }
    }
}
