// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Cell;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;

/** Tests crashes at every moment of sequences of operations. {@code -Dpersist.states=N} sets the number of states for each sequence. */
public class CrashTest {
    public static final Map<String, Consumer<Heap>> OPERATIONS = new LinkedHashMap<>();
    private static final String[] ROOTS = {"a", "b"};

    static {
        OPERATIONS.put("new a", heap -> heap.setRoot("a", new_(heap, 1)));
        OPERATIONS.put("new b", heap -> heap.setRoot("b", new_(heap, 2)));
        OPERATIONS.put("push a", heap -> push(heap, "a"));
        OPERATIONS.put("push b", heap -> push(heap, "b"));
        OPERATIONS.put("pop a", heap -> pop(heap, "a"));
        OPERATIONS.put("add to a", heap -> onRoot(heap, "a", cell -> cell.value(cell.value() + 1)));
        OPERATIONS.put("small of a", heap -> onRoot(heap, "a", cell -> cell.small(cell.small() + 7)));
        OPERATIONS.put("flag of a", heap -> onRoot(heap, "a", cell -> cell.flag(!cell.flag())));
        OPERATIONS.put("add to a and b", heap -> heap.atomic(() -> {
            onRoot(heap, "a", cell -> cell.value(cell.value() + 10));
            onRoot(heap, "b", cell -> cell.value(cell.value() - 10));
        }));
        OPERATIONS.put("swap a and b", heap -> heap.atomic(() -> {
            Cell a = heap.root("a", Cell.class);
            heap.setRoot("a", heap.root("b", Cell.class));
            heap.setRoot("b", a);
        }));
        OPERATIONS.put("free b", heap -> heap.atomic(() -> {
            Cell b = heap.root("b", Cell.class);
            heap.setRoot("b", null);
            for (Cell next; b != null && !isShared(heap, b); b = next) {
                next = b.next();
                heap.free(b);
            }
        }));
        OPERATIONS.put("forget b", heap -> heap.setRoot("b", null));
        OPERATIONS.put("bytes of a", heap -> onRoot(heap, "a", cell -> cell.other(new PersistentByteArray(heap, new byte[700]))));
        OPERATIONS.put("large bytes of a", heap -> onRoot(heap, "a", cell -> {
            byte[] bytes = new byte[5000];
            new Random(cell.value()).nextBytes(bytes);
            cell.other(new PersistentByteArray(heap, bytes));
        }));
        OPERATIONS.put("free bytes of a", heap -> onRoot(heap, "a", cell -> {
            if (cell.other() != null) {
                heap.free(cell.other());
                cell.other(null);
            }
        }));
        OPERATIONS.put("aborted", heap -> {
            try {
                heap.atomic(() -> {
                    push(heap, "a");
                    push(heap, "b");
                    throw new IllegalStateException();
                });
            } catch (IllegalStateException e) {
                return;
            }
        });
        OPERATIONS.put("nested", heap -> heap.atomic(() -> {
            push(heap, "a");
            heap.atomic(() -> push(heap, "b"));
            push(heap, "a");
        }));
        OPERATIONS.put("new root", heap -> heap.atomic(() -> heap.setRoot("root " + rootOrNew(heap).value(),
                new Cell(heap, 3, null))));
        OPERATIONS.put("checkpoint", Heap::checkpoint);
        OPERATIONS.put("collect", Heap::collect);
        OPERATIONS.put("many pushes in one", heap -> heap.atomic(() -> {
            for (int i = 0; i < 20; i++) {
                push(heap, "a");
            }
        }));
        OPERATIONS.put("low-level object", heap -> byHand(heap, root -> root.updateOther(new Cell(heap, 77, null))));
        OPERATIONS.put("update and free", heap -> byHand(heap, root -> {
            Cell cell = new Cell(heap, 78, null);
            cell.small(78);
            root.updateOtherAndFree(cell);
        }));
        OPERATIONS.put("low-level field", heap -> byHand(heap, root -> {
            root.value(root.value() + 100);
            root.flushValue();
        }));
        OPERATIONS.put("low-level store", heap -> byHand(heap, root -> {
            root.value(root.value() + 100);
            root.pwb();
        }));
        OPERATIONS.put("put into map", heap -> heap.atomic(() -> {
            Map<Integer, String> map = map(heap);
            map.put(map.size(), "value " + map.size());
            // The value alternates between inline and a separate object, so that each time another entry replaces the previous one.
            map.put(0, map.size() % 2 == 0 ? "even" : "a value that is no part of its entry");
        }));
        OPERATIONS.put("remove from map", heap -> heap.atomic(() -> map(heap).remove(map(heap).size() - 1)));
    }

    private static void byHand(Heap heap, Consumer<Cell> change) {
        Cell root = heap.root("a", Cell.class);
        if (root != null) {
            change.accept(root);
            heap.psync();
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<Integer, String> map(Heap heap) {
        return heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<Integer, String>(heap));
    }

    private static Cell new_(Heap heap, int value) {
        return heap.atomic(() -> new Cell(heap, value, null));
    }

    private static Cell rootOrNew(Heap heap) {
        return heap.root("a", Cell.class, () -> new Cell(heap, 1000, null));
    }

    private static void push(Heap heap, String root) {
        heap.atomic(() -> {
            Cell first = heap.root(root, Cell.class);
            heap.setRoot(root, new Cell(heap, first == null ? 0 : (int) first.value() + 1, first));
        });
    }

    private static void pop(Heap heap, String root) {
        heap.atomic(() -> {
            Cell first = heap.root(root, Cell.class);
            if (first != null && first.next() != null && !isShared(heap, first)) {
                heap.setRoot(root, first.next());
                heap.free(first);
            }
        });
    }

    private static boolean isShared(Heap heap, Cell cell) {
        for (String root : ROOTS) {
            Cell first = heap.root(root, Cell.class);
            int count = 0;
            for (Cell c = first; c != null; c = c.next()) {
                count += c.equals(cell) && !(c.equals(first) && root.equals("a")) ? 1 : 0;
            }
            if (count > 0) {
                return true;
            }
        }
        return false;
    }

    private static void onRoot(Heap heap, String root, Consumer<Cell> change) {
        heap.atomic(() -> {
            Cell cell = heap.root(root, Cell.class);
            if (cell == null) {
                heap.setRoot(root, new Cell(heap, 1000, null));
            } else {
                change.accept(cell);
            }
        });
    }

    public static String dump(Heap heap) {
        StringBuilder text = new StringBuilder();
        for (String root : ROOTS) {
            text.append(root).append(':');
            for (Cell c = heap.root(root, Cell.class); c != null; c = c.next()) {
                text.append(' ').append(c.value()).append('/').append(c.small()).append('/').append(c.flag());
                if (c.other() instanceof PersistentByteArray bytes) {
                    text.append('#').append(checksum(bytes.toArray()));
                } else if (c.other() instanceof Cell other) {
                    text.append('>').append(other.value()).append('/').append(other.small());
                }
            }
            text.append('\n');
        }
        return text.append(heap.root("map", PersistentHashMap.class)).toString();
    }

    /** The VM computes a CRC-32 much faster than a hash code, and some arrays are large. */
    private static long checksum(byte[] bytes) {
        CRC32 sum = new CRC32();
        sum.update(bytes);
        return sum.getValue();
    }

    public static CrashScenario scenario(HeapOptions options, List<String> names) {
        CrashScenario scenario = new CrashScenario(options, CrashTest::dump).describe(names.toString());
        scenario.prepare(heap -> {
            push(heap, "a");
            push(heap, "a");
            push(heap, "b");
        });
        names.forEach(name -> scenario.then(OPERATIONS.get(name)));
        return scenario;
    }

    @Test
    void everyOperationAloneSurvivesACrashAtEveryMoment() {
        int states = 0;
        for (String name : OPERATIONS.keySet()) {
            states += scenario(CrashScenario.TINY, List.of(name)).run();
        }
        report("single operations", states);
    }

    @Test
    void randomSequencesSurviveACrashAtEveryMoment() {
        int states = 0;
        List<String> names = new ArrayList<>(OPERATIONS.keySet());
        long seed = Long.getLong("persist.seed", 20211026);
        for (int i = 0; i < Integer.getInteger("persist.sequences", 12); i++) {
            Random random = new Random(seed + i);
            List<String> sequence = new ArrayList<>();
            for (int k = 2 + random.nextInt(8); k > 0; k--) {
                sequence.add(names.get(random.nextInt(names.size())));
            }
            states += scenario(CrashScenario.TINY, sequence).seed(seed + i).run();
        }
        report("random sequences", states);
    }

    @Test
    void aLogThatWrapsManyTimesSurvivesACrashAtEveryMoment() {
        List<String> sequence = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            sequence.addAll(List.of("large bytes of a", "add to a", "free bytes of a", "push a"));
        }
        report("wrapping log", scenario(CrashScenario.TINY, sequence).run());
    }

    @Test
    void withoutSyncsTheHeapIsStillAtAnEarlierPoint() {
        // A crash of the machine may lose commits that PROCESS acknowledged. Therefore acknowledgements are checked only for kills
        // of the process.
        CrashScenario scenario = scenario(CrashScenario.TINY.durability(Durability.PROCESS),
                List.of("push a", "add to a and b", "large bytes of a", "checkpoint", "push b", "pop a", "large bytes of a"));
        report("PROCESS", scenario.losingAcknowledged().run());
    }

    @Test
    void theOracleSeesALostSync() {
        assertThrows(AssertionError.class, () -> scenario(CrashScenario.TINY, List.of("push a")).delete(Site.COMMIT_SYNC).run());
    }

    public static void report(String what, int states) {
        assertTrue(states > 0);
        System.out.println("crash states opened, " + what + ": " + states);
    }
}
