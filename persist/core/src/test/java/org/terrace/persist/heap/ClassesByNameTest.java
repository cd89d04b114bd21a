// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClassesByNameTest {
    private final ClassesByName classes = new ClassesByName();

    @Test
    void theClassThatWasAddedLastComesFirst() {
        for (Class<?> type : List.of(Integer.class, Long.class, Integer.class)) {
            classes.add("a", type);
        }
        assertEquals(List.of(Integer.class, Long.class), classes.named("a").toList());
        assertEquals(List.of(), classes.named("b").toList());
        assertTrue(classes.contains("a", Long.class));
        assertFalse(classes.contains("b", Long.class));
    }

    /** A shell defines thousands of classes in a program that continues. */
    @Test
    void namesOfUnloadedClassesAreRemoved() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            classes.add("unloaded " + i, unloadable());
        }
        classes.add("both", unloadable());
        for (int i = 0; i < 100 && classes.size() > 1; i++) {
            System.gc();
            Thread.sleep(10);
            classes.add("both", Integer.class);
        }
        assertEquals(1, classes.size());
        assertEquals(List.of(Integer.class), classes.named("both").toList());
    }

    /** A class of a loader that nothing refers to. */
    private static Class<?> unloadable() {
        ClassLoader loader = new ClassLoader(Runnable.class.getClassLoader()) { };
        return Proxy.newProxyInstance(loader, new Class<?>[] {Runnable.class}, (proxy, method, arguments) -> null).getClass();
    }
}
