// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A local variable, parameter or field, within one call of its method. A value that is read out of a variable, such as its field,
 * is a variable with the first one as its base.
 */
final class Variable implements Atom {

    /** The field that stands for all elements of a container. */
    static final String ELEMENT = "(element)";

    final String name;
    final Variable base;
    /** Whether it is a field of an object that is created in the analyzed code. */
    final boolean ofInstance;
    final List<Definition> definitions = new ArrayList<>();
    final Fields fields = new Fields();
    /** The objects that it may refer to, without variables. Complete when all code has been followed. */
    final Set<Atom> objects = new LinkedHashSet<>();

    /** An assignment. The set of values is empty if they are unknown. */
    record Definition(Set<Atom> values, Moment at) {
    }

    /** The fields that have been accessed. */
    static final class Fields {

        final Map<String, Variable> byName = new HashMap<>();

        Variable get(String name, Supplier<Variable> absent) {
            Variable found = byName.get(name);
            if (found == null) {
                found = absent.get();
                byName.put(name, found);
            }
            return found;
        }
    }

    Variable(String name, Variable base, boolean ofInstance) {
        this.name = name;
        this.base = base;
        this.ofInstance = ofInstance;
    }

    Variable field(String name) {
        return fields.get(name, () -> new Variable(name, this, false));
    }

    void define(Set<Atom> values, Moment at) {
        definitions.add(new Definition(values, at));
    }

    /** Whether each iteration of a loop may assign another value. */
    boolean isDefinedIn(LoopVisit loop) {
        return name.equals(ELEMENT) || definitions.stream().anyMatch(definition -> definition.at.loops().contains(loop))
                || base != null && base.isDefinedIn(loop);
    }

    /** Returns the variable from which this one was read, directly or indirectly. */
    Variable root() {
        return base == null ? this : base.root();
    }

    /** Returns the variable in source notation. */
    @Override
    public String toString() {
        return base == null ? name : name.equals(ELEMENT) ? base + "(…)" : base + "." + name;
    }
}
