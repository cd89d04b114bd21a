// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.List;
import java.util.Set;
import org.objectweb.asm.Handle;

/** A possible value of a reference: the content of a variable, or an object that an instruction creates. */
sealed interface Atom permits Variable, Rdd, Atom.Instance, Atom.Lambda, Level {

    /** An object that is not an RDD of Spark's own. Each of its fields is a separate variable. */
    final class Instance implements Atom {

        final String type;
        /** The loops in which it is created. */
        final List<LoopVisit> loops;
        final Variable.Fields fields = new Variable.Fields();
        /** The object as an RDD, if its class inherits from Spark's RDD. */
        Rdd self;
        /** The object as a function, if its class is one that a program writes instead of a lambda, or null. */
        final Lambda function;
        /** Whether its class overrides persist. GraphX's RDDs do so, and delegate all work to an RDD in a field. */
        final boolean delegates;

        Instance(String type, List<LoopVisit> loops, Handle function, boolean delegates) {
            this.type = type;
            this.loops = loops;
            this.function = function == null ? null : new Lambda(function, List.of(Set.of(this)));
            this.delegates = delegates;
        }

        Variable field(String name) {
            return fields.get(name, () -> new Variable(name, null, true));
        }
    }

    /** A function with the values that it captured. */
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
