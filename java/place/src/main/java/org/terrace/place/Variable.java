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
 * A local, parameter or field, of one call of its method. What is read out of a variable, such as its field, is a variable
 * that has the first one for its base.
 */
final class Variable implements Atom {

    /** The field that stands for all elements of a container. */
    static final String ELEMENT = "(element)";

    final String name;
    final Variable base;
    /** Whether it is a field of an object that the program was seen to make. */
    final boolean ofInstance;
    final List<Definition> definitions = new ArrayList<>();
    final Fields fields = new Fields();
    /** What it may refer to, no variables among it. Complete when all code has been followed. */
    final Set<Atom> objects = new LinkedHashSet<>();

    /** An assignment. What is assigned may be unknown, and empty then. */
    record Definition(Set<Atom> values, Moment at) {
    }

    /** The fields that were asked for. */
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

    /** Whether each turn of a loop gives it another content. */
    boolean isDefinedIn(LoopVisit loop) {
        return name.equals(ELEMENT) || definitions.stream().anyMatch(definition -> definition.at.loops().contains(loop))
                || base != null && base.isDefinedIn(loop);
    }

    /** The one that this was read out of. */
    Variable root() {
        return base == null ? this : base.root();
    }

    /** As the source would write it. */
    @Override
    public String toString() {
        return base == null ? name : name.equals(ELEMENT) ? base + "(…)" : base + "." + name;
    }
}
