// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.notifications.Listener;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryExpired;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryRemoved;
import org.infinispan.notifications.cachelistener.event.CacheEntryEvent;
import org.terrace.HotWindow;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapLabelUsage;
import org.terrace.SecondHeapStatistics;
import org.terrace.bench.harness.Parallel;
import org.terrace.bench.harness.Zipf;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A map in H2 with mixes of operations as in YCSB, with or without a {@link HotWindow}. The keys are filled in order and requested
 * by Zipf's law with hashed ranks, so hot values lie between cold ones. Values move in partitions that have a label each,
 * which tells the tier of each value. The nodes of the map are in H1.
 */
@Command(name = "hot-values", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Reads and writes the values of a map, some much more often than others. Reports the share of reads from fast "
            + "memory. The exit status is 1 if a value was wrong.")
final class HotValues implements Callable<Integer> {

    enum Kind {
        MAP {
            @Override
            Store make(int keys, HotValues options) {
                ConcurrentHashMap<Integer, byte[]> map = new ConcurrentHashMap<>(2 * keys);
                return new Store(map, options.window());
            }
        },
        CAFFEINE {
            @Override
            Store make(int keys, HotValues options) {
                Store[] store = new Store[1];
                Map<Integer, byte[]> map = Caffeine.newBuilder().maximumSize(2L * keys).executor(Runnable::run)
                        .<Integer, byte[]>removalListener((key, value, cause) -> store[0].forget(key)).<Integer, byte[]>build().asMap();
                store[0] = new Store(map, options.window());
                return store[0];
            }
        },
        INFINISPAN {
            @Override
            Store make(int keys, HotValues options) {
                DefaultCacheManager manager = new DefaultCacheManager(new GlobalConfigurationBuilder().nonClusteredDefault().build());
                Cache<Integer, byte[]> cache = manager.createCache("values", new ConfigurationBuilder().build());
                Store store = new Store(cache, options.window());
                cache.addListener(new Removals(store));
                return store;
            }
        };

        abstract Store make(int keys, HotValues options);
    }

    /** Forgets keys that the cache removes. */
    @Listener
    public static final class Removals {

        private final Store store;

        Removals(Store store) {
            this.store = store;
        }

        @CacheEntryRemoved
        @CacheEntryExpired
        public void removed(CacheEntryEvent<Integer, byte[]> event) {
            if (!event.isPre()) {
                store.forget(event.getKey());
            }
        }
    }

    /** Percentages of operations, as in YCSB. */
    enum Mix {
        A(50, 50, 0, 0), B(95, 5, 0, 0), C(100, 0, 0, 0), D(95, 0, 5, 0), F(50, 0, 0, 50);

        final int reads;
        final int updates;
        final int inserts;
        final int modifications;

        Mix(int reads, int updates, int inserts, int modifications) {
            this.reads = reads;
            this.updates = updates;
            this.inserts = inserts;
            this.modifications = modifications;
        }
    }

    /** A map, and the window if there is one. */
    private static final class Store {

        final Map<Integer, byte[]> map;
        final HotWindow<Integer, byte[]> window;

        Store(Map<Integer, byte[]> map, long bytes) {
            this.map = map;
            window = bytes > 0 ? HotWindow.over(map, bytes, value -> value.length, byte[]::clone) : null;
        }

        byte[] get(int key) {
            return window != null ? window.get(key) : map.get(key);
        }

        void put(int key, byte[] value) {
            if (window != null) {
                window.put(key, value);
            } else {
                map.put(key, value);
            }
        }

        void forget(int key) {
            if (window != null) {
                window.forget(key);
            }
        }
    }

    /** The keys that have been given out, from 0. */
    static final class Keys {

        private final int most;
        private final AtomicInteger count;

        Keys(int count, int most) {
            this.most = most;
            this.count = new AtomicInteger(count);
        }

        int count() {
            return count.get();
        }

        /** Returns a new key, or -1 if there are as many as possible. */
        int insert() {
            int key = count.getAndUpdate(last -> Math.min(last + 1, most));
            return key < most ? key : -1;
        }
    }

    /** Counts of one thread in one second. */
    private static final class Second {

        final Histogram reads = new Histogram(2);
        final Histogram writes = new Histogram(2);
        long looks;
        double fast;
        long inH1;
        long wrong;
    }

    private static final int PERCENT = 100;
    private static final long SECOND = 1_000_000_000;
    private static final long FIRST_LABEL = 1000;
    /** Partitions that move in the same transfer. */
    private static final int TOGETHER = 4;
    private static final int BESIDE_VALUE = 16;
    /** One in so many reads looks where its value is. */
    private static final int LOOK = 64;

    @Spec
    private CommandSpec spec;

    @Option(names = "--kind", paramLabel = "KIND", defaultValue = "map", description = "One of ${COMPLETION-CANDIDATES}.")
    private Kind kind;

    @Option(names = "--mix", paramLabel = "MIX", defaultValue = "C",
            description = "YCSB's mix of operations, one of ${COMPLETION-CANDIDATES}.")
    private Mix mix;

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "640m", converter = H2Programs.Size.class,
            description = "Size of the values.")
    private long size;

    @Option(names = "--value", paramLabel = "BYTES", defaultValue = "1000", description = "Size of a value.")
    private int valueBytes;

    @Option(names = "--partition", paramLabel = "BYTES", defaultValue = "15m", converter = H2Programs.Size.class,
            description = "Size of the values that have the same label.")
    private long partitionBytes;

    @Option(names = "--window", paramLabel = "BYTES", defaultValue = "0", converter = H2Programs.Size.class,
            description = "Size of the window. 0: none.")
    private long window;

    @Option(names = "--place", paramLabel = "TIER", defaultValue = "slow",
            description = "Tier of the values, one of ${COMPLETION-CANDIDATES}.")
    private SecondHeap.Tier tier;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "60", description = "Time in seconds.")
    private int seconds;

    @Option(names = "--transfer", paramLabel = "S", defaultValue = "10",
            description = "Seconds between requested major collections, which move the hot values to H2. 0: none.")
    private int transferEach;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "2", description = "Number of worker threads.")
    private int threads;

    @Option(names = "--skew", paramLabel = "X", defaultValue = "0.99",
            description = "Exponent of Zipf's law: the n-th key is requested 1/n^X times as often as the first.")
    private double skew;

    private Store store;
    private Zipf zipf;
    private int perPartition;
    private int initial;
    private Keys keys;
    private AtomicIntegerArray versions;
    private final Object[] locks = Stream.generate(Object::new).limit(1 << 10).toArray();
    // For each partition, whether it is fast. Other threads see a change after a while.
    private volatile boolean[] fastPartitions = {};
    private volatile double fastOfWindow;

    private long window() {
        return window;
    }

    @Override
    public Integer call() throws Exception {
        require(seconds > 0 && threads > 0 && transferEach >= 0, "--seconds, --threads: at least 1; --transfer: at least 0");
        require(valueBytes >= 2 * Integer.BYTES && partitionBytes >= valueBytes && size >= partitionBytes,
                "--value: at least 8; --partition: at least one value; --size: at least one partition");
        require(skew > 0 && skew < 1, "--skew: greater than 0 and less than 1");
        initial = (int) (size / (valueBytes + BESIDE_VALUE));
        perPartition = (int) (partitionBytes / (valueBytes + BESIDE_VALUE));
        zipf = new Zipf(initial, skew);
        versions = new AtomicIntegerArray(2 * initial);
        keys = new Keys(initial, versions.length());
        store = kind.make(initial, this);
        fill();
        Second[][] all = new Second[threads][];
        List<Map<String, Object>> states = new ArrayList<>();
        long start = System.nanoTime();
        double from = H2Programs.uptime();
        Thread watch = new Thread(() -> watch(start, states));
        watch.start();
        Parallel.sum(threads, number -> {
            all[number] = work(new SplittableRandom(number), start);
            return 0;
        });
        watch.join();
        return report(all, states, from);
    }

    private void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private void fill() {
        // A tag does not keep its root alive.
        List<byte[][]> unmoved = new ArrayList<>();
        for (int first = 0; first < initial; first += perPartition) {
            byte[][] partition = new byte[Math.min(perPartition, initial - first)][];
            for (int i = 0; i < partition.length; i++) {
                partition[i] = make(first + i, 0);
                store.map.put(first + i, partition[i]);
            }
            long label = FIRST_LABEL + first / perPartition;
            SecondHeap.place(label, tier);
            SecondHeap.tagRoot(partition, label);
            SecondHeap.move(label);
            unmoved.add(partition);
            if (unmoved.size() == TOGETHER || first + perPartition >= initial) {
                SecondHeap.transfer();
                unmoved.clear();
            }
        }
    }

    private byte[] make(int key, int version) {
        byte[] value = new byte[valueBytes];
        for (int i = 0; i < Integer.BYTES; i++) {
            value[i] = (byte) (key >>> i * Byte.SIZE);
            value[valueBytes - 1 - i] = (byte) (version >>> i * Byte.SIZE);
        }
        return value;
    }

    private static int number(byte[] value, int at, int step) {
        int number = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            number |= (value[at + i * step] & 0xff) << i * Byte.SIZE;
        }
        return number;
    }

    private void watch(long start, List<Map<String, Object>> states) {
        try {
            for (int second = 1; second <= seconds; second++) {
                Thread.sleep(Math.max(1, (start + second * SECOND - System.nanoTime()) / 1_000_000));
                look(states);
                if (transferEach > 0 && second % transferEach == 0) {
                    SecondHeap.transfer();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void look(List<Map<String, Object>> states) {
        boolean[] fast = new boolean[initial / perPartition + 1];
        long used = 0;
        long usedFast = 0;
        long fastBytes = 0;
        for (SecondHeapLabelUsage usage : SecondHeap.labels()) {
            fastBytes += usage.getFastBytes();
            long partition = usage.getLabel() - FIRST_LABEL;
            if (partition >= 0 && partition < fast.length) {
                fast[(int) partition] = usage.getFastBytes() > usage.getUsedBytes() / 2;
            } else if (SecondHeap.Tier.FAST.name().equals(usage.getTier())) {
                // Parts of the window. Other labels are those of nodes that moved without a hint.
                used += usage.getUsedBytes();
                usedFast += usage.getFastBytes();
            }
        }
        fastPartitions = fast;
        fastOfWindow = used == 0 ? 0 : (double) usedFast / used;
        SecondHeapStatistics h2 = SecondHeap.statistics();
        Map<String, Object> state = new HashMap<>();
        state.put("fastBytes", fastBytes);
        state.put("windowInH2", used);
        state.put("windowFast", usedFast);
        state.put("window", store.window == null ? 0 : store.window.bytes());
        state.put("gathered", store.window == null ? 0 : store.window.gathered());
        state.put("toFastBytes", h2.getMigratedToFastBytes());
        state.put("toSlowBytes", h2.getMigratedToSlowBytes());
        states.add(state);
    }

    private Second[] work(SplittableRandom random, long start) {
        Second[] all = Stream.generate(Second::new).limit(seconds).toArray(Second[]::new);
        long now = System.nanoTime();
        while (now - start < seconds * SECOND) {
            now = operate(random, all[(int) ((now - start) / SECOND)], now);
        }
        return all;
    }

    /** Returns the time of the end. */
    private long operate(SplittableRandom random, Second second, long before) {
        int which = random.nextInt(PERCENT);
        int key = mix == Mix.D ? newest(random) : zipf.next(random);
        if (which >= mix.reads + mix.updates + mix.inserts || which < mix.reads) {
            byte[] value = read(key, second);
            long now = System.nanoTime();
            second.reads.recordValue(now - before);
            if (random.nextInt(LOOK) == 0) {
                lookAt(key, value, second);
            }
            if (which < mix.reads) {
                return System.nanoTime();
            }
            before = now;
        }
        if (which >= mix.reads + mix.updates && which < mix.reads + mix.updates + mix.inserts) {
            int inserted = keys.insert();
            key = inserted >= 0 ? inserted : key;
        }
        write(key);
        long now = System.nanoTime();
        second.writes.recordValue(now - before);
        return now;
    }

    /** A rank of 0 is the key that was inserted last. */
    private int newest(SplittableRandom random) {
        return Math.max(0, keys.count() - 1 - zipf.rank(random));
    }

    private byte[] read(int key, Second second) {
        int latest = versions.get(key);
        byte[] value = store.get(key);
        if (value == null ? latest > 0 || key < initial : number(value, 0, 1) != key || number(value, valueBytes - 1, -1) < latest) {
            second.wrong++;
        }
        return value;
    }

    /** One writer of a key at a time, so that versions do not decrease. */
    private void write(int key) {
        synchronized (locks[key & locks.length - 1]) {
            int version = versions.get(key) + 1;
            store.put(key, make(key, version));
            versions.set(key, version);
        }
    }

    private void lookAt(int key, byte[] value, Second second) {
        if (value == null) {
            return;
        }
        second.looks++;
        if (SecondHeap.state(value) == SecondHeap.State.IN_H1) {
            second.fast++;
            second.inH1++;
            return;
        }
        boolean[] fast = fastPartitions;
        if (store.window != null && store.map.get(key) != value) {
            second.fast += fastOfWindow;
        } else if (key / perPartition < fast.length && number(value, valueBytes - 1, -1) == 0) {
            second.fast += fast[key / perPartition] ? 1 : 0;
        }
    }

    private int report(Second[][] all, List<Map<String, Object>> states, double from) {
        List<Map<String, Object>> windows = new ArrayList<>();
        long wrong = 0;
        for (int second = 0; second < seconds; second++) {
            Second sum = new Second();
            for (Second[] thread : all) {
                sum.reads.add(thread[second].reads);
                sum.writes.add(thread[second].writes);
                sum.looks += thread[second].looks;
                sum.fast += thread[second].fast;
                sum.inH1 += thread[second].inH1;
                wrong += thread[second].wrong;
            }
            Map<String, Object> one = new LinkedHashMap<>(states.get(second));
            one.put("reads", sum.reads.getTotalCount());
            one.put("writes", sum.writes.getTotalCount());
            one.put("quick", sum.reads.getCountBetweenValues(0, 20_000));
            one.put("readP50", sum.reads.getValueAtPercentile(50) / 1e3);
            one.put("readP99", sum.reads.getValueAtPercentile(99) / 1e3);
            one.put("looks", sum.looks);
            one.put("fast", sum.fast);
            one.put("inH1", sum.inH1);
            windows.add(one);
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", "hot-values");
        report.put("keys", initial);
        report.put("wrong", wrong);
        report.put("from", from);
        report.put("to", H2Programs.uptime());
        report.put("seconds", windows);
        H2Programs.print(report);
        return wrong == 0 ? 0 : 1;
    }
}
