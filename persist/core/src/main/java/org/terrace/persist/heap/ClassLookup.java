// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.ref.WeakReference;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
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
 * The first place that has a class decides, even if the class is not initialized or defined yet. {@link ClassOfLoader} says which class
 * of a loader is meant. The class that the opening has found holds until the heap is closed. A class that is found later holds once the
 * heap uses it.
 *
 * <p>All but the other loaders are asked each time, so a class that they can define from now on is found. If the other loaders lack
 * a class, they are asked for it again after a loader has been added, after one of them has defined another persistent class, and
 * by the next opening. Until then, a class that one of them can define only now is not found.
 *
 * <p>A loader may belong to a program that has been stopped. If it fails, it lacks the class, and a warning says so if a later place
 * has the class. Other loaders are not kept in memory.
 */
public final class ClassLookup {
    private static final System.Logger LOGGER = System.getLogger("org.terrace.persist");
    private static final ClassLoader LIBRARY = ClassLookup.class.getClassLoader();
    private static final NewestFirst<ClassLoader> LOADERS = new NewestFirst<>();
    /** Persistent classes that were defined, by name. */
    static final ClassesByName DEFINED = new ClassesByName();
    /** Persistent classes that were defined, by former name. */
    static final ClassesByName FORMERLY = new ClassesByName();
    /** Number of changes of the other loaders. Each change is made before it is counted. */
    private static final AtomicLong CHANGES = new AtomicLong();

    private final Path heap;
    private final Map<String, Class<?>> chosen;
    /** Loaders to ask before those of the thread and the library. */
    private final Set<ClassLoader> first = new LinkedHashSet<>();
    /** The classes that hold since the opening, by the names that they have in the heap after it. See {@link Wanted#names}. */
    private final Map<List<String>, WeakReference<Class<?>>> held = new ConcurrentHashMap<>();
    /** The value of {@link #CHANGES} before the other loaders were asked for a class that they lack, by its names. */
    private final Map<List<String>, Long> lacking = new ConcurrentHashMap<>();
    /** Names of classes of the heap whose class in the program has failed, or may have been in a loader that has. */
    private final Set<List<String>> failed = ConcurrentHashMap.newKeySet();
    /** Names of classes of the heap for which a warning has said which class is used instead. */
    private final Set<List<String>> replaced = ConcurrentHashMap.newKeySet();

    /**
     * A class of a heap.
     *
     * @param suits whether a class of the program can be the one that the heap names. Initializes no class
     * @param initializing whether classes of the program may be initialized to learn whether they are defined
     */
    public record Wanted(String name, List<String> formerNames, Predicate<Class<?>> suits, boolean initializing) {
        /**
         * The current and the former names. A heap may have two classes of one name, if a program gave both the same new one.
         * Classes that have all names in common are the same class of the program.
         */
        List<String> names() {
            return Stream.concat(Stream.of(name), formerNames.stream()).toList();
        }
    }

    /**
     * @param heap named in warnings
     * @param chosen classes that the heap is opened with, which have different names
     */
    public ClassLookup(Path heap, List<Class<?>> chosen) {
        this.heap = heap;
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

    /**
     * Initializes a class.
     *
     * @throws LinkageError if the initializer throws an exception or an error. Errors of the VM, such as a lack of memory, are thrown as
     *     they are
     */
    public static void initialize(Class<?> type) {
        try {
            Class.forName(type.getName(), true, type.getClassLoader());
        } catch (ClassNotFoundException e) {
            // A primitive type has nothing to initialize, and a hidden class is initialized by whoever defines it.
        } catch (LinkageError | VirtualMachineError | ThreadDeath e) {
            throw e;
        } catch (Error e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The last of the causes, which may form a circle. */
    public static Throwable rootCause(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Throwable cause = failure;
        while (cause.getCause() != null && seen.add(cause)) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The class of this name that the heap was opened with, or null. */
    public Class<?> chosen(String name) {
        return chosen.get(name);
    }

    /** The class that the heap was opened with for a class of the heap, or null. */
    public Class<?> chosen(Wanted wanted) {
        Stream<String> renamed = FORMERLY.named(wanted.name()).map(Class::getName);
        return first(Stream.concat(Stream.concat(Stream.of(wanted.name()), renamed), wanted.formerNames().stream())
                .map(this::chosen).filter(type -> type != null && isMeant(wanted, type)));
    }

    /** Whether a class is the one that its loader has for a class of a heap. */
    public static boolean isMeant(Wanted wanted, Class<?> type) {
        return ClassOfLoader.find(type.getClassLoader(), wanted) == type;
    }

    /** Lets a class that the opening has found be the one of these names until the heap is closed, even if it is not used meanwhile. */
    public void hold(List<String> names, Class<?> type) {
        held.put(names, new WeakReference<>(type));
    }

    /** Notes that the program's class for a class of the heap cannot be initialized. */
    public void fail(List<String> names) {
        failed.add(names);
    }

    /** Whether the class of the program for a class of the heap has failed, or may have been in a loader that has. */
    public boolean hasFailed(List<String> names) {
        return failed.contains(names);
    }

    /**
     * Whether the class that was found for a class of the heap belongs to the program that opens the heap. That is not known of a class
     * of the other loaders, and of one that takes the place of a class which failed.
     */
    public boolean isOfProgram(Class<?> type, List<String> namesInHeap) {
        return chosen.get(type.getName()) == type
                || !failed.contains(namesInHeap) && loaders().stream().anyMatch(loader -> has(loader, type));
    }

    /**
     * Finds the class of the program for a class of the heap.
     *
     * @return the class, which may not be initialized yet, or null if no place has one
     */
    public Class<?> find(Wanted wanted) {
        if (HeapOptions.isOfLibrary(wanted.name())) {
            return ClassOfLoader.find(LIBRARY, wanted);
        }
        Class<?> chosen = chosen(wanted);
        WeakReference<Class<?>> holding = held.get(wanted.names());
        Class<?> type = chosen != null || holding == null ? chosen : holding.get();
        if (type != null && wanted.suits().test(type)) {
            return type;
        }
        String failure = null;
        for (ClassLoader loader : loaders()) {
            ClassOfLoader asked = new ClassOfLoader(loader, wanted);
            type = asked.find();
            failure = failure != null ? failure : asked.failure();
            if (type != null) {
                return tell(failure, wanted, type);
            }
        }
        return tell(failure, wanted, ofOthers(wanted));
    }

    /** Warns if a nearer loader may have had the class, or this one another class. */
    private Class<?> tell(String failure, Wanted wanted, Class<?> type) {
        if (failure != null) {
            failed.add(wanted.names());
        }
        if (failure != null && type != null && replaced.add(wanted.names())) {
            LOGGER.log(System.Logger.Level.WARNING, heap + ": " + failure + ". The heap's class " + wanted.name() + " is "
                    + type.getName() + " of " + type.getClassLoader() + " instead. HeapOptions.classes selects another one when the"
                    + " heap is opened");
        }
        return type;
    }

    /** Why no persistent class was found, as a part of a message. */
    public String reason(Wanted wanted) {
        Set<ClassLoader> loaders = loaders();
        for (ClassLoader loader : loaders) {
            ClassOfLoader asked = new ClassOfLoader(loader, wanted);
            Class<?> type = asked.find();
            if (asked.failure() != null) {
                return asked.failure();
            }
            type = type != null ? type : ClassOfLoader.find(loader, new Wanted(wanted.name(), List.of(), any -> true, false));
            if (type != null) {
                return "the class " + type.getName() + " of " + type.getClassLoader() + (Modifier.isAbstract(type.getModifiers())
                        ? " is abstract, so it has no objects" : " is not persistent, or is not defined yet");
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

    private Class<?> ofOthers(Wanted wanted) {
        Long changes = CHANGES.get();
        Stream<Class<?>> defined = Stream.concat(Stream.concat(DEFINED.named(wanted.name()), FORMERLY.named(wanted.name())),
                wanted.formerNames().stream().flatMap(DEFINED::named));
        Class<?> type = first(defined.map(Class::getClassLoader).map(loader -> ClassOfLoader.find(loader, wanted)));
        if (type == null && !changes.equals(lacking.get(wanted.names()))) {
            Set<ClassLoader> asked = loaders();
            type = first(LOADERS.stream().filter(loader -> !asked.contains(loader)).map(loader -> ClassOfLoader.find(loader, wanted)));
        }
        if (type == null) {
            lacking.put(wanted.names(), changes);
        }
        return type;
    }

    private static Class<?> first(Stream<? extends Class<?>> types) {
        return types.filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static boolean has(ClassLoader loader, Class<?> type) {
        try {
            return ClassOfLoader.named(loader, type.getName(), type::equals) != null;
        } catch (LinkageError | RuntimeException e) {
            return false;
        }
    }
}
