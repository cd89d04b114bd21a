// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds classes of the program by the names in one heap, from its opening to its closing. It asks the thread's context class
 * loader, the loader of this library, and the <em>other loaders</em>, which are those of persistent classes that the program has
 * used.
 *
 * <p>The context class loader and the loader of this library are asked each time, so a class that they can define from now on is
 * found. If the other loaders lack a class, they are asked for it again after a loader has been added, after one of them has
 * defined another persistent class, and by the next opening. Until then, a class that one of them can define only now is not found.
 */
public final class ClassLookup {
    private static final Set<ClassLoader> LOADERS = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private static final ClassLoader LIBRARY = ClassLookup.class.getClassLoader();
    /** Number of changes of the other loaders. Each change is made before it is counted. */
    private static final AtomicLong CHANGES = new AtomicLong();

    /** The value of {@link #CHANGES} before the other loaders were asked for a class that they lack, by its name. */
    private final Map<String, Long> lacking = new ConcurrentHashMap<>();

    /** Notes that a persistent class was defined. Its loader may find other classes that heaps name. */
    public static void defined(Class<?> type) {
        met(type);
        if (type.getClassLoader() != LIBRARY) {
            CHANGES.incrementAndGet();
        }
    }

    private static void met(Class<?> type) {
        if (type.getClassLoader() != null && LOADERS.add(type.getClassLoader())) {
            CHANGES.incrementAndGet();
        }
    }

    /** Notes the class's loader, and initializes the class. */
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
     * @throws ClassNotFoundException if the loaders lack a class of that name
     */
    public Class<?> find(String name) throws ClassNotFoundException {
        Set<ClassLoader> first = new LinkedHashSet<>();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context != null) {
            first.add(context);
        }
        first.add(LIBRARY);
        Class<?> found = find(name, first);
        Long changes = CHANGES.get();
        if (found == null && !changes.equals(lacking.get(name))) {
            found = find(name, others(first));
            if (found == null) {
                lacking.put(name, changes);
            }
        }
        if (found == null) {
            throw new ClassNotFoundException(name);
        }
        return found;
    }

    private static Set<ClassLoader> others(Set<ClassLoader> first) {
        synchronized (LOADERS) {
            Set<ClassLoader> others = new LinkedHashSet<>(LOADERS);
            others.removeAll(first);
            return others;
        }
    }

    private static Class<?> find(String name, Set<ClassLoader> loaders) {
        for (ClassLoader loader : loaders) {
            try {
                return Class.forName(name, false, loader);
            } catch (ClassNotFoundException e) {
                // The next loader may find it.
            }
        }
        return null;
    }
}
