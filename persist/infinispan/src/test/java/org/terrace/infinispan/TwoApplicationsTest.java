// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.function.ToLongFunction;
import org.infinispan.commons.util.IntSets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.Bytes;

/** Tests two applications of a server that have this store each, and share the library of persistent objects. */
class TwoApplicationsTest {
    private static final String PACKAGE = TwoApplicationsTest.class.getPackageName();

    @TempDir
    Path directory;
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void end() {
        Thread.currentThread().setContextClassLoader(context);
    }

    /** The class loader of an application. */
    private static final class Application extends URLClassLoader {
        Application() {
            super(new URL[] {of(CacheHeap.class), of(TwoApplicationsTest.class)}, TwoApplicationsTest.class.getClassLoader());
        }

        private static URL of(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null || !name.startsWith(PACKAGE + ".")) {
                    return loaded != null ? loaded : super.loadClass(name, resolve);
                }
                return findClass(name);
            }
        }

        @SuppressWarnings("unchecked")
        ToLongFunction<Path> store() throws ReflectiveOperationException {
            return (ToLongFunction<Path>) loadClass(Store.class.getName()).getDeclaredConstructor().newInstance();
        }
    }

    /** Adds an entry to a cache, and counts the entries. An application has its own copy of this class. */
    public static final class Store implements ToLongFunction<Path> {
        @Override
        public long applyAsLong(Path file) {
            try (CacheHeap heap = CacheHeap.open(file, HeapOptions.defaults().maxSize(4 << 20).logSize(1 << 20), "a", 2)) {
                long before = heap.sizeWithExpired(IntSets.immutableRangeSet(2));
                byte[] key = {(byte) before};
                heap.change(new Change((int) before % 2, Bytes.copyOf(key), new StoredEntry(key, null, null, -1, -1, -1)));
                for (int i = 0; i <= before; i++) {
                    assertEquals(i, heap.get(i % 2, Bytes.copyOf(new byte[] {(byte) i}), 0).value()[0]);
                }
                return heap.sizeWithExpired(IntSets.immutableRangeSet(2));
            }
        }
    }

    /** A thread of a pool can have the class loader of either application, or none. */
    @Test
    void theClassLoaderOfTheThreadDoesNotMatter() throws IOException, ReflectiveOperationException {
        try (Application first = new Application(); Application second = new Application()) {
            ToLongFunction<Path> ofFirst = first.store();
            ToLongFunction<Path> ofSecond = second.store();
            assertNotSame(ofFirst.getClass(), ofSecond.getClass());
            long entries = 0;
            for (ClassLoader loader : new ClassLoader[] {second, first, null, second}) {
                Thread.currentThread().setContextClassLoader(loader);
                assertEquals(++entries, ofFirst.applyAsLong(directory.resolve("first.heap")));
                assertEquals(entries, ofSecond.applyAsLong(directory.resolve("second.heap")));
            }
        }
    }
}
