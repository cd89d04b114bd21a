// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.infinispan.persistence.PersistenceUtil;
import org.infinispan.persistence.spi.PersistenceException;

/** The files of a store, which are {@code CACHE.heap} and its log in the store's directory. */
final class HeapFiles {
    private HeapFiles() {
    }

    /** Durably creates the directory and returns the path of the heap in it. */
    static Path prepare(Path directory, String cache) {
        try {
            make(directory.toAbsolutePath());
        } catch (IOException e) {
            throw new PersistenceException("the store's directory " + directory + " cannot be created: " + e, e);
        }
        return directory.resolve(PersistenceUtil.sanitizedCacheName(cache) + ".heap");
    }

    private static void make(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Path parent = directory.getParent();
            if (parent != null) {
                make(parent);
            }
            Files.createDirectories(directory);
            if (parent != null) {
                try (FileChannel channel = FileChannel.open(parent, StandardOpenOption.READ)) {
                    channel.force(true);
                }
            }
        }
    }

    /**
     * Deletes a closed heap. The log is deleted first, because a closed heap can be opened without a log, but a log without its
     * heap is rejected.
     */
    static void delete(Path heap) {
        try {
            Files.deleteIfExists(heap.resolveSibling(heap.getFileName() + ".log"));
            Files.deleteIfExists(heap);
        } catch (IOException e) {
            throw new PersistenceException("the files of the store cannot be deleted: " + e, e);
        }
    }
}
