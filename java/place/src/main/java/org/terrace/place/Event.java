// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.Set;

/** What the program does with the contents of variables. {@code detail} is the operation, for an escape where to. */
record Event(Kind kind, String detail, Set<Atom> values, Moment at, String level) {

    enum Kind {
        /** Another RDD is made from it. */
        USE,
        /** It is computed. */
        ACTION,
        /** It is cached when it is computed first. */
        PERSIST,
        UNPERSIST,
        /** It goes to code that is not known. */
        ESCAPE
    }
}
