// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

/** What a collection keeps in the Java heap of what it has given out (J-NVM, section 4: base, cached and eager). */
public enum Caching {
    /** Nothing: each get reads the persistent heap. */
    NONE,
    /** The values and proxies that gets have given, until they are changed. */
    CACHED,
    /** As {@link #CACHED}; and all are loaded at once when this is chosen. */
    EAGER
}
