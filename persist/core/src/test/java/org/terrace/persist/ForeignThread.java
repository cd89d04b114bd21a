// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.terrace.persist.types.PersistentHashMap;

/** Reads a map from a heap. A separate class loader creates the instance, so that no class of the library has been used in it before. */
public final class ForeignThread implements Callable<Map<String, String>> {
    private final Path file;

    public ForeignThread(Path file) {
        this.file = file;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map<String, String> call() {
        try (Heap heap = Heap.open(file)) {
            return Map.copyOf(heap.root("map", PersistentHashMap.class));
        }
    }
}
