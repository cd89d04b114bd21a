// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan.configuration;

import org.infinispan.commons.configuration.BuiltBy;
import org.infinispan.commons.configuration.ConfigurationFor;
import org.infinispan.commons.configuration.attributes.AttributeDefinition;
import org.infinispan.commons.configuration.attributes.AttributeSet;
import org.infinispan.configuration.cache.AbstractStoreConfiguration;
import org.infinispan.configuration.cache.AsyncStoreConfiguration;
import org.infinispan.configuration.serializing.SerializedWith;
import org.terrace.infinispan.PersistentHeapStore;
import org.terrace.persist.HeapOptions;

/** The configuration of a {@link PersistentHeapStore}. Sizes are in bytes. */
@BuiltBy(PersistentHeapStoreConfigurationBuilder.class)
@ConfigurationFor(PersistentHeapStore.class)
@SerializedWith(PersistentHeapStoreSerializer.class)
public class PersistentHeapStoreConfiguration extends AbstractStoreConfiguration<PersistentHeapStoreConfiguration> {
    static final AttributeDefinition<String> PATH = AttributeDefinition.builder("path", null, String.class).immutable().build();
    static final AttributeDefinition<Long> MAX_SIZE = AttributeDefinition.builder("max-size", 64L << 30, Long.class).immutable()
            .build();
    static final AttributeDefinition<Long> LOG_SIZE = AttributeDefinition.builder("log-size", 64L << 20, Long.class).immutable()
            .build();
    static final AttributeDefinition<DurabilityLevel> DURABILITY = AttributeDefinition
            .builder("durability", DurabilityLevel.SYNC, DurabilityLevel.class).immutable().build();
    static final AttributeDefinition<Long> GROUP_INTERVAL = AttributeDefinition.builder("group-interval", 10L, Long.class)
            .immutable().build();

    public static AttributeSet attributeDefinitionSet() {
        return new AttributeSet(PersistentHeapStoreConfiguration.class, AbstractStoreConfiguration.attributeDefinitionSet(), PATH,
                MAX_SIZE, LOG_SIZE, DURABILITY, GROUP_INTERVAL);
    }

    PersistentHeapStoreConfiguration(AttributeSet attributes, AsyncStoreConfiguration async) {
        super(Names.ELEMENT, attributes, async);
    }

    /** The directory of the heap files, or null for the directory of the global state. */
    public String path() {
        return attributes.attribute(PATH).get();
    }

    /** Maximum size of the entries, for a new store. */
    public long maxSize() {
        return attributes.attribute(MAX_SIZE).get();
    }

    /** Size of the redo log, for a new store. One entry or transaction may take at most half of it. */
    public long logSize() {
        return attributes.attribute(LOG_SIZE).get();
    }

    public DurabilityLevel durability() {
        return attributes.attribute(DURABILITY).get();
    }

    /** Milliseconds between syncs at {@link DurabilityLevel#GROUP}. */
    public long groupInterval() {
        return attributes.attribute(GROUP_INTERVAL).get();
    }

    public HeapOptions heapOptions() {
        return HeapOptions.defaults().maxSize(maxSize()).logSize(logSize()).durability(durability().of(groupInterval()));
    }
}
