// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests two class loaders with persistent classes of the same name. */
class ClassLoadersTest {
    static final class Twin extends PersistentObject {
        static final PersistentClass<Twin> CLASS = PersistentClass.of(Twin.class, Twin::new)
                .field("value", FieldType.LONG).field("next", FieldType.REFERENCE).build();

        Twin(Heap heap, int value, Twin next) {
            super(CLASS, heap);
            setLong(0, value);
            setReference(8, next);
        }

        private Twin(Heap heap, long offset) {
            super(heap, offset);
        }

        long value() {
            return getLong(0);
        }

        Twin next() {
            return (Twin) getReference(8);
        }

        void next(Twin next) {
            setReference(8, next);
        }
    }

    @TempDir
    Path directory;
    private final Class<?> other = load();

    /** Loads {@link Twin} again in another loader. */
    private static Class<?> load() {
        ClassLoader loader = new ClassLoader("the other loader", ClassLoadersTest.class.getClassLoader()) {
            @Override
            public String toString() {
                return getName();
            }

            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (!name.equals(Twin.class.getName()) || findLoadedClass(name) != null) {
                    return super.loadClass(name, resolve);
                }
                try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        };
        try {
            return Class.forName(Twin.class.getName(), true, loader);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private Object makeOther(Heap heap, int value) {
        try {
            Constructor<?> constructor = other.getDeclaredConstructor(Heap.class, int.class, other);
            constructor.setAccessible(true);
            return constructor.newInstance(heap, value, null);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private Heap open(String name) {
        return Heap.open(directory.resolve(name), HeapOptions.defaults().maxSize(8 << 20).durability(Durability.PROCESS));
    }

    @Test
    void oneHeapTakesOneOfThem() {
        assertNotSame(Twin.class, other);
        assertEquals(Twin.class.getName(), other.getName());
        try (Heap heap = open("one.heap")) {
            Twin cell = heap.root("cell", Twin.class, () -> new Twin(heap, 1, null));
            HeapException e = assertThrows(HeapException.class, () -> heap.atomic(() -> makeOther(heap, 2)));
            assertTrue(e.getMessage().contains(Twin.class.getName()), e.getMessage());
            assertTrue(e.getMessage().contains("the other loader"), e.getMessage());
            e = assertThrows(HeapException.class, () -> heap.root("cell", other));
            assertTrue(e.getMessage().contains("class loader") && e.getMessage().contains("the other loader"), e.getMessage());
            heap.atomic(() -> cell.next(new Twin(heap, 3, null)));
            assertEquals(3, heap.root("cell", Twin.class).next().value());
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void eachOfTwoHeapsHasItsOwn() {
        for (int life = 0; life < 3; life++) {
            // The class that was loaded last must not be used for both heaps.
            boolean swapped = life == 1;
            try (Heap first = open("first.heap"); Heap second = open("second.heap")) {
                Object othersRoot = swapped ? second.root("cell", other) : null;
                Twin cell = first.root("cell", Twin.class, () -> new Twin(first, 1, new Twin(first, 11, null)));
                if (!swapped) {
                    othersRoot = second.root("cell", (Class<Object>) (Class<?>) other, () -> makeOther(second, 2));
                }
                assertSame(other, othersRoot.getClass());
                assertSame(Twin.class, first.root("cell", PersistentObject.class).getClass());
                assertSame(other, second.root("cell", PersistentObject.class).getClass());
                assertEquals(11, cell.next().value());
                assertThrows(HeapException.class, () -> second.root("cell", Twin.class));
            }
        }
    }
}
