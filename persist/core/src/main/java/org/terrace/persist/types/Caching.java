// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

/** Selects the values that a collection caches in the Java heap (J-NVM, section 4: base, cached and eager). */
public enum Caching {
    /** No values. Each get reads the persistent heap. */
    NONE,
    /** The values and proxies that gets have returned, until they are changed. */
    CACHED,
    /** Like {@link #CACHED}, but all values are loaded when this mode is selected. */
    EAGER
}
