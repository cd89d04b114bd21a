// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.Set;

/** An RDD or Dataset that one instruction makes, on one way through the program. */
final class Rdd implements Atom {

    final String operation;
    final Moment made;
    /** Whether it is a Dataset, whose cached RDD is made, and named, by the first action. */
    final boolean sql;
    /** The library that makes it at lines of its own, which were not given; null where the lines are known. */
    final String library;
    final Set<Atom> parents;

    Rdd(String operation, Moment made, boolean sql, String library, Set<Atom> parents) {
        this.operation = operation;
        this.made = made;
        this.sql = sql;
        this.library = library;
        this.parents = parents;
    }

    /** As RDD.getCreationSite gives it. */
    String site() {
        return operation + " at " + made.place();
    }
}
