// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Finds classes of the program by the names that heaps hold: through the thread's context, this library, and the loaders of the
 * persistent classes that were met before.
 */
public final class ClassLookup {
    private static final Set<ClassLoader> LOADERS = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private ClassLookup() {
    }

    /** The class's loader may have others that heaps name. */
    public static void met(Class<?> type) {
        if (type.getClassLoader() != null) {
            LOADERS.add(type.getClassLoader());
        }
    }

    /** As {@link #met}, and initializes it. */
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
     * The class. It is not initialized: what a heap names may be any class of the program.
     *
     * @throws ClassNotFoundException if this program has none of that name
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
                // The next one may have it.
            }
        }
        throw new ClassNotFoundException(name);
    }
}
