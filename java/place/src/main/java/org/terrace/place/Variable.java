// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.objectweb.asm.tree.AbstractInsnNode;

/**
 * A local variable, parameter or field, within one call of its method. A value that is read out of a variable, such as its field,
 * is a variable with the first one as its base. The content of a variable at one place in the program, where not all assignments
 * have an effect, is a variable with the first one as its whole.
 */
final class Variable implements Atom {

    /** The field that stands for all elements of a container. */
    static final String ELEMENT = "(element)";

    final String name;
    final Variable base;
    final Variable whole;
    /** Whether it is a field of an object that is created in the analyzed code. */
    final boolean ofInstance;
    final Fields fields = new Fields();
    /** The objects that it may refer to, without variables. Complete when all code has been followed. */
    final Set<Atom> objects = new LinkedHashSet<>();

    /** Whether it is a field that may hold one RDD after the other, so that each use has its own content. */
    boolean hasContents;
    /** Whether assignments were missing when the variable was read, because a loop makes them later. */
    final boolean isReadBeforeAssigned;

    private final Reach reach;
    private final List<Definition> own = new ArrayList<>();
    private List<Definition> reaching = List.of();
    private int reachingOf;

    /** Selects the assignments that have an effect at one place. */
    interface Reach {
        List<Definition> of(List<Definition> all);
    }

    /**
     * An assignment. The set of values is empty if they are unknown.
     *
     * @param store the instruction, if the variable is a local variable
     * @param elementOf the loop that assigns another element of the values in each iteration, or null
     */
    record Definition(Set<Atom> values, Moment at, AbstractInsnNode store, LoopVisit elementOf) {

        boolean isIn(LoopVisit loop) {
            return at.loops().contains(loop);
        }
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
        this(name, base, ofInstance, null, null, false);
    }

    private Variable(String name, Variable base, boolean ofInstance, Variable whole, Reach reach,
            boolean isReadBeforeAssigned) {
        this.name = name;
        this.base = base;
        this.ofInstance = ofInstance;
        this.whole = whole;
        this.reach = reach;
        this.isReadBeforeAssigned = isReadBeforeAssigned;
    }

    /** Returns the content at a place that some of the assignments reach. */
    Variable content(Reach selected, boolean isBeforeAssigned) {
        return new Variable(name, base, ofInstance, this, selected, isBeforeAssigned);
    }

    Variable field(String name) {
        return fields.get(name, () -> new Variable(name, this, false, whole == null ? null : whole.field(name), all -> all,
                false));
    }

    void define(Set<Atom> values, Moment at) {
        define(new Definition(values, at, null, null));
    }

    void define(Definition definition) {
        if (whole == null) {
            own.add(definition);
        } else {
            whole.define(definition);
        }
    }

    List<Definition> definitions() {
        if (whole == null) {
            return own;
        }
        List<Definition> all = whole.definitions();
        if (reachingOf != all.size()) {
            reachingOf = all.size();
            reaching = reach.of(all);
        }
        return reaching;
    }

    /** Returns the assignments, including those to the same field of objects that the base may refer to. */
    List<Definition> definitionsOfAll() {
        if (base == null) {
            return definitions();
        }
        List<Definition> all = new ArrayList<>(definitions());
        for (Atom atom : base.objects) {
            if (atom instanceof Atom.Instance instance) {
                all.addAll(instance.field(name).definitions());
            }
        }
        return all;
    }

    /** Whether each iteration of a loop may assign another value. */
    boolean isDefinedIn(LoopVisit loop) {
        return definitionsOfAll().stream().anyMatch(definition -> definition.isIn(loop)) || base != null && base.isDefinedIn(loop);
    }

    /** Whether a loop visits the elements of a container with this variable, and assigns nothing else to it. */
    boolean visits(LoopVisit loop) {
        return visits(loop, new HashSet<>());
    }

    private boolean visits(LoopVisit loop, Set<Variable> seen) {
        if (!seen.add(this)) {
            return false;
        }
        List<Definition> inLoop = definitionsOfAll().stream().filter(definition -> definition.isIn(loop)).toList();
        return inLoop.stream().allMatch(definition -> definition.elementOf() == loop || definition.values().stream()
                .allMatch(atom -> atom instanceof Variable other && other.visits(loop, seen)))
                && (!inLoop.isEmpty() || base != null && base.visits(loop, seen));
    }

    /** Whether it is a variable for the elements of a container, one after the other. */
    boolean visitsElements() {
        return isVisited() || definitions().stream().flatMap(definition -> definition.values().stream())
                .anyMatch(atom -> atom instanceof Variable other && other != this && (other.isElement() || other.isVisited()));
    }

    private boolean isVisited() {
        return definitions().stream().anyMatch(definition -> definition.elementOf() != null);
    }

    /** Whether it is an element of a container, or a part of one, and the program determines at run time which one it is. */
    boolean isElement() {
        return name.equals(ELEMENT) || base != null && base.isElement();
    }

    /** Whether both are contents of the same variable. */
    boolean isContentOfSame(Variable other) {
        return all() == other.all();
    }

    private Variable all() {
        return whole == null ? this : whole.all();
    }

    /** Returns the variable from which this one was read, directly or indirectly. */
    Variable root() {
        return base != null ? base.root() : whole != null ? whole.root() : this;
    }

    /** Returns the variable in source notation. */
    @Override
    public String toString() {
        return base == null ? name : name.equals(ELEMENT) ? base + "(…)" : base + "." + name;
    }
}
