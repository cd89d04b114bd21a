// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.List;
import java.util.Set;
import org.objectweb.asm.Handle;

/** What a reference may be: the content of a variable, or something that an instruction made. */
sealed interface Atom permits Variable, Rdd, Atom.Instance, Atom.Lambda {

    /** An object that is not an RDD of Spark's own. Its fields are variables of their own. */
    final class Instance implements Atom {

        final String type;
        final Variable.Fields fields = new Variable.Fields();
        /** What the object is itself if its class inherits from Spark's RDD. */
        Rdd self;
        /** Whether its class overrides persist: GraphX's RDDs let an RDD in one of their fields do all work. */
        final boolean delegates;

        Instance(String type, boolean delegates) {
            this.type = type;
            this.delegates = delegates;
        }

        Variable field(String name) {
            return fields.get(name, () -> new Variable(name, null, true));
        }
    }

    /** A function with what it captured. */
    record Lambda(Handle body, List<Set<Atom>> captured) implements Atom {

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
