// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.file.Path;
import org.infinispan.AdvancedCache;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.context.Flag;
import org.infinispan.eviction.EvictionStrategy;
import org.infinispan.manager.DefaultCacheManager;
import org.terrace.infinispan.configuration.DurabilityLevel;
import org.terrace.infinispan.configuration.PersistentHeapStoreConfigurationBuilder;

/** A local cache of Infinispan that writes through to a store, and keeps a part of the records in memory. */
final class InfinispanRecords extends WholeRecords {
    private static final long BYTES_BESIDE_RECORD = 1024;
    private static final long ROOM = 1L << 28;

    private final DefaultCacheManager manager;
    private final Cache<String, byte[]> cache;
    private final AdvancedCache<String, byte[]> writing;

    /** Adds a store to a cache. */
    private interface Adder {
        void to(PersistenceConfigurationBuilder persistence, String folder);
    }

    private InfinispanRecords(Path folder, Shape shape, Adder store) {
        ConfigurationBuilder builder = new ConfigurationBuilder();
        builder.memory().maxCount(shape.cachedRecords()).whenFull(EvictionStrategy.REMOVE);
        store.to(builder.persistence(), folder.resolve("infinispan").toAbsolutePath().toString());
        manager = new DefaultCacheManager(new GlobalConfigurationBuilder().nonClusteredDefault().build());
        cache = manager.createCache("ycsb", builder.build());
        // A put need not read the replaced value.
        writing = cache.getAdvancedCache().withFlags(Flag.IGNORE_RETURN_VALUES);
    }

    static Records terrace(Path folder, Level level, Shape shape) {
        long bytes = ROOM + 2 * shape.maxRecords() * (shape.recordBytes() + BYTES_BESIDE_RECORD);
        return new InfinispanRecords(folder, shape, (persistence, at) -> persistence
                .addStore(PersistentHeapStoreConfigurationBuilder.class).path(at).maxSize(bytes)
                .durability(level == Level.SYNC ? DurabilityLevel.SYNC : DurabilityLevel.PROCESS));
    }

    static Records softIndex(Path folder, Level level, Shape shape) {
        return new InfinispanRecords(folder, shape, (persistence, at) -> persistence.addSoftIndexFileStore()
                .dataLocation(at + "/data").indexLocation(at + "/index").syncWrites(level == Level.SYNC));
    }

    /** This store never syncs. */
    @SuppressWarnings({"deprecation", "removal"})
    static Records singleFile(Path folder, Level level, Shape shape) {
        return new InfinispanRecords(folder, shape, (persistence, at) -> persistence.addSingleFileStore().location(at));
    }

    @Override
    public byte[] read(String key) {
        return cache.get(key);
    }

    @Override
    void put(String key, byte[] record) {
        writing.put(key, record);
    }

    @Override
    public void close() throws java.io.IOException {
        manager.close();
    }
}
