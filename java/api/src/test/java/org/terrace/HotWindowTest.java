// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** Tests the contracts of the window on any JVM. The jtreg test TestHotWindow tests what happens in tiers. */
class HotWindowTest {

    private static final int VALUE = 1000;

    private final CountingMap map = new CountingMap();

    /** Counts the reads of the map, which are those that the window did not serve. */
    private static final class CountingMap extends ConcurrentHashMap<Integer, byte[]> {

        private static final long serialVersionUID = 1;

        private int reads;
        private transient Runnable afterRead = () -> { };
        private transient Runnable afterPut = () -> { };

        @Override
        public byte[] put(Integer key, byte[] value) {
            byte[] old = super.put(key, value);
            afterPut.run();
            return old;
        }

        @Override
        public byte[] get(Object key) {
            reads++;
            byte[] value = super.get(key);
            afterRead.run();
            return value;
        }
    }

    @Test
    void hotValuesAreServedByTheWindow() {
        fill(1000);
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        for (int i = 0; i < 10; i++) {
            assertArrayEquals(value(7, 0), window.get(7));
        }
        assertEquals(1, window.size());
        int before = map.reads;
        assertArrayEquals(value(7, 0), window.get(7));
        assertEquals(before, map.reads, "reads of the map");
    }

    @Test
    void aPassOverAllValuesGathersNothing() {
        fill(1000);
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        for (int key = 0; key < 1000; key++) {
            window.get(key);
        }
        assertEquals(0, window.size());
    }

    @Test
    void anAbsentKeyStaysAbsent() {
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        for (int i = 0; i < 10; i++) {
            assertNull(window.get(1));
        }
        assertEquals(0, window.size());
        assertNull(window.put(1, value(1, 1)));
        assertArrayEquals(value(1, 1), window.get(1));
    }

    @Test
    void changesAreSeenAtOnce() {
        fill(10);
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        heat(window, 3);
        assertArrayEquals(value(3, 0), window.put(3, value(3, 1)));
        assertEquals(0, window.size(), "a new value is in H1");
        assertArrayEquals(value(3, 1), window.get(3));
        assertArrayEquals(value(3, 1), window.remove(3));
        assertNull(window.get(3));
        assertEquals(0, window.size());
        heat(window, 4);
        map.put(4, value(4, 1));
        window.forget(4);
        assertArrayEquals(value(4, 1), window.get(4));
    }

    @Test
    void aChangeThatFailsAfterwardsIsForgotten() {
        fill(10);
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        heat(window, 3);
        map.afterPut = () -> {
            throw new IllegalStateException();
        };
        assertThrows(IllegalStateException.class, () -> window.put(3, value(3, 1)));
        assertArrayEquals(value(3, 1), window.get(3));
    }

    @Test
    void aValueThatChangesWhileItIsGatheredIsNotKept() {
        fill(10);
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        // Another thread writes between a read of the map and the moment when the slot can be found.
        map.afterRead = () -> map.replace(5, value(5, 1));
        for (int i = 0; i < 10; i++) {
            window.get(5);
            assertEquals(0, window.size());
        }
        map.afterRead = () -> { };
        assertArrayEquals(value(5, 1), window.get(5));
    }

    @Test
    void theWindowIsBoundedAndFollowsTheProgram() {
        fill(1000);
        int bytes = 100 * VALUE;
        HotWindow<Integer, byte[]> window = window(bytes);
        for (int first = 0; first < 1000; first += 50) {
            for (int i = 0; i < 50; i++) {
                for (int key = first; key < first + 50; key++) {
                    assertArrayEquals(value(key, 0), window.get(key));
                }
                assertTrue(window.bytes() <= bytes, window.bytes() + " bytes");
            }
            int before = map.reads;
            for (int key = first; key < first + 50; key++) {
                window.get(key);
            }
            assertTrue(map.reads - before < 5, map.reads - before + " of 50 reads of the keys from " + first + " were not served");
        }
        assertTrue(window.size() <= 100, window.size() + " values");
    }

    @Test
    void skewedReadsAreServedAlmostAsOftenAsPossible() {
        // The hottest tenth of the keys has nine tenths of the requests.
        fill(10_000);
        HotWindow<Integer, byte[]> window = window(1100 * (VALUE + 24));
        SplittableRandom random = new SplittableRandom(1);
        int before = 0;
        for (int i = 0; i < 600_000; i++) {
            if (i == 300_000) {
                before = map.reads;
            }
            int hash = random.nextInt(10) < 9 ? random.nextInt(1000) * 10 : random.nextInt(10_000);
            window.get(hash);
        }
        double served = 1 - (map.reads - before) / 300_000.0;
        assertTrue(served > 0.8, served + " of the reads were served by the window; at most 0.91 are possible");
    }

    @Test
    void writesOfAHotKeyDoNotDisplaceOthers() {
        fill(100);
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        for (int key = 0; key < 20; key++) {
            heat(window, key);
        }
        for (int i = 1; i <= 10_000; i++) {
            window.put(0, value(0, i));
        }
        assertEquals(19, window.size());
        for (int key = 0; key < 20; key++) {
            assertArrayEquals(value(key, key == 0 ? 10_000 : 0), window.get(key));
        }
    }

    @Test
    void aValueLargerThanAPartIsNotGathered() {
        map.put(1, new byte[VALUE * 50]);
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        heat(window, 1);
        assertEquals(0, window.size());
    }

    @Test
    void threadsSeeNoOldValue() throws Exception {
        int keys = 64;
        fill(keys);
        HotWindow<Integer, byte[]> window = window(40 * VALUE);
        for (int key = 0; key < keys; key++) {
            heat(window, key);
        }
        AtomicIntegerArray latest = new AtomicIntegerArray(keys);
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Integer>> tasks = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                SplittableRandom random = new SplittableRandom(thread);
                tasks.add(() -> {
                    int reads = 0;
                    for (; !stop.get(); reads++) {
                        int key = random.nextInt(keys);
                        int least = latest.get(key);
                        int version = version(window.get(key));
                        assertTrue(version >= least, "version " + version + " after " + least);
                    }
                    return reads;
                });
            }
            tasks.add(() -> {
                SplittableRandom random = new SplittableRandom(9);
                for (int i = 1; i <= 100_000; i++) {
                    int key = random.nextInt(keys);
                    window.put(key, value(key, i));
                    latest.set(key, i);
                }
                stop.set(true);
                return 0;
            });
            for (Future<Integer> task : pool.invokeAll(tasks)) {
                task.get();
            }
        } finally {
            stop.set(true);
            pool.shutdownNow();
        }
        assertTrue(window.gathered() > 0 && window.bytes() <= 40 * VALUE, window.gathered() + " gathered, " + window.bytes() + " bytes");
    }

    @Test
    void argumentsAreChecked() {
        assertThrows(NullPointerException.class, () -> HotWindow.<Integer, byte[]>over(null, 1, value -> 1, byte[]::clone));
        assertThrows(NullPointerException.class, () -> HotWindow.over(map, 1, null, byte[]::clone));
        assertThrows(NullPointerException.class, () -> HotWindow.over(map, 1, value -> 1, null));
        assertThrows(IllegalArgumentException.class, () -> HotWindow.over(map, 0, value -> 1, byte[]::clone));
        HotWindow<Integer, byte[]> window = window(100 * VALUE);
        assertThrows(NullPointerException.class, () -> window.get(null));
        assertThrows(NullPointerException.class, () -> window.put(1, null));
    }

    @Test
    void valuesInH1StayInTheMap() {
        fill(10);
        HotWindow<Integer, byte[]> window = HotWindow.over(map, 100 * VALUE, value -> value.length, byte[]::clone);
        heat(window, 1);
        assertEquals(0, window.size());
        assertSame(map.get(1), window.get(1));
    }

    private HotWindow<Integer, byte[]> window(long bytes) {
        return new HotWindow<>(map, bytes, value -> value.length, byte[]::clone, value -> true);
    }

    private void fill(int keys) {
        for (int key = 0; key < keys; key++) {
            map.put(key, value(key, 0));
        }
    }

    private static void heat(HotWindow<Integer, byte[]> window, int key) {
        for (int i = 0; i < 10; i++) {
            window.get(key);
        }
    }

    private static byte[] value(int key, int version) {
        byte[] value = new byte[VALUE];
        value[0] = (byte) key;
        for (int i = 0; i < Integer.BYTES; i++) {
            value[1 + i] = (byte) (version >>> i * Byte.SIZE);
        }
        return value;
    }

    private static int version(byte[] value) {
        int version = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            version |= (value[1 + i] & 0xff) << i * Byte.SIZE;
        }
        return version;
    }
}
