// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import scala.collection.Iterable;
import scala.collection.Iterator;

/** Calls methods of Spark that return a sequence by reflection, because Scala 2.12 and 2.13 return different classes of sequences. */
final class Sequences {

    private Sequences() {
    }

    /** Returns a method of Spark without parameters. */
    static Method method(Class<?> owner, String name) {
        try {
            return owner.getMethod(name);
        } catch (NoSuchMethodException e) {
            throw new LinkageError("this version of Spark has no " + owner.getSimpleName() + "." + name, e);
        }
    }

    @SuppressWarnings("unchecked")
    static <T> Iterator<T> iterator(Method method, Object receiver) {
        try {
            return ((Iterable<T>) method.invoke(receiver)).iterator();
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(method.getName() + " of " + receiver, e);
        }
    }
}
