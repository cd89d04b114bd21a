// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceValue;

/** The possible values of operands, variables, fields and elements of containers. */
final class Values {

    static final Set<Atom> NOTHING = Set.of();
    /** The class of a local variable that a function of Scala assigns to. */
    static final String CELL = "scala/runtime/ObjectRef";

    private final Walk walk;
    private final Findings findings;

    Values(Walk walk, Findings findings) {
        this.walk = walk;
        this.findings = findings;
    }

    static boolean isReference(String descriptor) {
        return descriptor.startsWith("L") || descriptor.startsWith("[");
    }

    static SourceValue source(Call call, int index, int fromTop) {
        Frame<SourceValue> frame = call.code.frames[index];
        return frame.getStack(frame.getStackSize() - 1 - fromTop);
    }

    static boolean isNull(Call call, int index) {
        Set<AbstractInsnNode> sources = source(call, index, 0).insns;
        return !sources.isEmpty() && sources.stream().allMatch(source -> source.getOpcode() == Opcodes.ACONST_NULL);
    }

    Set<Atom> operand(Call call, int index, int fromTop) {
        Set<Atom> all = new LinkedHashSet<>();
        for (AbstractInsnNode source : source(call, index, fromTop).insns) {
            all.addAll(produced(call, source));
        }
        return all;
    }

    List<Set<Atom>> operands(Call call, int index, int count) {
        List<Set<Atom>> all = new ArrayList<>();
        for (int i = count - 1; i >= 0; i--) {
            all.add(operand(call, index, i));
        }
        return all;
    }

    /** Returns the value that an instruction, which has already been followed, left on the stack. */
    private Set<Atom> produced(Call call, AbstractInsnNode instruction) {
        int index = call.code.instructions.indexOf(instruction);
        switch (instruction.getOpcode()) {
            case Opcodes.ALOAD:
                return loaded(call, ((VarInsnNode) instruction).var, index);
            case Opcodes.CHECKCAST:
                return operand(call, index, 0);
            case Opcodes.AALOAD:
                if (!call.results.containsKey(instruction)) {
                    Set<Atom> elements = elements(operand(call, index, 1));
                    call.results.put(instruction, call.code.visitsEachElement(index)
                            ? walk.eachElement(Site.of(call, index), elements) : elements);
                }
                return call.results.get(instruction);
            case Opcodes.GETSTATIC, Opcodes.GETFIELD:
                if (!call.results.containsKey(instruction)) {
                    call.results.put(instruction, read(call, index, (FieldInsnNode) instruction));
                }
                return call.results.get(instruction);
            default:
                return call.results.getOrDefault(instruction, NOTHING);
        }
    }

    private Set<Atom> read(Call call, int index, FieldInsnNode field) {
        if (!isReference(field.desc) || field.name.equals("MODULE$")) {
            return NOTHING;
        }
        if (Level.isIn(field.owner)) {
            return Set.of(new Level(field.name));
        }
        Moment at = walk.moment(Site.of(call, index));
        return field.getOpcode() == Opcodes.GETSTATIC ? Set.of(contentOf(findings.field(field), at))
                : read(field, operand(call, index, 0), at);
    }

    private Set<Atom> read(FieldInsnNode field, Set<Atom> base, Moment at) {
        if (!field.owner.equals(CELL)) {
            Set<Atom> all = parts(base, field.name);
            return all.isEmpty() ? Set.of(contentOf(findings.field(field), at)) : all;
        }
        Set<Atom> all = new LinkedHashSet<>();
        for (Atom atom : base) {
            all.add(atom instanceof Variable variable ? contentAt(variable, at) : atom);
        }
        return all;
    }

    private Variable contentOf(Variable field, Moment at) {
        return field.hasContents ? contentAt(field, at) : field;
    }

    /** Returns the content of a variable that functions or methods assign to, as far as they can have run before. */
    private Variable contentAt(Variable variable, Moment at) {
        return findings.content(variable, all -> all.stream().filter(definition -> definition.at().canPrecede(at)
                && all.stream().noneMatch(later -> later.at().isAlwaysBetween(definition.at(), at))).toList(), false);
    }

    private Set<Atom> loaded(Call call, int slot, int index) {
        Set<AbstractInsnNode> stores = call.code.frames[index].getLocal(slot).insns;
        LocalVariableNode local = call.code.local(slot, index);
        if (stores.stream().allMatch(MethodCode::isParameter) && slot < call.code.parameterSlots) {
            return call.parameters.get(slot);
        }
        boolean followed = stores.stream().allMatch(store -> MethodCode.isParameter(store) || call.results.containsKey(store));
        if (local != null || !followed) {
            Variable variable = variable(call, slot, local);
            if (followed && stores.equals(call.code.storesTo(slot, local))) {
                return Set.of(variable);
            }
            return Set.of(call.reads.computeIfAbsent(List.of(variable, Set.copyOf(stores)), key -> findings.content(variable,
                    all -> all.stream().filter(definition -> definition.store() == null || stores.contains(definition.store())).toList(),
                    !followed)));
        }
        Set<Atom> all = new LinkedHashSet<>();
        for (AbstractInsnNode store : stores) {
            all.addAll(MethodCode.isParameter(store) ? call.parameters.get(slot) : call.results.get(store));
        }
        return all;
    }

    /** Assigns to a local variable. */
    void store(Call call, int index, VarInsnNode store, Set<Atom> value) {
        call.results.put(store, value);
        if (!isNull(call, index)) {
            LocalVariableNode local = call.code.assigned(store, index);
            variable(call, store.var, local)
                    .define(new Variable.Definition(value, walk.moment(Site.of(call, index)), store, null));
        }
    }

    /** Assigns the arguments of a call to the parameters to which its method assigns something else. */
    void storeParameters(Call call) {
        for (int slot = 0; slot < call.code.parameterSlots; slot++) {
            if (call.code.isAssigned(slot)) {
                variable(call, slot, call.code.local(slot, 0)).define(new Variable.Definition(call.parameters.get(slot),
                        walk.moment(new Site(call, 0, call.outer)), MethodCode.PARAMETER, null));
            }
        }
    }

    private Variable variable(Call call, int slot, LocalVariableNode local) {
        String name = local == null ? "$" + slot : local.name;
        return call.locals.computeIfAbsent(slot + name, key -> findings.variable(name));
    }

    void assign(FieldInsnNode field, Set<Atom> base, Set<Atom> value, Moment at) {
        Set<Atom> variables = field.owner.equals(CELL) ? base : parts(base, field.name);
        define(variables.isEmpty() && !field.owner.equals(CELL) ? Set.of(findings.field(field)) : variables, value, at);
    }

    static void define(Set<Atom> variables, Set<Atom> value, Moment at) {
        for (Atom atom : variables) {
            if (atom instanceof Variable variable) {
                variable.define(value, at);
            }
        }
    }

    /** Returns the variables for a field of all possible objects. */
    static Set<Atom> parts(Set<Atom> base, String name) {
        Set<Atom> all = new LinkedHashSet<>();
        for (Atom atom : base) {
            if (atom instanceof Variable variable) {
                all.add(variable.field(name));
            } else if (atom instanceof Atom.Instance instance) {
                all.add(instance.field(name));
            }
        }
        return all;
    }

    static Set<Atom> elements(Set<Atom> containers) {
        Set<Atom> all = new LinkedHashSet<>();
        for (Atom atom : containers) {
            if (atom instanceof Variable variable && !variable.name.equals(Variable.ELEMENT)) {
                all.add(variable.field(Variable.ELEMENT));
            } else if (atom instanceof Atom.Instance instance && instance.self == null) {
                all.add(instance.field(Variable.ELEMENT));
            } else {
                all.add(atom);
            }
        }
        return all;
    }

    /** Adds the elements that variables visit, which are the arrays in an array that a loop fills. */
    static Set<Atom> withVisited(Set<Atom> values) {
        Set<Atom> all = new LinkedHashSet<>(values);
        for (Atom atom : values) {
            if (atom instanceof Variable variable) {
                variable.definitions().stream().filter(definition -> definition.elementOf() != null)
                        .forEach(definition -> all.addAll(definition.values()));
            }
        }
        return all;
    }

    static void addTo(Set<Atom> containers, Set<Atom> value, Moment at) {
        define(elements(containers), value, at);
    }

    /** Adds values to the result of the {@code new} that a constructor call completes. */
    static void fill(Site site, Set<Atom> value) {
        int count = Type.getArgumentTypes(((MethodInsnNode) site.instruction()).desc).length;
        for (AbstractInsnNode source : source(site.call(), site.index(), count).insns) {
            if (source.getOpcode() == Opcodes.NEW) {
                site.call().results.get(source).addAll(value);
            }
        }
    }

    static void fillTuple(Set<Atom> tuples, List<Set<Atom>> arguments, Moment at) {
        for (int i = 0; i < arguments.size(); i++) {
            define(parts(tuples, "_" + (i + 1)), arguments.get(i), at);
        }
    }

    static Set<Atom> union(Collection<Set<Atom>> sets) {
        Set<Atom> all = new LinkedHashSet<>();
        sets.forEach(all::addAll);
        return all;
    }

    static Set<Atom> union(Set<Atom> first, Set<Atom> second) {
        return union(List.of(first, second));
    }

    /** Whether the objects among values are known, because no loop assigns others later. */
    static boolean areSettled(Set<Atom> values) {
        return areSettled(values, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static boolean areSettled(Collection<? extends Atom> values, Set<Atom> seen) {
        for (Atom atom : values) {
            if (atom instanceof Variable variable && seen.add(variable) && (variable.isReadBeforeAssigned
                    || variable.base != null && !areSettled(Set.of(variable.base), seen) || variable.definitions().stream()
                            .anyMatch(definition -> definition.elementOf() != null || !areSettled(definition.values(), seen)))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the possible functions: lambdas, and objects whose class is a function. */
    static List<Atom.Lambda> functions(Set<Atom> values) {
        if (values.isEmpty()) {
            return List.of();
        }
        List<Atom.Lambda> found = new ArrayList<>();
        for (Atom atom : known(values, Atom.class)) {
            if (atom instanceof Atom.Lambda function) {
                found.add(function);
            } else if (atom instanceof Atom.Instance instance && instance.function != null) {
                found.add(instance.function);
            }
        }
        return found;
    }

    /** Returns the objects of a kind among the possible values, as far as the program has been followed. */
    static <T extends Atom> List<T> known(Set<Atom> values, Class<T> kind) {
        List<T> found = new ArrayList<>();
        known(values, kind, found, Collections.newSetFromMap(new IdentityHashMap<>()));
        return found;
    }

    private static <T extends Atom> void known(Collection<? extends Atom> values, Class<T> kind, List<T> found, Set<Atom> seen) {
        for (Atom atom : values) {
            if (seen.add(atom)) {
                if (kind.isInstance(atom)) {
                    found.add(kind.cast(atom));
                }
                if (atom instanceof Variable variable) {
                    variable.definitions().forEach(definition -> known(definition.values(), kind, found, seen));
                    if (variable.base != null) {
                        List<Atom.Instance> bases = new ArrayList<>();
                        known(Set.of(variable.base), Atom.Instance.class, bases, seen);
                        bases.forEach(base -> known(Set.of(base.field(variable.name)), kind, found, seen));
                    }
                }
            }
        }
    }
}
