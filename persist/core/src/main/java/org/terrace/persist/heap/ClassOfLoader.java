// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.function.Predicate;
import org.terrace.persist.heap.ClassLookup.Wanted;

/**
 * Decides which class of one class loader a class of a heap is. It asks in this order for
 * <ol>
 * <li>a class of the same name,
 * <li>a class that formerly had this name,
 * <li>a class that has one of the former names,
 * <li>a class that may have had this name. That is not known if the class cannot be initialized or is not defined yet,
 * <li>an abstract class of the same name that is not defined. It has no objects, so it may be a base class of the class that had its
 * name.
 * </ol>
 */
final class ClassOfLoader {
    private final ClassLoader loader;
    private final Wanted wanted;
    private Throwable failure;

    ClassOfLoader(ClassLoader loader, Wanted wanted) {
        this.loader = loader;
        this.wanted = wanted;
    }

    /** The class, which may not be initialized yet, or null. */
    static Class<?> find(ClassLoader loader, Wanted wanted) {
        return new ClassOfLoader(loader, wanted).find();
    }

    Class<?> find() {
        Class<?> sameName = named(wanted.name());
        if (sameName != null && !(Modifier.isAbstract(sameName.getModifiers()) && !isDefined(sameName))) {
            return sameName;
        }
        Class<?> uncertain = null;
        List<String> renamed = ClassLookup.FORMERLY.named(wanted.name()).map(Class::getName).distinct().toList();
        for (String name : renamed) {
            Class<?> type = named(name);
            boolean defined = type != null && isDefined(type);
            if (defined && ClassLookup.FORMERLY.contains(wanted.name(), type)) {
                return type;
            }
            uncertain = uncertain != null || defined ? uncertain : type;
        }
        for (String name : wanted.formerNames()) {
            Class<?> type = named(name);
            if (type != null) {
                return type;
            }
        }
        return uncertain != null ? uncertain : sameName;
    }

    /** Why a class could not be loaded or initialized, or null. The loader may have had the class. */
    Throwable failure() {
        return failure;
    }

    private Class<?> named(String name) {
        try {
            return named(loader, name, wanted.suits());
        } catch (LinkageError | RuntimeException e) {
            failure = failure == null ? e : failure;
            return null;
        }
    }

    /**
     * The class of this name, or null if the loader lacks it or the class does not suit.
     *
     * @throws LinkageError if the loader fails, or the class. Also other exceptions, which depend on the loader
     */
    static Class<?> named(ClassLoader loader, String name, Predicate<Class<?>> suits) {
        try {
            Class<?> type = Class.forName(name, false, loader);
            return suits.test(type) ? type : null;
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private boolean isDefined(Class<?> type) {
        if (wanted.initializing()) {
            try {
                ClassLookup.initialize(type);
            } catch (LinkageError e) {
                // Its use throws this error again.
                return false;
            }
        }
        return ClassLookup.DEFINED.contains(type.getName(), type);
    }
}
