// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.Set;

/** An RDD or Dataset that one instruction creates, on one path through the program. */
final class Rdd implements Atom {

    final String operation;
    final Moment made;
    /** Whether it is a Dataset. The first action creates and names the cached RDD of a Dataset. */
    final boolean sql;
    /** The library that creates it at lines that are not part of the input, or null if the lines are known. */
    final String library;
    final Set<Atom> parents;

    Rdd(String operation, Moment made, boolean sql, String library, Set<Atom> parents) {
        this.operation = operation;
        this.made = made;
        this.sql = sql;
        this.library = library;
        this.parents = parents;
    }

    /** Returns the site in the form of RDD.getCreationSite. */
    String site() {
        return operation + " at " + made.place();
    }
}
