// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The class's fields live in a persistent heap, those that are {@code transient} or {@code static} excepted (J-NVM, section 2.5).
 * The class is transformed when it is built, by the Maven plugin, or when it is loaded, by the agent; without that, the
 * annotation does nothing, and the methods of {@link Heap} refuse its objects.
 *
 * <p>A record is a value: fields and collections hold copies of it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Persistent {
    FailureAtomicity fa() default FailureAtomicity.NONE;
}
