// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class whose fields are stored in a persistent heap, except {@code transient} and {@code static} ones (J-NVM, section
 * 2.5). The Maven plugin transforms the class when it is built, or the agent when it is loaded. Without a transformation the
 * annotation has no effect, and the methods of {@link Heap} reject its objects.
 *
 * <p>A record is a value, so fields and collections store copies of it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Persistent {
    FailureAtomicity fa() default FailureAtomicity.NONE;
}
