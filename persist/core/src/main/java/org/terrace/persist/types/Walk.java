// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

/** A way along the entries of a sorted map, in one direction. It is good until an entry comes or goes. */
interface Walk {
    /** The entry that it has come to, or 0 behind the last one. */
    long entry();

    /** Goes on to the next entry, from one. */
    void step();
}
