// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds classes of the program by the names in one heap, from its opening to its closing. Several programs in one VM may have
 * classes of the same name, so it asks for a class in this order:
 * <ol>
 * <li>the classes that the heap was opened with,
 * <li>their loaders, unless the context class loader has the same classes,
 * <li>the context class loader of the thread that opened the heap,
 * <li>the context class loader of the thread that asks, and the loader of this library,
 * <li>the <em>other loaders</em>, which are those of persistent classes that any program of the VM has used. The newest definition
 * comes first.
 * </ol>
 * The first class that suits is the one of its name until the heap is closed, whatever other programs define meanwhile.
 *
 * <p>All but the other loaders are asked each time, so a class that they can define from now on is found. If the other loaders lack
 * a class, they are asked for it again after a loader has been added, after one of them has defined another persistent class, and
 * by the next opening. Until then, a class that one of them can define only now is not found.
 *
 * <p>An other loader may belong to a program that has been stopped. It is not kept in memory, and its failures are ignored.
 */
public final class ClassLookup {
    private static final ClassLoader LIBRARY = ClassLookup.class.getClassLoader();
    private static final NewestFirst<ClassLoader> LOADERS = new NewestFirst<>();
    /** Persistent classes that were defined, by name. */
    private static final Map<String, NewestFirst<Class<?>>> DEFINED = new ConcurrentHashMap<>();
    /** Persistent classes that were defined, by former name. */
    private static final Map<String, NewestFirst<Class<?>>> FORMERLY = new ConcurrentHashMap<>();
    /** Number of changes of the other loaders. Each change is made before it is counted. */
    private static final AtomicLong CHANGES = new AtomicLong();

    private final Map<String, Class<?>> chosen;
    /** Loaders to ask before those of the thread and the library. */
    private final List<ClassLoader> first = new ArrayList<>();
    /** The classes that were found, by the names in the heap and by their own. */
    private final Map<String, WeakReference<Class<?>>> found = new ConcurrentHashMap<>();
    /** The value of {@link #CHANGES} before the other loaders were asked for a class that they lack, by its name. */
    private final Map<String, Long> lacking = new ConcurrentHashMap<>();

    /** @param chosen classes that the heap is opened with, which have different names */
    public ClassLookup(List<Class<?>> chosen) {
        this.chosen = chosen.stream().collect(Collectors.toMap(Class::getName, Function.identity(), (type, same) -> type));
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        for (Class<?> type : chosen) {
            if (type.getClassLoader() != null && !has(context, type)) {
                first.add(type.getClassLoader());
            }
        }
        if (context != null) {
            first.add(context);
        }
    }

    private static boolean has(ClassLoader loader, Class<?> type) {
        try {
            return Class.forName(type.getName(), false, loader) == type;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Notes that a persistent class was defined. Its loader may find other classes that heaps name. */
    public static void defined(Class<?> type, List<String> formerNames) {
        DEFINED.computeIfAbsent(type.getName(), name -> new NewestFirst<>()).add(type);
        formerNames.forEach(former -> FORMERLY.computeIfAbsent(former, name -> new NewestFirst<>()).add(type));
        addLoader(type.getClassLoader());
    }

    /** Notes the class's loader, and initializes the class. */
    public static void use(Class<?> type) {
        if (!LOADERS.contains(type.getClassLoader())) {
            addLoader(type.getClassLoader());
        }
        initialize(type);
    }

    private static void addLoader(ClassLoader loader) {
        if (loader != null && loader != LIBRARY) {
            LOADERS.add(loader);
            CHANGES.incrementAndGet();
        }
    }

    public static void initialize(Class<?> type) {
        try {
            Class.forName(type.getName(), true, type.getClassLoader());
        } catch (ClassNotFoundException e) {
            // A primitive type has nothing to initialize, and a hidden class is initialized by whoever defines it.
        }
    }

    /** The class of this name that the heap was opened with, or null. */
    public Class<?> chosen(String name) {
        return chosen.get(name);
    }

    /**
     * Finds a class without initializing it, because a heap may name any class of the program. In each place, the class may have
     * this name, say that it formerly had it, or have one of the former names.
     *
     * @param suits whether a class can be the one that the heap names. It may initialize the class
     * @return the class, or null if no place has one that suits
     */
    public Class<?> find(String name, List<String> formerNames, Predicate<Class<?>> suits) {
        WeakReference<Class<?>> known = found.get(name);
        Class<?> before = known == null ? null : known.get();
        if (before != null && suits.test(before)) {
            return before;
        }
        Long changes = CHANGES.get();
        boolean again = !changes.equals(lacking.get(name));
        Class<?> type = first(Stream.ofNullable(chosen.get(name)), suits);
        for (Iterator<Function<String, Stream<Class<?>>>> place = places(again).iterator(); type == null && place.hasNext();) {
            type = find(place.next(), name, formerNames, suits);
        }
        if (type == null) {
            lacking.put(name, changes);
        } else {
            found.put(name, new WeakReference<>(type));
            found.put(type.getName(), new WeakReference<>(type));
        }
        return type;
    }

    /** Why no persistent class of this name was found, as a part of a message. */
    public String reason(String name) {
        Set<ClassLoader> loaders = loaders();
        for (ClassLoader loader : loaders) {
            Class<?> type = find(loader, name);
            if (type != null) {
                return "the class of that name of " + type.getClassLoader() + " is not persistent";
            }
        }
        return "asked were " + loaders + " and the loaders of other persistent classes";
    }

    /** The loaders to ask, in their order, as functions from a name to the classes that have it. */
    private Stream<Function<String, Stream<Class<?>>>> places(boolean again) {
        return Stream.concat(loaders().stream().map(loader -> name -> Stream.ofNullable(find(loader, name))),
                Stream.of(name -> others(name, again)));
    }

    // No flat map of places and names: it would ask for all classes of a place.
    private static Class<?> find(Function<String, Stream<Class<?>>> place, String name, List<String> formerNames,
            Predicate<Class<?>> suits) {
        Class<?> type = first(place.apply(name), suits);
        if (type == null) {
            type = first(named(FORMERLY, name).filter(renamed -> place.apply(renamed.getName()).anyMatch(renamed::equals)), suits);
        }
        for (Iterator<String> former = formerNames.iterator(); type == null && former.hasNext();) {
            type = first(place.apply(former.next()), suits);
        }
        return type;
    }

    private static Class<?> first(Stream<Class<?>> types, Predicate<Class<?>> suits) {
        return types.filter(suits).findFirst().orElse(null);
    }

    private static Stream<Class<?>> named(Map<String, NewestFirst<Class<?>>> classes, String name) {
        NewestFirst<Class<?>> named = classes.get(name);
        return named == null ? Stream.empty() : named.stream();
    }

    /** The loaders that are asked each time. */
    private Set<ClassLoader> loaders() {
        Set<ClassLoader> loaders = new LinkedHashSet<>(first);
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context != null) {
            loaders.add(context);
        }
        loaders.add(LIBRARY);
        return loaders;
    }

    private static Class<?> find(ClassLoader loader, String name) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private Stream<Class<?>> others(String name, boolean again) {
        Stream<Class<?>> defined = named(DEFINED, name);
        if (!again) {
            return defined;
        }
        Set<ClassLoader> asked = loaders();
        Stream<Class<?>> more = LOADERS.stream().filter(loader -> !asked.contains(loader)).map(loader -> {
            try {
                return find(loader, name);
            } catch (LinkageError | RuntimeException e) {
                // For example, its program has been stopped.
                return null;
            }
        });
        return Stream.concat(defined, more.filter(Objects::nonNull));
    }
}
