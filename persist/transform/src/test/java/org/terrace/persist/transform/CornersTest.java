// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Heap;

/** Tests programs with unusual code. */
class CornersTest {
    @TempDir
    Path folder;

    @TempDir
    Path heaps;

    /** Runs a program. The heap is closed only if nothing is thrown, because a thread that waits forever may be in it. */
    private String run(String source) throws Exception {
        Sources sources = new Sources(folder).compile(source);
        sources.transform();
        Heap heap = Heap.open(heaps.resolve("corners.heap"));
        String result = sources.run(heap);
        heap.close();
        return result;
    }

    @Test
    void whatAFieldRefersToMayBeFreedBeforeTheFieldIsStoredOrItsObjectFreed() throws Exception {
        assertEquals("null, true", run("""
                interface Shape { }
                @Persistent class Circle implements Shape { int radius; }
                @Persistent class Item { Shape shape = new Circle(); Object other = new Circle(); }
                class Sample {
                    static String run(Heap heap) {
                        Item item = heap.atomic(() -> new Item());
                        heap.free(item.shape);
                        item.shape = null;
                        String seen = item.shape + ", ";
                        heap.atomic(() -> {
                            heap.free(item.other);
                            heap.free(item);
                        });
                        return seen + PersistentObject.of(item).isFreed();
                    }
                }
                """));
    }

    @Test
    void soMayBeWhatACopyRefersTo() throws Exception {
        assertEquals("null null []", run("""
                @Persistent class Inner { String text = "text"; }
                @Persistent record Pair(Inner inner, String key) { }
                @Persistent class Item { Pair pair; Optional<Inner> optional; }
                class Sample {
                    static String run(Heap heap) {
                        Item item = heap.root("item", Item.class, () -> new Item());
                        Inner one = heap.atomic(() -> new Inner());
                        Inner two = heap.atomic(() -> new Inner());
                        item.pair = new Pair(one, "key");
                        item.optional = Optional.of(two);
                        heap.free(one);
                        item.pair = null;
                        heap.free(two);
                        item.optional = null;
                        return item.pair + " " + item.optional + " " + heap.check();
                    }
                }
                """));
    }

    @Test
    void aSynchronizedMethodEntersItsMonitorInsideItsBlock() throws Exception {
        assertEquals("2", run("""
                @Persistent(fa = FailureAtomicity.NON_PRIVATE) class Item {
                    int x;
                    synchronized int add() { return ++x; }
                }
                class Sample {
                    static String run(Heap heap) throws Exception {
                        Item item = heap.atomic(() -> new Item());
                        Thread other = new Thread(item::add);
                        Thread both = new Thread(() -> heap.atomic(() -> {
                            other.start();
                            while (other.getState() != Thread.State.TIMED_WAITING) {
                                Thread.onSpinWait();
                            }
                            item.add();
                        }));
                        other.setDaemon(true);
                        both.setDaemon(true);
                        both.start();
                        both.join(120_000);
                        if (both.isAlive()) {
                            throw new IllegalStateException("the threads wait for each other");
                        }
                        other.join();
                        return String.valueOf(item.add() - 1);
                    }
                }
                """));
    }
}
