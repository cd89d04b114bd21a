// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.infinispan.CacheManagers.CACHE;
import static org.terrace.infinispan.CacheManagers.local;
import static org.terrace.infinispan.CacheManagers.store;
import static org.terrace.infinispan.CacheManagers.withStore;

import io.reactivex.rxjava3.core.Flowable;
import jakarta.transaction.TransactionManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.infinispan.Cache;
import org.infinispan.commons.CacheException;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.factories.ComponentRegistry;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.persistence.manager.PersistenceManager;
import org.infinispan.persistence.spi.PersistenceException;
import org.infinispan.transaction.LockingMode;
import org.infinispan.transaction.TransactionMode;
import org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.terrace.infinispan.configuration.DurabilityLevel;
import org.terrace.persist.HeapOptions;

/** Tests caches with a store in one process: their contents after a restart, and error messages. */
class CacheTest {
    @TempDir
    Path directory;

    private static <K, V> Cache<K, V> cache(DefaultCacheManager manager, ConfigurationBuilder configuration) {
        return manager.createCache(CACHE, configuration.build());
    }

    /** The messages of an error and its causes. */
    private static String allOf(Throwable e) {
        return e == null ? "" : e + "\n" + allOf(e.getCause());
    }

    @Test
    void everythingIsThereAfterARestart() throws Exception {
        Map<String, String> expected = new HashMap<>();
        for (int i = 0; i < 2000; i++) {
            expected.put("key " + i, "value " + i);
        }
        try (DefaultCacheManager manager = local()) {
            Cache<String, String> cache = cache(manager, withStore(directory));
            cache.putAll(expected);
            cache.put("gone", "value");
            cache.remove("gone");
            expected.put("key 7", "other");
            cache.put("key 7", "other");
        }
        try (DefaultCacheManager manager = local()) {
            Cache<String, String> cache = cache(manager, withStore(directory));
            assertEquals(expected.size(), cache.size());
            assertEquals("other", cache.get("key 7"));
            assertNull(cache.get("gone"));
            assertEquals(expected, new HashMap<>(cache));
            cache.clear();
            assertTrue(cache.isEmpty());
        }
        try (DefaultCacheManager manager = local()) {
            assertEquals(0, cache(manager, withStore(directory)).size());
        }
    }

    @Test
    void asManyEntriesAsDoNotFitInMemory() throws Exception {
        ConfigurationBuilder configuration = new ConfigurationBuilder();
        store(configuration, directory).durability(DurabilityLevel.PROCESS);
        configuration.memory().maxCount(100);
        configuration.persistence().passivation(true);
        try (DefaultCacheManager manager = local()) {
            Cache<Integer, byte[]> cache = cache(manager, configuration);
            for (int i = 0; i < 3000; i++) {
                cache.put(i, new byte[i % 5000]);
            }
            assertEquals(3000, cache.size());
            for (int i = 0; i < 3000; i += 7) {
                assertEquals(i % 5000, cache.get(i).length);
            }
        }
        try (DefaultCacheManager manager = local()) {
            assertEquals(3000, cache(manager, configuration).size());
        }
    }

    @Test
    void whatExpiresIsPurgedFromTheStore() throws Exception {
        ConfigurationBuilder configuration = withStore(directory);
        configuration.expiration().disableReaper();
        try (DefaultCacheManager manager = local()) {
            Cache<Integer, String> cache = cache(manager, configuration);
            for (int i = 0; i < 500; i++) {
                cache.put(i, "mortal", 1, TimeUnit.MILLISECONDS);
            }
            cache.put(-1, "immortal");
            cache.put(-2, "mortal", 1, TimeUnit.DAYS);
            Thread.sleep(2);
            cache.getAdvancedCache().getExpirationManager().processExpiration();
            assertEquals(Map.of(-1, "immortal", -2, "mortal"), new HashMap<>(cache));
        }
        try (CacheHeap heap = CacheHeap.open(directory.resolve("things.heap"), HeapOptions.defaults(), CACHE, 256)) {
            assertEquals(2, heap.sizeWithExpired(IntSets.immutableRangeSet(256)));
            assertEquals(1, heap.mortalSegments().size());
        }
    }

    @ParameterizedTest
    @CsvSource({"OPTIMISTIC, false, true", "OPTIMISTIC, true, true", "OPTIMISTIC, true, false", "PESSIMISTIC, false, true",
        "PESSIMISTIC, false, false"})
    void aTransactionIsWrittenWhole(LockingMode locking, boolean transactional, boolean synchronization) throws Exception {
        ConfigurationBuilder configuration = new ConfigurationBuilder();
        store(configuration, directory).transactional(transactional);
        configuration.transaction().transactionMode(TransactionMode.TRANSACTIONAL).lockingMode(locking)
                .useSynchronization(synchronization).transactionManagerLookup(new EmbeddedTransactionManagerLookup());
        try (DefaultCacheManager manager = local()) {
            Cache<String, String> cache = cache(manager, configuration);
            TransactionManager transactions = cache.getAdvancedCache().getTransactionManager();
            cache.put("removed", "old");
            transactions.begin();
            cache.put("a", "1");
            cache.put("b", "2");
            cache.remove("removed");
            transactions.commit();
            transactions.begin();
            cache.put("a", "rolled back");
            transactions.rollback();
        }
        try (DefaultCacheManager manager = local()) {
            assertEquals(Map.of("a", "1", "b", "2"), new HashMap<>(cache(manager, configuration)));
        }
    }

    @Test
    void manyWritersShareTheStore() throws Exception {
        try (DefaultCacheManager manager = local()) {
            Cache<Integer, Integer> cache = cache(manager, withStore(directory));
            List<CompletableFuture<Integer>> puts = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                puts.add(cache.putAsync(i % 700, i));
            }
            puts.forEach(CompletableFuture::join);
        }
        try (DefaultCacheManager manager = local()) {
            Cache<Integer, Integer> cache = cache(manager, withStore(directory));
            assertEquals(700, cache.size());
            cache.forEach((key, value) -> assertEquals(key, value % 700));
        }
    }

    /** The files remain, because Infinispan clears and closes the store of a removed cache. */
    @Test
    void aRemovedCacheLeavesNoEntries() throws Exception {
        try (DefaultCacheManager manager = local()) {
            cache(manager, withStore(directory)).put("key", "value");
            manager.administration().removeCache(CACHE);
            assertEquals(0, cache(manager, withStore(directory)).size());
        }
    }

    @Test
    void aFullStoreRefusesWritesAndGoesOn() throws Exception {
        ConfigurationBuilder configuration = new ConfigurationBuilder();
        store(configuration, directory).maxSize(1 << 20);
        try (DefaultCacheManager manager = local()) {
            Cache<Integer, byte[]> cache = cache(manager, configuration);
            int[] next = {0};
            CacheException e = assertThrows(CacheException.class, () -> {
                while (true) {
                    cache.put(next[0], new byte[10_000]);
                    next[0]++;
                }
            });
            assertTrue(allOf(e).contains("things.heap") && allOf(e).contains("full"), allOf(e));
            assertEquals(10_000, cache.get(next[0] - 1).length);
            assertTrue(next[0] > 50 && next[0] < 110, next[0] + " entries");
            for (int i = 0; i < 10; i++) {
                cache.remove(i);
            }
            cache.put(3, new byte[10_000]);
        }
        try (DefaultCacheManager manager = local()) {
            assertEquals(10_000, CacheTest.<Integer, byte[]>cache(manager, configuration).get(3).length);
        }
    }

    @Test
    void anEntryLargerThanTheLogIsRefused() throws Exception {
        try (DefaultCacheManager manager = local()) {
            Cache<Integer, byte[]> cache = cache(manager, withStore(directory));
            CacheException e = assertThrows(CacheException.class, () -> cache.put(1, random(700_000)));
            assertTrue(allOf(e).contains("logSize"), allOf(e));
            cache.put(2, random(400_000));
        }
        try (DefaultCacheManager manager = local()) {
            assertEquals(java.util.Set.of(2), new java.util.HashSet<>(cache(manager, withStore(directory)).keySet()));
        }
    }

    @Test
    void aBatchLargerThanTheLogOfTheFileIsWrittenInParts() throws Exception {
        ConfigurationBuilder larger = new ConfigurationBuilder();
        store(larger, directory).logSize(32 << 20);
        try (DefaultCacheManager manager = local()) {
            cache(manager, withStore(directory)).put(-1, random(1));
        }
        try (DefaultCacheManager manager = local()) {
            Map<Integer, byte[]> batch = new HashMap<>();
            for (int i = 0; i < 40; i++) {
                batch.put(i, random(100_000 + i));
            }
            cache(manager, larger).putAll(batch);
        }
        try (DefaultCacheManager manager = local()) {
            Cache<Integer, byte[]> cache = cache(manager, larger);
            assertEquals(41, cache.size());
            assertArrayEquals(random(100_007), cache.get(7));
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new java.util.Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void aDamagedHeapIsRefusedByName() throws Exception {
        try (DefaultCacheManager manager = local()) {
            cache(manager, withStore(directory)).put("key", "value");
        }
        Path file = directory.resolve("things.heap");
        byte[] bytes = Files.readAllBytes(file);
        java.util.Arrays.fill(bytes, 0, 8192, (byte) 7);
        Files.write(file, bytes);
        try (DefaultCacheManager manager = local()) {
            CacheException e = assertThrows(CacheException.class, () -> cache(manager, withStore(directory)));
            assertTrue(allOf(e).contains(file.toString()), allOf(e));
        }
    }

    @Test
    void aHeapIsOpenInOneManagerOnly() throws Exception {
        try (DefaultCacheManager manager = local(); DefaultCacheManager second = local()) {
            cache(manager, withStore(directory)).put("key", "value");
            CacheException e = assertThrows(CacheException.class, () -> cache(second, withStore(directory)));
            assertTrue(allOf(e).contains("things.heap") && allOf(e).contains("open"), allOf(e));
            assertEquals("value", manager.getCache(CACHE).get("key"));
        }
    }

    @Test
    void cachesWhoseNamesMakeOneFileAreToldApart() throws Exception {
        try (DefaultCacheManager manager = local()) {
            manager.createCache("a/b", withStore(directory).build()).put("key", "value");
        }
        try (DefaultCacheManager manager = local()) {
            CacheException e = assertThrows(CacheException.class, () -> manager.createCache("a b", withStore(directory).build()));
            assertTrue(allOf(e).contains("a/b") && allOf(e).contains("another path"), allOf(e));
        }
    }

    @Test
    void anotherNumberOfSegmentsIsRefused() throws Exception {
        try (DefaultCacheManager manager = local()) {
            cache(manager, withStore(directory)).put("key", "value");
        }
        ConfigurationBuilder other = new ConfigurationBuilder();
        store(other, directory).segmented(false);
        try (DefaultCacheManager manager = local()) {
            CacheException e = assertThrows(CacheException.class, () -> cache(manager, other));
            assertTrue(allOf(e).contains("256 segments") && allOf(e).contains("for 1"), allOf(e));
        }
    }

    /**
     * Operations that run while a cache stops find such a store. They must return a failed stage, because an exception would end in
     * a thread of Infinispan.
     */
    @Test
    void operationsOfAStoppedStoreFail() throws Exception {
        try (DefaultCacheManager manager = local()) {
            Cache<Integer, String> cache = cache(manager, withStore(directory));
            cache.put(1, "mortal", 1, TimeUnit.DAYS);
            PersistenceManager stores = ComponentRegistry.componentOf(cache, PersistenceManager.class);
            PersistentHeapStore<?, ?> store = stores.getStores(PersistentHeapStore.class).iterator().next();
            store.stop().toCompletableFuture().join();
            assertFalse(store.isAvailable().toCompletableFuture().join());
            IntSet all = IntSets.immutableRangeSet(256);
            for (CompletionStage<?> operation : List.of(store.load(0, 1), store.delete(0, 1), store.clear(), store.size(all),
                    Flowable.fromPublisher(store.publishKeys(all, null)).toList().toCompletionStage(),
                    Flowable.fromPublisher(store.purgeExpired()).toList().toCompletionStage())) {
                Throwable e = assertThrows(CompletionException.class, () -> operation.toCompletableFuture().join()).getCause();
                assertTrue(e instanceof PersistenceException && e.getMessage().contains("stopped"), e::toString);
            }
        }
    }
}
