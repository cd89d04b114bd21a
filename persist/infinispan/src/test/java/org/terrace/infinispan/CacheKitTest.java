// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.persistence.BaseStoreFunctionalTest;
import org.terrace.infinispan.configuration.PersistentHeapStoreConfigurationBuilder;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** Runs Infinispan's own tests of caches with a store, at the default level of durability. */
@Test(groups = "unit", testName = "CacheKitTest")
public class CacheKitTest extends BaseStoreFunctionalTest {
    private Path directory;

    @Override
    protected PersistenceConfigurationBuilder createCacheStoreConfig(PersistenceConfigurationBuilder persistence, String cache,
            boolean preload) {
        try {
            directory = Files.createTempDirectory("kit");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return persistence.addStore(PersistentHeapStoreConfigurationBuilder.class).maxSize(64 << 20).logSize(1 << 20)
                .path(directory.toString()).preload(preload).persistence();
    }

    @AfterMethod(alwaysRun = true)
    public void deleteFiles() {
        if (directory != null) {
            Util.recursiveFileRemove(directory.toString());
        }
    }
}
