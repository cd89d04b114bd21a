// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.function.Predicate;
import org.terrace.persist.heap.ClassLookup.Wanted;

/**
 * Decides which class of one class loader a class of a heap is. It asks in this order for
 * <ol>
 * <li>a class of the same name that is not abstract,
 * <li>a class that formerly had this name,
 * <li>a class that has one of the former names,
 * <li>a class that may have had this name. That is not known if the class cannot be initialized or is not defined yet,
 * <li>an abstract class of the same name. It usually has no objects, so it may be a base class of the class that had its name.
 * </ol>
 */
final class ClassOfLoader {
    private final ClassLoader loader;
    private final Wanted wanted;
    private String failure;
    /** The class to which {@link #failure} belongs, or null if the loader has failed. */
    private Class<?> failing;

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
        if (sameName != null && !Modifier.isAbstract(sameName.getModifiers())) {
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
        if (uncertain != null && uncertain == failing) {
            // It is not passed over, and its use throws the same error.
            failure = null;
        }
        return uncertain != null ? uncertain : sameName;
    }

    /** Why a class that may be the wanted one could not be loaded or initialized and was passed over, or null. */
    String failure() {
        return failure;
    }

    private Class<?> named(String name) {
        try {
            return named(loader, name, wanted.suits());
        } catch (LinkageError | RuntimeException e) {
            fail(null, loader + " failed: " + e);
            return null;
        }
    }

    private void fail(Class<?> type, String reason) {
        if (failure == null) {
            failing = type;
            failure = reason;
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
                fail(type, "class " + type.getName() + " of " + loader + " cannot be initialized: " + ClassLookup.rootCause(e));
                return false;
            }
        }
        return ClassLookup.DEFINED.contains(type.getName(), type);
    }
}
