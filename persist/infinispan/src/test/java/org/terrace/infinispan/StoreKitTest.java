// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.persistence.BaseNonBlockingStoreTest;
import org.infinispan.persistence.spi.NonBlockingStore;
import org.terrace.infinispan.configuration.DurabilityLevel;
import org.terrace.infinispan.configuration.PersistentHeapStoreConfigurationBuilder;
import org.testng.Assert;
import org.testng.annotations.AfterClass;
import org.testng.annotations.Test;

/** Runs Infinispan's own tests of a store. */
@Test(groups = "unit", testName = "StoreKitTest")
public class StoreKitTest extends BaseNonBlockingStoreTest {
    private Path directory;

    boolean isSegmented() {
        return true;
    }

    @Override
    protected NonBlockingStore<Object, Object> createStore() {
        return new PersistentHeapStore<>();
    }

    @Override
    protected Configuration buildConfig(ConfigurationBuilder builder) {
        try {
            directory = Files.createTempDirectory("kit");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return builder.persistence().addStore(PersistentHeapStoreConfigurationBuilder.class).path(directory.toString())
                .maxSize(64 << 20).logSize(1 << 20).durability(DurabilityLevel.PROCESS).segmented(isSegmented()).build();
    }

    public void testDestroyDeletesTheFiles() throws Exception {
        store.write(marshalledEntry(internalCacheEntry("key", "value", -1)));
        store.delegate().destroy().toCompletableFuture().get();
        Assert.assertEquals(directory.toFile().list(), new String[0]);
        startStore(store);
        assertContains("key", false);
    }

    public void testAddedSegmentsAreEmpty() throws Exception {
        if (!isSegmented()) {
            return;
        }
        var entry = marshalledEntry(internalCacheEntry("key", "value", -1));
        IntSet five = IntSets.immutableSet(5);
        store.write(5, entry).toCompletableFuture().get();
        store.removeSegments(five).toCompletableFuture().get();
        store.write(5, entry).toCompletableFuture().get();
        Assert.assertNull(store.load(5, "key").toCompletableFuture().get());
        store.addSegments(five).toCompletableFuture().get();
        Assert.assertNull(store.load(5, "key").toCompletableFuture().get());
        store.write(5, entry).toCompletableFuture().get();
        Assert.assertEquals(store.load(5, "key").toCompletableFuture().get().getValue(), "value");
    }

    @AfterClass(alwaysRun = true)
    void deleteFiles() {
        Util.recursiveFileRemove(directory.toString());
    }
}
