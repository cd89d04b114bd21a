// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

/** A traversal of the entries of a sorted map in one direction. It is valid until an entry is added or removed. */
interface Walk {
    /** The current entry, or 0 behind the last one. */
    long entry();

    /** Advances to the next entry. The current entry must not be 0. */
    void step();
}
