// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.SourceValue;

/** The effect of calls on RDDs: calls of the program's methods, of Spark, of the libraries of Scala and Java, and of unknown code. */
final class Calls {

    /** The class of a lazy local variable of Scala. */
    static final String LAZY = "scala/runtime/LazyRef";

    private static final Set<Atom> NOTHING = Values.NOTHING;

    private final Walk walk;
    private final Program program;
    private final Findings findings;

    Calls(Walk walk, Program program, Findings findings) {
        this.walk = walk;
        this.program = program;
        this.findings = findings;
    }

    /**
     * Returns the result of {@code new} before the constructor runs. For a class that is not modelled as an object, it is an empty
     * set, to which the constructor call adds values.
     */
    Set<Atom> made(String type, List<LoopVisit> loops) {
        boolean none = !type.equals(LAZY) && (type.equals(Values.CELL) || SparkCalls.isTransparent(type)
                || SparkCalls.isInternal(type) && SparkCalls.holdsDataset(type));
        if (program.isSingleton(type)) { // its fields are treated as fields of an unknown instance, like those of MODULE$
            return NOTHING;
        }
        return none ? new LinkedHashSet<>() : Set.of(findings.instance(type, loops));
    }

    void construct(Site site, MethodInsnNode constructor, Set<Atom> receiver, List<Set<Atom>> arguments) {
        String owner = constructor.owner;
        Set<Atom> given = Values.union(arguments);
        if (program.has(owner)) {
            Program.Member target = program.find(owner, constructor.name, constructor.desc);
            if (target != null) {
                walk.enter(site, target, receiver, arguments);
            }
        } else if (SparkCalls.isInternal(owner) && SparkCalls.holdsDataset(owner)) {
            if (!SparkCalls.isDataset(owner) || owner.startsWith("org/apache/spark/api/java/")) {
                Values.fill(site, given);
                return;
            }
            Rdd rdd = rdd(site, owner.substring(owner.lastIndexOf('/') + 1), owner, given);
            boolean inherited = false;
            for (Atom atom : receiver) {
                if (atom instanceof Atom.Instance instance) { // called from the constructor of a subclass
                    instance.self = rdd;
                    inherited = true;
                }
            }
            if (!inherited) {
                Values.fill(site, Set.of(rdd));
            }
        } else if (owner.equals(LAZY)) {
            return;
        } else if (owner.equals(Values.CELL) || SparkCalls.isTransparent(owner)) {
            Values.fill(site, given);
        } else if (isTuple(owner)) {
            Values.fillTuple(receiver, arguments, walk.moment(site));
        } else if (SparkCalls.isLibrary(owner)) {
            Values.addTo(receiver, given, walk.moment(site));
            walk.runAll(site, arguments, List.of()); // such as the task of a thread
        } else if (!SparkCalls.isInternal(owner)) {
            escape(site, given, owner, "<init>");
        }
    }

    private static boolean isTuple(String owner) {
        return owner.startsWith("scala/Tuple");
    }

    Set<Atom> invoke(Site site, int opcode, String owner, String name, String descriptor, Set<Atom> receiver,
            List<Set<Atom>> arguments) {
        if (Level.isIn(owner)) {
            Level level = level(site, name, descriptor);
            return level == null ? NOTHING : Set.of(level);
        }
        List<Atom.Lambda> functions = opcode == Opcodes.INVOKEINTERFACE ? Values.known(receiver, Atom.Lambda.class) : List.of();
        if (!functions.isEmpty()) {
            Set<Atom> all = new LinkedHashSet<>();
            functions.forEach(function -> all.addAll(walk.run(site, function, arguments)));
            return all;
        }
        Collection<Program.Member> targets = targets(opcode, owner, name, descriptor, receiver);
        if (!targets.isEmpty()) {
            Set<Atom> all = new LinkedHashSet<>();
            int before = walk.calls();
            targets.forEach(target -> all.addAll(walk.enter(site, target, receiver, arguments)));
            if (walk.calls() == before) { // neither the targets nor the functions passed to them were followed
                all.addAll(walk.runAll(site, arguments, List.of()));
            }
            return all;
        }
        String foreign = program.foreignAncestor(owner);
        foreign = foreign == null || foreign.equals("java/lang/Object") ? owner : foreign;
        if (SparkCalls.isCheckpointerUpdate(foreign, name)) {
            persist(site, Values.union(arguments), name, NOTHING);
            event(site, Event.Kind.UNPERSIST, name, Values.union(arguments));
            return NOTHING;
        }
        if (SparkCalls.isPlumbing(foreign)) {
            return NOTHING;
        }
        if (SparkCalls.isInternal(foreign)) {
            return spark(site, foreign, name, descriptor, receiver, arguments);
        }
        if (SparkCalls.isLibrary(foreign)) {
            return library(site, foreign, name, descriptor, receiver, arguments);
        }
        return unknown(site, foreign, name, descriptor, receiver, arguments);
    }

    private Collection<Program.Member> targets(int opcode, String owner, String name, String descriptor, Set<Atom> receiver) {
        if (opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKESPECIAL) {
            Program.Member target = program.find(owner, name, descriptor);
            return target == null ? List.of() : List.of(target);
        }
        Set<Program.Member> exact = new LinkedHashSet<>();
        for (Atom.Instance instance : Values.known(receiver, Atom.Instance.class)) {
            Program.Member target = program.find(instance.type, name, descriptor);
            if (target != null) {
                exact.add(target);
            }
        }
        if (!exact.isEmpty() || SparkCalls.isInternal(owner)) {
            return exact;
        }
        return findings.implementations(owner, name, descriptor);
    }

    private Rdd rdd(Site site, String operation, String type, Set<Atom> parents) {
        return findings.rdd(new Rdd(operation, walk.moment(site), SparkCalls.isSql(type), null, parents));
    }

    private void event(Site site, Event.Kind kind, String detail, Set<Atom> values) {
        if (!values.isEmpty()) {
            findings.event(new Event(kind, detail, values, walk.moment(site), NOTHING));
        }
    }

    private void escape(Site site, Set<Atom> values, String owner, String name) {
        event(site, Event.Kind.ESCAPE, owner.substring(owner.lastIndexOf('/') + 1).replace("$", "") + "." + name
                + ", the code of which is not read", values);
    }

    private Set<Atom> spark(Site site, String owner, String name, String descriptor, Set<Atom> receiver, List<Set<Atom>> arguments) {
        Type result = Type.getReturnType(descriptor);
        Set<Atom> given = Values.union(receiver, Values.union(arguments));
        if (SparkCalls.runsInDriver(name)) {
            return walk.runAll(site, arguments, List.of());
        }
        boolean onDataset = SparkCalls.holdsDataset(owner);
        boolean same = SparkCalls.isSame(owner, name, result);
        if (onDataset && SparkCalls.isPersist(name) && same) {
            persist(site, receiver, name, Values.union(arguments));
            return receiver;
        }
        if (onDataset && SparkCalls.isUnpersist(name)) {
            event(site, Event.Kind.UNPERSIST, name, receiver);
            return receiver;
        }
        if (same) {
            return !receiver.isEmpty() || arguments.isEmpty() ? receiver : arguments.get(0);
        }
        if (SparkCalls.makesDataset(result)) {
            event(site, Event.Kind.USE, name, given);
            Rdd rdd = rdd(site, name, SparkCalls.elementName(result), given);
            if (SparkCalls.isPersist(name)) {
                persist(site, Set.of(rdd), name, NOTHING);
            }
            return Set.of(rdd);
        }
        if (SparkCalls.isAction(name)) {
            event(site, Event.Kind.ACTION, name, onDataset ? receiver : given);
        } else if (SparkCalls.isViewOfSql(name)) {
            event(site, Event.Kind.ESCAPE, "SQL as a view, the text of which is not read", receiver);
        }
        return NOTHING;
    }

    private void persist(Site site, Set<Atom> values, String name, Set<Atom> level) {
        findings.event(new Event(Event.Kind.PERSIST, name, values, walk.moment(site), level));
    }

    /** Returns the level that a method of Spark's class of levels returns, or null if it is not known. */
    private static Level level(Site site, String name, String descriptor) {
        Type[] types = Type.getArgumentTypes(descriptor);
        if (types.length == 0) {
            return Level.isName(name) ? new Level(name) : null;
        }
        if (!(site.instruction() instanceof MethodInsnNode call) || !call.name.equals(name)) {
            return null;
        }
        if (name.equals("fromString")) {
            AbstractInsnNode text = only(Values.source(site.call(), site.index(), 0));
            return text instanceof LdcInsnNode constant ? new Level(constant.cst.toString()) : null;
        }
        List<Boolean> flags = new ArrayList<>();
        for (int i = 0; i < types.length; i++) {
            if (types[i].getSort() == Type.BOOLEAN) {
                AbstractInsnNode flag = only(Values.source(site.call(), site.index(), types.length - 1 - i));
                int opcode = flag == null ? -1 : flag.getOpcode();
                flags.add(opcode == Opcodes.ICONST_0 ? Boolean.FALSE : opcode == Opcodes.ICONST_1 ? Boolean.TRUE : null);
            }
        }
        return flags.size() < 3 ? null : Level.of(flags);
    }

    private static AbstractInsnNode only(SourceValue value) {
        return value.insns.size() == 1 ? value.insns.iterator().next() : null;
    }

    private Set<Atom> library(Site site, String owner, String name, String descriptor, Set<Atom> receiver, List<Set<Atom>> arguments) {
        if (isTuple(owner) && name.startsWith("_")) {
            return Values.parts(receiver, name.replaceFirst("\\$.*", ""));
        }
        if (SparkCalls.isNextElement(owner, name)) {
            return walk.eachElement(site, Values.elements(receiver));
        }
        Type result = Type.getReturnType(descriptor);
        if (isTuple(SparkCalls.elementName(result)) && arguments.size() == 2) { // a -> b
            Set<Atom> tuple = Set.of(findings.instance("scala/Tuple2", site.loops()));
            Values.fillTuple(tuple, arguments, walk.moment(site));
            return tuple;
        }
        boolean transparent = SparkCalls.isTransparent(owner);
        Set<Atom> contents = transparent ? receiver : Values.elements(receiver);
        Set<Atom> given = new LinkedHashSet<>();
        boolean functions = false;
        for (Set<Atom> argument : arguments) {
            if (Values.functions(argument).isEmpty()) {
                given.addAll(argument);
            } else {
                functions = true;
            }
        }
        Set<Atom> all = Values.union(contents, given);
        if (functions) {
            Set<Atom> results = SparkCalls.repeats(owner, name) ? walk.repeat(site, name, all, arguments)
                    : walk.runAll(site, arguments, List.of(contents, contents));
            if (SparkCalls.memoizes(name)) {
                Values.define(contents, results, walk.moment(site));
            }
            all = Values.union(all, results);
        } else if (SparkCalls.adds(name) && !given.isEmpty()) {
            Values.define(transparent ? receiver : Values.elements(receiver), given, walk.moment(site));
        }
        return owner.startsWith("java/lang/") || result.getSort() < Type.ARRAY ? NOTHING : all;
    }

    /** Handles a call of a library that is not part of the input. Its effect on an RDD is unknown. */
    private Set<Atom> unknown(Site site, String owner, String name, String descriptor, Set<Atom> receiver, List<Set<Atom>> arguments) {
        if (SparkCalls.isDataset(owner)) {
            if (SparkCalls.isPersist(name)) {
                persist(site, receiver, name, Values.union(arguments));
                return receiver;
            }
            if (SparkCalls.isUnpersist(name)) {
                event(site, Event.Kind.UNPERSIST, name, receiver);
                return receiver;
            }
        }
        Set<Atom> given = new LinkedHashSet<>(receiver);
        arguments.stream().filter(argument -> Values.functions(argument).isEmpty()).forEach(given::addAll);
        escape(site, given, owner, name);
        if (!SparkCalls.isSpark(owner)) { // Spark's libraries run functions in executors
            walk.runAll(site, arguments, List.of());
        }
        Type result = Type.getReturnType(descriptor);
        if (SparkCalls.isSpark(owner) && SparkCalls.makesDataset(result)) {
            String library = owner.substring(0, owner.lastIndexOf('/')).replace('/', '.');
            return Set.of(findings.rdd(new Rdd(name, walk.moment(site), false, library, given)));
        }
        return NOTHING;
    }
}
