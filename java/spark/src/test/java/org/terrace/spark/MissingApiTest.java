// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.Test;

/** Tests the plugin without the API, as if a user had passed only the plugin's classes. */
class MissingApiTest {

    /** A class loader that finds the classes of the plugin, but not the API. */
    private static final class WithoutApi extends ClassLoader {

        WithoutApi() {
            super(TerracePlugin.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.terrace.spark.")) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
            if (name.startsWith("org.terrace.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void thePluginSaysWhatIsMissing() throws Exception {
        Class<?> plugin = new WithoutApi().loadClass(TerracePlugin.class.getName());
        Throwable problem = assertThrows(InvocationTargetException.class, () -> plugin.getConstructor().newInstance()).getCause();
        assertInstanceOf(IllegalStateException.class, problem);
        assertTrue(problem.getMessage().contains("org.terrace.SecondHeap is not on the class path"), problem::getMessage);
        assertTrue(problem.getMessage().contains("terrace-spark-<version>.jar"), problem::getMessage);
    }
}
