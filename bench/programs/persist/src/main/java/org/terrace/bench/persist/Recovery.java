// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.PersistentHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures a heap of many objects after its program was killed. With {@code --fill} it creates them, prints {@code
 * ready}, and serves requests until it is killed. Without the option, it opens the heap, serves requests of nine gets
 * and a put, and closes it. An object is an entry of a hash map with its key and its value.
 */
@Command(name = "recovery", mixinStandardHelpOptions = true,
        description = "Measures the time from a restart to the first request after a kill.")
final class Recovery implements Callable<Integer> {
    private static final int BATCH = 1000;
    private static final int GETS = 9;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final long WINDOW_NANOS = 100_000_000;
    private static final double NOMINAL = 0.9;

    @Option(names = "--dir", required = true, description = "folder of the heap")
    private Path folder;

    @Option(names = "--fill", description = "create the heap, then wait until the process is killed")
    private boolean fill;

    @Option(names = "--objects", defaultValue = "10000000", description = "number of entries in the map (${DEFAULT-VALUE})")
    private int objects;

    @Option(names = "--collect", arity = "1", defaultValue = "true", description = "collect garbage when the heap opens (${DEFAULT-VALUE})")
    private boolean collect;

    @Option(names = "--seconds", defaultValue = "10", description = "seconds of requests (${DEFAULT-VALUE})")
    private double seconds;

    private PersistentHashMap<Long, Long> map;
    private final Random random = new Random(7);

    @Override
    @SuppressWarnings("unchecked")
    public Integer call() {
        HeapOptions options = HeapOptions.defaults().maxSize(8L << 30).durability(Durability.PROCESS).collectAfterCrash(collect);
        Heap heap = Heap.open(folder.resolve("recovery.heap"), options);
        double opened = sinceStart();
        map = heap.root("map", PersistentHashMap.class, () -> new PersistentHashMap<Long, Long>(heap));
        if (fill) {
            fill(heap, objects);
            System.out.println("ready");
            while (true) {
                request(map.size());
            }
        }
        request(map.size());
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("opened", opened);
        result.put("firstRequest", sinceStart());
        List<Integer> windows = serve(map.size());
        double nominal = windows.subList(windows.size() / 2, windows.size()).stream().mapToInt(n -> n).average().orElseThrow();
        int reached = 0;
        while (windows.get(reached) < NOMINAL * nominal) {
            reached++;
        }
        result.put("nominal", (double) result.get("firstRequest") + reached * (WINDOW_NANOS / 1e9));
        result.put("perSecond", nominal / (WINDOW_NANOS / 1e9));
        result.put("entries", map.size());
        PersistPrograms.print(result);
        heap.close();
        return 0;
    }

    /** Returns the seconds since the start of the VM. */
    private static double sinceStart() {
        return (System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime()) / MILLIS_PER_SECOND;
    }

    private void fill(Heap heap, int entries) {
        for (int from = 0; from < entries; from += BATCH) {
            int first = from;
            heap.atomic(() -> {
                for (long i = first; i < Math.min(entries, first + BATCH); i++) {
                    map.put(i, i);
                }
            });
        }
    }

    private void request(int entries) {
        for (int i = 0; i < GETS; i++) {
            long key = random.nextInt(entries);
            if (map.get(key) == null) {
                throw new IllegalStateException("the heap lost key " + key);
            }
        }
        map.put((long) random.nextInt(entries), random.nextLong());
    }

    /** Returns the number of requests in each window. */
    private List<Integer> serve(int entries) {
        List<Integer> windows = new ArrayList<>();
        long windowEnd = System.nanoTime() + WINDOW_NANOS;
        for (int served = 0; windows.size() * (double) WINDOW_NANOS < seconds * 1e9;) {
            request(entries);
            served++;
            if (System.nanoTime() >= windowEnd) {
                windows.add(served);
                served = 0;
                windowEnd += WINDOW_NANOS;
            }
        }
        return windows;
    }
}
