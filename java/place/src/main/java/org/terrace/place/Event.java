// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.Set;

/**
 * An operation on the contents of variables.
 *
 * @param detail the operation, or for an escape the receiving code
 * @param level the possible storage levels of a call of persist
 */
record Event(Kind kind, String detail, Set<Atom> values, Moment at, Set<Atom> level) {

    enum Kind {
        /** Another RDD is derived from it. */
        USE,
        /** It is computed. */
        ACTION,
        /** It is cached when it is computed first. */
        PERSIST,
        UNPERSIST,
        /** It is passed to unknown code. */
        ESCAPE
    }
}
