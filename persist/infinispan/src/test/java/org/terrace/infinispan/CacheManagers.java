// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.nio.file.Path;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.terrace.infinispan.configuration.PersistentHeapStoreConfigurationBuilder;

/** Common code of the tests of caches. */
final class CacheManagers {
    static final String CACHE = "things";

    private CacheManagers() {
    }

    static DefaultCacheManager local() {
        return new DefaultCacheManager(new GlobalConfigurationBuilder().nonClusteredDefault().build());
    }

    /** Configures a small store in this directory. */
    static PersistentHeapStoreConfigurationBuilder store(ConfigurationBuilder cache, Path directory) {
        return cache.persistence().addStore(PersistentHeapStoreConfigurationBuilder.class).path(directory.toString())
                .maxSize(64 << 20).logSize(1 << 20);
    }

    static ConfigurationBuilder withStore(Path directory) {
        ConfigurationBuilder builder = new ConfigurationBuilder();
        store(builder, directory);
        return builder;
    }
}
