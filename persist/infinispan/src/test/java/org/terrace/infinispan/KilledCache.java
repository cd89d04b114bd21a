// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.terrace.infinispan.configuration.DurabilityLevel;

/**
 * The program that is killed. Each thread changes its own keys, and prints {@code thread number} after each change. Arguments:
 * directory, level, threads, the number at which each thread begins.
 */
final class KilledCache {
    private static final int KEYS = 50;

    private KilledCache() {
    }

    static ConfigurationBuilder configuration(Path directory, DurabilityLevel level) {
        ConfigurationBuilder builder = new ConfigurationBuilder();
        CacheManagers.store(builder, directory).durability(level);
        // With this limit, some entries are only in the store.
        builder.memory().maxCount(20);
        return builder;
    }

    /** Makes change number {@code n} of a thread. */
    private static void change(int thread, int n, BiConsumer<String, String> put, Consumer<String> remove) {
        String key = thread + "-" + n * 31 % KEYS;
        if (n % 4 == 0) {
            remove.accept(key);
        } else {
            put.accept(key, n + "x".repeat(n * 37 % 900));
        }
    }

    /** The entries of a thread's keys after its first {@code n} changes. */
    static Map<String, String> after(int thread, int n) {
        Map<String, String> expected = new HashMap<>();
        for (int i = 1; i <= n; i++) {
            change(thread, i, expected::put, expected::remove);
        }
        return expected;
    }

    public static void main(String[] args) {
        DefaultCacheManager manager = CacheManagers.local();
        Cache<String, String> cache = manager.createCache(CacheManagers.CACHE,
                configuration(Path.of(args[0]), DurabilityLevel.valueOf(args[1])).build());
        PrintStream out = System.out;
        for (int t = 0; t < Integer.parseInt(args[2]); t++) {
            int thread = t;
            int from = Integer.parseInt(args[3 + t]);
            new Thread(() -> {
                for (int n = from; ; n++) {
                    change(thread, n, cache::put, cache::remove);
                    synchronized (out) {
                        out.println(thread + " " + n);
                        if (out.checkError()) {
                            Runtime.getRuntime().halt(1);
                        }
                    }
                }
            }).start();
        }
    }
}
