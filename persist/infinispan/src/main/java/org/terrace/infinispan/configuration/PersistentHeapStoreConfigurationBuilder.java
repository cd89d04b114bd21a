// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan.configuration;

import static org.terrace.infinispan.configuration.PersistentHeapStoreConfiguration.DURABILITY;
import static org.terrace.infinispan.configuration.PersistentHeapStoreConfiguration.GROUP_INTERVAL;
import static org.terrace.infinispan.configuration.PersistentHeapStoreConfiguration.LOG_SIZE;
import static org.terrace.infinispan.configuration.PersistentHeapStoreConfiguration.MAX_SIZE;
import static org.terrace.infinispan.configuration.PersistentHeapStoreConfiguration.PATH;

import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.configuration.cache.AbstractStoreConfiguration;
import org.infinispan.configuration.cache.AbstractStoreConfigurationBuilder;
import org.infinispan.configuration.cache.AsyncStoreConfiguration;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.infinispan.transaction.LockingMode;

/**
 * Configures a store in a program, for example by {@code
 * builder.persistence().addStore(PersistentHeapStoreConfigurationBuilder.class).path("/data")}.
 */
public class PersistentHeapStoreConfigurationBuilder extends
        AbstractStoreConfigurationBuilder<PersistentHeapStoreConfiguration, PersistentHeapStoreConfigurationBuilder> {
    private static final long MIN_BYTES = 1 << 20;

    public PersistentHeapStoreConfigurationBuilder(PersistenceConfigurationBuilder builder) {
        super(builder, PersistentHeapStoreConfiguration.attributeDefinitionSet(),
                AsyncStoreConfiguration.attributeDefinitionSet());
    }

    @Override
    public PersistentHeapStoreConfigurationBuilder self() {
        return this;
    }

    /**
     * The directory of the heap files, one for each cache. If global state is enabled, the path is resolved against the persistent
     * location and must be inside it. The default is that location.
     */
    public PersistentHeapStoreConfigurationBuilder path(String directory) {
        attributes.attribute(PATH).set(directory);
        return this;
    }

    /** Maximum bytes of the entries, at least 1 MiB. Fixed when the file is created. The default is 64 GiB. */
    public PersistentHeapStoreConfigurationBuilder maxSize(long bytes) {
        attributes.attribute(MAX_SIZE).set(bytes);
        return this;
    }

    /**
     * Bytes of the redo log, at least 1 MiB. Fixed when the file is created. The default is 64 MiB. One entry or transaction may
     * take at most half of it.
     */
    public PersistentHeapStoreConfigurationBuilder logSize(long bytes) {
        attributes.attribute(LOG_SIZE).set(bytes);
        return this;
    }

    /** The default is {@link DurabilityLevel#SYNC}. */
    public PersistentHeapStoreConfigurationBuilder durability(DurabilityLevel level) {
        attributes.attribute(DURABILITY).set(level);
        return this;
    }

    /** Milliseconds between syncs at {@link DurabilityLevel#GROUP}. The default is 10. */
    public PersistentHeapStoreConfigurationBuilder groupInterval(long milliseconds) {
        attributes.attribute(GROUP_INTERVAL).set(milliseconds);
        return this;
    }

    @Override
    public void validate() {
        if (attributes.attribute(AbstractStoreConfiguration.SHARED).get()) {
            throw new CacheConfigurationException(Names.STORE
                    + ": shared=\"true\" is not possible, because only one process can open a heap");
        }
        super.validate();
        atLeast("max-size", MIN_BYTES, attributes.attribute(MAX_SIZE).get());
        atLeast("log-size", MIN_BYTES, attributes.attribute(LOG_SIZE).get());
        atLeast("group-interval", 1, attributes.attribute(GROUP_INTERVAL).get());
        if (attributes.attribute(DURABILITY).get() == null) {
            throw new CacheConfigurationException(Names.STORE + ": durability must be SYNC, GROUP or PROCESS, not null");
        }
        if (attributes.attribute(GROUP_INTERVAL).isModified()
                && attributes.attribute(DURABILITY).get() != DurabilityLevel.GROUP) {
            throw new CacheConfigurationException(Names.STORE + ": group-interval is for durability=\"GROUP\" only, not "
                    + attributes.attribute(DURABILITY).get());
        }
        // In Infinispan, only the node where a transaction began writes to a transactional store. That works only for shared
        // stores.
        if (attributes.attribute(AbstractStoreConfiguration.TRANSACTIONAL).get()
                && getBuilder().clustering().cacheMode().isClustered()) {
            throw new CacheConfigurationException(Names.STORE + ": transactional=\"true\" is for local caches only: in a cluster,"
                    + " the stores of other owners would miss the changes. Without it, each owner writes transactions to its store");
        }
        // A pessimistic transaction is committed with its prepare, after which Infinispan never calls the store's commit.
        if (attributes.attribute(AbstractStoreConfiguration.TRANSACTIONAL).get()
                && getBuilder().transaction().lockingMode() == LockingMode.PESSIMISTIC) {
            throw new CacheConfigurationException(Names.STORE + ": transactional=\"true\" needs optimistic locking: with"
                    + " locking=\"PESSIMISTIC\", Infinispan never writes committed changes to the store. Omit one of the two");
        }
    }

    private static void atLeast(String name, long min, long value) {
        if (value < min) {
            throw new CacheConfigurationException(Names.STORE + ": " + name + " must be at least " + min + ", not " + value);
        }
    }

    @Override
    public void validate(GlobalConfiguration global) {
        super.validate(global);
        if (attributes.attribute(PATH).isNull() && !global.globalState().enabled()) {
            throw new CacheConfigurationException(Names.STORE + ": path is required, because the cache manager has no global state");
        }
    }

    @Override
    public PersistentHeapStoreConfiguration create() {
        return new PersistentHeapStoreConfiguration(attributes.protect(), async.create());
    }
}
