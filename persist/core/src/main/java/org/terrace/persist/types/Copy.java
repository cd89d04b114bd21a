// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

/** An object that represents a Java value and is freed with the place that stores it. */
interface Copy {
    Object value();
}
