// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the variables that a loop reads in each iteration but does not assign. If it assigns to the variable that is used, these are
 * the variables from which it does so.
 */
final class Readings {

    private final Event use;
    private final LoopVisit loop;
    private final Set<Rdd> used;
    private final Set<List<Object>> seen = new HashSet<>();
    private final List<Reading> found = new ArrayList<>();

    /**
     * A use of a variable in a loop that does not assign to it.
     *
     * @param isOneOfSeveral whether it is one of several values, such as an element of a container, and the program does not determine
     *     which one
     */
    record Reading(Variable variable, Event use, LoopVisit loop, Set<Rdd> rdds, boolean isOneOfSeveral) {
    }

    private Readings(Event use, LoopVisit loop, Set<Rdd> used) {
        this.use = use;
        this.loop = loop;
        this.used = used;
    }

    /** Returns the readings of all loops that contain a use. */
    static List<Reading> of(Event use) {
        List<Reading> all = new ArrayList<>();
        Set<Rdd> used = Findings.rdds(use.values());
        for (LoopVisit loop : use.at().loops()) {
            Readings readings = new Readings(use, loop, used);
            use.values().forEach(atom -> readings.visit(atom, false));
            all.addAll(readings.found);
        }
        return all;
    }

    private void add(Variable variable, boolean isOneOfSeveral) {
        Set<Rdd> rdds = new LinkedHashSet<>(Findings.rdds(Set.of(variable)));
        rdds.retainAll(used);
        found.add(new Reading(variable, use, loop, rdds, isOneOfSeveral));
    }

    /** Whether an assignment leaves a variable as it is. */
    private static boolean isCopy(Variable variable, Variable.Definition definition) {
        return !definition.values().isEmpty() && definition.values().stream()
                .allMatch(value -> value instanceof Variable other && other.isContentOfSame(variable));
    }

    /** Follows the assignments of an iteration. {@code each} is true if a loop inside this one visits each element of a container. */
    private void visit(Atom atom, boolean each) {
        if (!(atom instanceof Variable variable) || !seen.add(List.of(variable, each))) {
            return;
        }
        if (!variable.isDefinedIn(loop)) {
            add(variable, variable.isElement() && !each);
            return;
        }
        List<Variable.Definition> inLoop = variable.definitionsOfAll().stream().filter(definition -> definition.isIn(loop)).toList();
        long copies = inLoop.stream().filter(definition -> isCopy(variable, definition)).count();
        if (copies > 0) { // as in a loop that scalac makes of tail recursion
            add(variable, copies < inLoop.size());
        }
        for (Variable.Definition definition : inLoop) {
            if (definition.elementOf() != loop) {
                definition.values().forEach(value -> visit(value, each || definition.elementOf() != null));
            }
        }
        if (variable.base != null) {
            if (variable.name.equals(Variable.ELEMENT) && !variable.base.isDefinedIn(loop)) { // which outlives an iteration
                add(variable, !each);
                return;
            }
            visit(variable.base, each);
        }
    }
}
