// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Finds classes of the program by the names in heaps. It uses the thread's context class loader, the loader of this library, and
 * the loaders of persistent classes that were used before.
 */
public final class ClassLookup {
    private static final Set<ClassLoader> LOADERS = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private ClassLookup() {
    }

    /** Notes the class's loader, which may find other classes that heaps name. */
    public static void met(Class<?> type) {
        if (type.getClassLoader() != null) {
            LOADERS.add(type.getClassLoader());
        }
    }

    /** Like {@link #met}, and initializes the class. */
    public static void use(Class<?> type) {
        met(type);
        initialize(type);
    }

    public static void initialize(Class<?> type) {
        try {
            Class.forName(type.getName(), true, type.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Finds a class without initializing it, because a heap may name any class of the program.
     *
     * @throws ClassNotFoundException if this program has no class of that name
     */
    public static Class<?> find(String name) throws ClassNotFoundException {
        Set<ClassLoader> loaders = new LinkedHashSet<>();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context != null) {
            loaders.add(context);
        }
        loaders.add(ClassLookup.class.getClassLoader());
        synchronized (LOADERS) {
            loaders.addAll(LOADERS);
        }
        for (ClassLoader loader : loaders) {
            try {
                return Class.forName(name, false, loader);
            } catch (ClassNotFoundException e) {
                // The next loader may find it.
            }
        }
        throw new ClassNotFoundException(name);
    }
}
