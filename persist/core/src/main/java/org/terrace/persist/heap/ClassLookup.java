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
import org.terrace.persist.HeapOptions;

/**
 * Finds classes of the program by the names in one heap, from its opening to its closing. Several programs in one VM may have
 * classes of the same name, so it asks for a class in this order:
 * <ol>
 * <li>the classes that the heap was opened with,
 * <li>their loaders, unless the context class loader has the same classes,
 * <li>the context class loader of the thread that opened the heap,
 * <li>the context class loader of the thread that asks, and the loader of this library,
 * <li>the <em>other loaders</em>, which are those of persistent classes that any program of the VM has used. The newest definition
 * comes first. Their classes may belong to another program than the heap.
 * </ol>
 * The first place that has a class decides, even if the class is not initialized or defined yet. The class that the opening has
 * found holds until the heap is closed. A class that is found later holds once the heap uses it.
 *
 * <p>All but the other loaders are asked each time, so a class that they can define from now on is found. If the other loaders lack
 * a class, they are asked for it again after a loader has been added, after one of them has defined another persistent class, and
 * by the next opening. Until then, a class that one of them can define only now is not found.
 *
 * <p>A loader may belong to a program that has been stopped. If it fails, it lacks the class. Other loaders are not kept in memory.
 */
public final class ClassLookup {
    private static final ClassLoader LIBRARY = ClassLookup.class.getClassLoader();
    private static final NewestFirst<ClassLoader> LOADERS = new NewestFirst<>();
    /** Persistent classes that were defined, by name. */
    private static final ClassesByName DEFINED = new ClassesByName();
    /** Persistent classes that were defined, by former name. */
    private static final ClassesByName FORMERLY = new ClassesByName();
    /** Number of changes of the other loaders. Each change is made before it is counted. */
    private static final AtomicLong CHANGES = new AtomicLong();

    private final Map<String, Class<?>> chosen;
    /** Loaders to ask before those of the thread and the library. */
    private final List<ClassLoader> first = new ArrayList<>();
    /** The classes that hold since the opening, by the names that they have in the heap after it. */
    private final Map<String, WeakReference<Class<?>>> held = new ConcurrentHashMap<>();
    /** The value of {@link #CHANGES} before the other loaders were asked for a class that they lack, by its name. */
    private final Map<String, Long> lacking = new ConcurrentHashMap<>();

    /**
     * A class of a heap.
     *
     * @param suits whether a class of the program can be the one that the heap names. Initializes no class
     * @param initializing whether classes of the program may be initialized to learn their former names
     */
    public record Wanted(String name, List<String> formerNames, Predicate<Class<?>> suits, boolean initializing) {
    }

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

    /** Notes that a persistent class was defined. Its loader may find other classes that heaps name. */
    public static void defined(Class<?> type, List<String> formerNames) {
        formerNames.forEach(former -> FORMERLY.add(former, type));
        DEFINED.add(type.getName(), type);
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

    /** Lets a class that the opening has found be the one of this name until the heap is closed, even if it is not used meanwhile. */
    public void hold(String name, Class<?> type) {
        held.put(name, new WeakReference<>(type));
    }

    /** Whether the class is not one of the other loaders, so that it belongs to the program that opens the heap. */
    public boolean isOfProgram(Class<?> type) {
        return chosen.get(type.getName()) == type || loaders().stream().anyMatch(loader -> has(loader, type));
    }

    /**
     * Finds a class. In each place, it may have the name that is wanted, say that it formerly had it, or have one of the former
     * names.
     *
     * @return the class, which may not be initialized yet, or null if no place has one
     */
    public Class<?> find(Wanted wanted) {
        if (HeapOptions.isOfLibrary(wanted.name())) {
            return find(LIBRARY, wanted.name(), wanted.suits());
        }
        WeakReference<Class<?>> holding = held.get(wanted.name());
        Class<?> type = first(Stream.<Class<?>>of(chosen.get(wanted.name()), holding == null ? null : holding.get())
                .filter(known -> known != null && wanted.suits().test(known)));
        for (Iterator<ClassLoader> next = loaders().iterator(); type == null && next.hasNext();) {
            type = ofProgram(next.next(), wanted);
        }
        return type == null ? ofOthers(wanted) : type;
    }

    /** Why no persistent class of this name was found, as a part of a message. */
    public String reason(String name) {
        Set<ClassLoader> loaders = loaders();
        for (ClassLoader loader : loaders) {
            try {
                return "the class of that name of " + Class.forName(name, false, loader).getClassLoader()
                        + " is not persistent, or is not defined yet";
            } catch (ClassNotFoundException e) {
                // The next one may have it.
            } catch (LinkageError | RuntimeException e) {
                return loader + " failed: " + e;
            }
        }
        return "asked were " + loaders + " and the loaders of other persistent classes";
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

    // Streams of names, so that a loader is asked only until it has a class.
    private static Class<?> ofProgram(ClassLoader loader, Wanted wanted) {
        Function<String, Class<?>> named = name -> find(loader, name, wanted.suits());
        Stream<String> renamed = FORMERLY.named(wanted.name()).map(Class::getName).distinct();
        return first(Stream.concat(Stream.of(wanted.name()).map(named),
                Stream.concat(renamed.map(named).filter(type -> type != null && mayHaveBeen(type, wanted)),
                        wanted.formerNames().stream().map(named))));
    }

    /** Whether a class has the wanted name as a former one. While it is not defined that is not known, and it may have. */
    private static boolean mayHaveBeen(Class<?> type, Wanted wanted) {
        if (wanted.initializing()) {
            initialize(type);
        }
        return !DEFINED.contains(type.getName(), type) || FORMERLY.contains(wanted.name(), type);
    }

    private Class<?> ofOthers(Wanted wanted) {
        Long changes = CHANGES.get();
        Stream<Class<?>> defined = Stream.concat(Stream.concat(DEFINED.named(wanted.name()), FORMERLY.named(wanted.name())),
                wanted.formerNames().stream().flatMap(DEFINED::named));
        Class<?> type = first(defined.filter(wanted.suits()));
        if (type == null && !changes.equals(lacking.get(wanted.name()))) {
            Set<ClassLoader> asked = loaders();
            List<ClassLoader> others = LOADERS.stream().filter(loader -> !asked.contains(loader)).toList();
            type = first(Stream.concat(Stream.of(wanted.name()), wanted.formerNames().stream())
                    .flatMap(name -> others.stream().map(loader -> find(loader, name, wanted.suits()))));
        }
        if (type == null) {
            lacking.put(wanted.name(), changes);
        }
        return type;
    }

    private static Class<?> first(Stream<Class<?>> types) {
        return types.filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static boolean has(ClassLoader loader, Class<?> type) {
        return find(loader, type.getName(), type::equals) != null;
    }

    /** The class of this name, or null if the loader lacks it or fails, or the class does not suit. */
    public static Class<?> find(ClassLoader loader, String name, Predicate<Class<?>> suits) {
        try {
            Class<?> type = Class.forName(name, false, loader);
            return suits.test(type) ? type : null;
        } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
            return null;
        }
    }
}
