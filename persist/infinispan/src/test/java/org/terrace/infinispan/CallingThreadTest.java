// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.terrace.infinispan.CacheManagers.CACHE;
import static org.terrace.infinispan.CacheManagers.store;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import org.infinispan.Cache;
import org.infinispan.commons.marshall.JavaSerializationMarshaller;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.factories.ComponentRegistry;
import org.infinispan.factories.GlobalComponentRegistry;
import org.infinispan.factories.KnownComponentNames;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.persistence.manager.PersistenceManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.infinispan.configuration.DurabilityLevel;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;

/**
 * Tests which operations run on the caller's thread. A key records the thread that serializes it, which the store does when it
 * searches for it.
 */
class CallingThreadTest {
    private static final Queue<Thread> THREADS = new ConcurrentLinkedQueue<>();

    @TempDir
    Path directory;

    /** A key class with only one value. */
    private static final class Key implements Serializable {
        private static final long serialVersionUID = 1;

        private void writeObject(ObjectOutputStream out) throws IOException {
            THREADS.add(Thread.currentThread());
            out.defaultWriteObject();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** An operation on the store of a cache. */
    private interface Action {
        void accept(PersistentHeapStore<?, ?> store, Cache<Key, String> cache) throws Exception;
    }

    private void withStore(DurabilityLevel level, Action action) throws Exception {
        GlobalConfigurationBuilder global = new GlobalConfigurationBuilder().nonClusteredDefault();
        global.serialization().marshaller(new JavaSerializationMarshaller()).allowList().addClass(Key.class.getName());
        ConfigurationBuilder configuration = new ConfigurationBuilder();
        store(configuration, directory).durability(level);
        try (DefaultCacheManager manager = new DefaultCacheManager(global.build())) {
            Cache<Key, String> cache = manager.createCache(CACHE, configuration.build());
            cache.put(new Key(), "value");
            PersistenceManager stores = ComponentRegistry.componentOf(cache, PersistenceManager.class);
            PersistentHeapStore<?, ?> store = stores.getStores(PersistentHeapStore.class).iterator().next();
            THREADS.clear();
            action.accept(store, cache);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anApplicationsThreadReads(DurabilityLevel level) throws Exception {
        withStore(level, (store, cache) -> {
            cache.evict(new Key());
            assertEquals("value", cache.get(new Key()));
            assertEquals(Thread.currentThread(), THREADS.poll());
        });
    }

    @ParameterizedTest
    @EnumSource
    void anApplicationsThreadWritesUnlessThatWaitsForASync(DurabilityLevel level) throws Exception {
        withStore(level, (store, cache) -> {
            store.delete(0, new Key()).toCompletableFuture().join();
            assertEquals(level != DurabilityLevel.SYNC, Thread.currentThread() == THREADS.poll());
        });
    }

    @Test
    void aThreadThatMayNotBlockHandsOver() throws Exception {
        withStore(DurabilityLevel.PROCESS, (store, cache) -> {
            ExecutorService nonBlocking = GlobalComponentRegistry.of(cache.getCacheManager())
                    .getComponent(ExecutorService.class, KnownComponentNames.NON_BLOCKING_EXECUTOR);
            Thread caller = CompletableFuture.supplyAsync(() -> {
                store.containsKey(0, new Key()).toCompletableFuture().join();
                return Thread.currentThread();
            }, nonBlocking).join();
            assertFalse(THREADS.isEmpty());
            assertFalse(THREADS.contains(caller));
        });
    }

    @Test
    void aBlockOfAnotherHeapDoesNotContainWhatACacheDoes() throws Exception {
        withStore(DurabilityLevel.PROCESS, (store, cache) -> {
            try (Heap other = Heap.open(directory.resolve("other.heap"), HeapOptions.defaults().logSize(1 << 20))) {
                assertThrows(IllegalStateException.class, () -> other.atomic((Runnable) () -> {
                    cache.put(new Key(), "changed");
                    throw new IllegalStateException("rolled back");
                }));
            }
            cache.evict(new Key());
            assertEquals("changed", cache.get(new Key()));
        });
    }
}
