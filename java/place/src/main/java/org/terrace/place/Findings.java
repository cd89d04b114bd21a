// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * The results of the walks through a program. A walk begins at each method that handles RDDs and is not called by another such
 * method, and then at methods that no walk has reached.
 */
final class Findings {

    /** Methods with fewer instructions are followed even if they do not handle RDDs. Most of them get or set a field. */
    static final int SMALL = 30;

    /** A call that can reach more methods than this is not followed. */
    private static final int TARGETS = 6;

    private static final String PERSIST = "(Lorg/apache/spark/storage/StorageLevel;)Lorg/apache/spark/rdd/RDD;";

    private final Program program;
    private final List<Event> events = new ArrayList<>();
    private final List<Rdd> rdds = new ArrayList<>();
    private final List<Variable> variables = new ArrayList<>();
    private final List<Atom.Instance> instances = new ArrayList<>();
    private final Map<String, Variable> fields = new HashMap<>();
    private final Map<String, Collection<Program.Member>> targets = new HashMap<>();
    private final Map<String, Boolean> datasets = new HashMap<>();
    private final Set<MethodNode> relevant = new HashSet<>();
    private final Set<MethodNode> followed = new HashSet<>();
    private final FunctionClasses functions;
    private final Map<MethodNode, Integer> persistCalls = new HashMap<>();
    private final Map<MethodNode, Integer> unpersistCalls = new HashMap<>();
    private final Set<MethodNode> own = new HashSet<>();
    private boolean hasMain;

    private Findings(Program program) {
        this.program = program;
        functions = new FunctionClasses(program);
    }

    static Findings of(Program program) {
        return of(program, null);
    }

    /** @param main the class whose method main is the entry of the program, or null for all methods of the program */
    static Findings of(Program program, String main) {
        Findings findings = new Findings(program);
        findings.hasMain = main != null;
        List<Program.Member> roots = findings.roots(main == null ? null : findings.reachable(main));
        for (Program.Member root : roots) {
            if (!findings.followed.contains(root.method()) && !findings.isFollowedFunction(root)) {
                new Walk(program, findings, root).run();
            }
        }
        findings.resolve();
        return findings;
    }

    /** Whether another method of a class that implements a function was followed. This one is a bridge to it. */
    private boolean isFollowedFunction(Program.Member member) {
        Collection<Program.Member> methods = functions.methods(member.owner().name);
        return methods.stream().anyMatch(other -> other.method() == member.method())
                && methods.stream().anyMatch(other -> followed.contains(other.method()));
    }

    /** Returns what identifies the program that contains a walk. Without a main method, each walk is one. */
    Object program(Walk walk) {
        return hasMain ? this : walk;
    }

    List<Event> events() {
        return events;
    }

    List<Rdd> rdds() {
        return rdds;
    }

    /** Returns all variables, including fields. */
    List<Variable> variables() {
        return variables;
    }

    /** Returns the number of instructions that call persist or cache, in the program and in the methods of libraries that it uses. */
    int persistCalls() {
        return sum(persistCalls);
    }

    int unpersistCalls() {
        return sum(unpersistCalls);
    }

    private int sum(Map<MethodNode, Integer> calls) {
        return calls.entrySet().stream().filter(entry -> own.contains(entry.getKey()) || followed.contains(entry.getKey()))
                .mapToInt(Map.Entry::getValue).sum();
    }

    void event(Event event) {
        events.add(event);
    }

    Rdd rdd(Rdd rdd) {
        rdds.add(rdd);
        return rdd;
    }

    Variable variable(String name) {
        Variable variable = new Variable(name, null, false);
        variables.add(variable);
        return variable;
    }

    /** Returns a variable for the content of another one at a place in the program. */
    Variable content(Variable whole, Variable.Reach reach, boolean isBeforeAssigned) {
        Variable content = whole.content(reach, isBeforeAssigned);
        variables.add(content);
        return content;
    }

    Atom.Instance instance(String type, List<LoopVisit> loops) {
        boolean delegates = program.find(type, "persist", PERSIST) != null;
        Atom.Instance instance = new Atom.Instance(type, loops, functions.of(type), delegates);
        instances.add(instance);
        return instance;
    }

    /** Returns the variable for a field of an unknown instance. */
    Variable field(FieldInsnNode field) {
        return fields.computeIfAbsent(field.owner + "." + field.name, key -> {
            Variable variable = variable(field.name.substring(field.name.lastIndexOf('$') + 1));
            variable.hasContents = mentionsDataset(field.desc) && !program.isFinal(field.owner, field.name);
            return variable;
        });
    }

    void followed(MethodNode method) {
        followed.add(method);
    }

    boolean isRelevant(MethodNode method) {
        return relevant.contains(method);
    }

    Collection<Program.Member> implementations(String owner, String name, String descriptor) {
        return targets.computeIfAbsent(owner + "." + name + descriptor, key -> {
            Collection<Program.Member> found = program.implementations(owner, name, descriptor);
            return found.size() > TARGETS ? List.of() : List.copyOf(found);
        });
    }

    /**
     * Returns the methods of the program that handle RDDs or call such a method. Methods without callers come first. Methods of
     * libraries are followed when the program calls them.
     */
    private List<Program.Member> roots(Set<MethodNode> reachable) {
        Map<MethodNode, Program.Member> members = new LinkedHashMap<>();
        Map<MethodNode, Set<MethodNode>> callers = new HashMap<>();
        List<MethodNode> open = new ArrayList<>();
        for (ClassNode owner : program.sparkClasses()) {
            for (MethodNode method : owner.methods) {
                members.put(method, new Program.Member(owner, method));
                boolean direct = false;
                for (AbstractInsnNode instruction : method.instructions) {
                    direct |= mentionsDataset(instruction, method);
                    for (Program.Member target : called(instruction)) {
                        callers.computeIfAbsent(target.method(), key -> new LinkedHashSet<>()).add(method);
                    }
                }
                if (direct && relevant.add(method)) {
                    open.add(method);
                }
            }
        }
        while (!open.isEmpty()) {
            for (MethodNode caller : callers.getOrDefault(open.remove(open.size() - 1), Set.of())) {
                if (relevant.add(caller)) {
                    open.add(caller);
                }
            }
        }
        List<Program.Member> roots = new ArrayList<>();
        List<Program.Member> others = new ArrayList<>();
        for (Program.Member member : members.values()) {
            if (relevant.contains(member.method()) && program.isOwn(member.owner().name)
                    && (reachable == null || reachable.contains(member.method()))) {
                (callers.containsKey(member.method()) ? others : roots).add(member);
                own.add(member.method());
            }
        }
        roots.addAll(others);
        return roots;
    }

    /** Returns the methods that the method main of a class can call, including those that initialize classes. */
    private Set<MethodNode> reachable(String main) {
        Map<MethodNode, Program.Member> found = new LinkedHashMap<>();
        List<Program.Member> open = new ArrayList<>();
        for (String name : List.of(main, main + "$")) {
            open.addAll(program.methods(name, method -> method.name.equals("main") || method.name.endsWith("init>")));
        }
        while (!open.isEmpty()) {
            Program.Member member = open.remove(open.size() - 1);
            if (found.putIfAbsent(member.method(), member) == null) {
                for (AbstractInsnNode instruction : member.method().instructions) {
                    open.addAll(called(instruction));
                    String type = instruction instanceof FieldInsnNode field ? field.owner
                            : instruction instanceof MethodInsnNode call ? call.owner : null;
                    open.addAll(program.methods(type, method -> method.name.equals("<clinit>")));
                }
            }
        }
        return found.keySet();
    }

    private Collection<Program.Member> called(AbstractInsnNode instruction) {
        if (instruction.getOpcode() == Opcodes.NEW) {
            return functions.methods(((TypeInsnNode) instruction).desc);
        }
        if (instruction instanceof MethodInsnNode call) {
            boolean exact = call.getOpcode() == Opcodes.INVOKESTATIC || call.getOpcode() == Opcodes.INVOKESPECIAL;
            return program.has(call.owner) ? called(exact, call.owner, call.name, call.desc) : List.of();
        }
        if (instruction instanceof InvokeDynamicInsnNode dynamic) {
            Handle body = Walk.functionBody(dynamic);
            if (body != null && program.has(body.getOwner())) {
                return called(body.getTag() == Opcodes.H_INVOKESTATIC, body.getOwner(), body.getName(), body.getDesc());
            }
        }
        return List.of();
    }

    private Collection<Program.Member> called(boolean exact, String owner, String name, String descriptor) {
        if (!exact) {
            return implementations(owner, name, descriptor);
        }
        Program.Member target = program.find(owner, name, descriptor);
        return target == null ? List.of() : List.of(target);
    }

    private boolean mentionsDataset(AbstractInsnNode instruction, MethodNode method) {
        if (instruction instanceof MethodInsnNode call) {
            boolean onDataset = datasets.computeIfAbsent(call.owner, owner -> program.inherits(owner, SparkCalls::holdsDataset));
            if (onDataset && SparkCalls.isPersist(call.name)) {
                persistCalls.merge(method, 1, Integer::sum);
            } else if (onDataset && call.name.equals("unpersist")) {
                unpersistCalls.merge(method, 1, Integer::sum);
            }
            return onDataset || mentionsDataset(call.desc) || Level.isIn(call.owner)
                    || SparkCalls.isCheckpointerUpdate(call.owner, call.name);
        }
        return instruction instanceof FieldInsnNode field && mentionsDataset(field.desc)
                || instruction instanceof InvokeDynamicInsnNode dynamic && mentionsDataset(dynamic.desc);
    }

    private static boolean mentionsDataset(String descriptor) {
        return descriptor.contains("RDD") || descriptor.contains("org/apache/spark/sql/Dataset")
                || descriptor.contains("org/apache/spark/graphx/");
    }

    /** Finds the objects that each variable may refer to, by propagating assignments between variables until nothing changes. */
    private void resolve() {
        List<Variable> all = new ArrayList<>();
        variables.forEach(variable -> addWithFields(variable, all));
        instances.forEach(instance -> List.copyOf(instance.fields.byName.values()).forEach(field -> addWithFields(field, all)));
        resolve(all);
        variables.clear();
        variables.addAll(all);
    }

    private static void resolve(List<Variable> all) {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int i = 0; i < all.size(); i++) {
                Variable variable = all.get(i);
                for (Variable.Definition definition : variable.definitions()) {
                    for (Atom atom : definition.values()) {
                        changed |= atom instanceof Variable other ? other != variable && variable.objects.addAll(other.objects)
                                : variable.objects.add(atom);
                    }
                }
                if (variable.base != null) {
                    changed |= resolveField(variable, all);
                }
            }
        }
    }

    private static void addWithFields(Variable variable, List<Variable> all) {
        all.add(variable);
        variable.fields.byName.values().forEach(field -> addWithFields(field, all));
    }

    private static boolean resolveField(Variable field, List<Variable> all) {
        boolean changed = false;
        for (Atom atom : field.base.objects) {
            if (atom instanceof Atom.Instance instance) {
                if (!instance.fields.byName.containsKey(field.name)) {
                    all.add(instance.field(field.name));
                }
                Variable actual = instance.field(field.name);
                if (field.name.equals(Variable.ELEMENT) && !SparkCalls.isContainer(instance.type)) {
                    changed |= field.objects.add(instance); // such as a tuple, of which a sequence consists
                }
                changed |= field.objects.addAll(actual.objects);
                changed |= actual.objects.addAll(field.objects);
            } else if (atom instanceof Rdd && (field.name.equals(Variable.ELEMENT) || field.name.matches("_\\d+"))) {
                changed |= field.objects.add(atom);
            }
        }
        return changed;
    }

    /** Returns the RDDs among values, and the RDDs that the objects among them are or contain. */
    static Set<Rdd> rdds(Set<Atom> values) {
        Set<Rdd> found = new LinkedHashSet<>();
        collect(values, found, new HashSet<>());
        return found;
    }

    private static void collect(Set<Atom> values, Set<Rdd> found, Set<Atom> seen) {
        for (Atom atom : values) {
            if (atom instanceof Rdd rdd) {
                found.add(rdd);
            } else if (atom instanceof Variable variable) {
                collect(variable.objects, found, seen);
            } else if (atom instanceof Atom.Instance instance && seen.add(instance)) {
                if (instance.self != null && !instance.delegates) {
                    found.add(instance.self);
                } else {
                    instance.fields.byName.values().forEach(field -> collect(field.objects, found, seen));
                }
            }
        }
    }
}
