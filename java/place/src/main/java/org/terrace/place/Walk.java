// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * Interprets a method abstractly, each instruction once and in order. Called methods and functions are followed as if they were
 * inlined. Operations on references are recorded in the {@link Findings}. All branches are taken. A loop is followed once, and
 * recorded with the operations inside it.
 */
final class Walk {

    /** Maximum depth of calls. Functions, compiler-generated methods and methods of one or two lines do not count. */
    static final int DEPTH = 8;

    /** Maximum number of calls that one walk follows. */
    private static final int CALLS = 20_000;

    private static final Set<Atom> NOTHING = Set.of();
    private static final String CELL = "scala/runtime/ObjectRef";

    final Program.Member root;
    private final Program program;
    private final Findings findings;
    private int position;
    private int calls;

    /** A method being followed. */
    static final class Call {

        final MethodCode code;
        final List<Set<Atom>> parameters;
        final List<LoopVisit> outer;
        final int depth;
        final Call caller;
        final int callerIndex;
        final Map<AbstractInsnNode, Set<Atom>> results = new HashMap<>();
        final Map<String, Variable> locals = new HashMap<>();
        final Map<MethodCode.Loop, LoopVisit> loops = new HashMap<>();

        Call(MethodCode code, List<Set<Atom>> parameters, List<LoopVisit> outer, int depth, Call caller, int callerIndex) {
            this.code = code;
            this.parameters = parameters;
            this.outer = outer;
            this.depth = depth;
            this.caller = caller;
            this.callerIndex = callerIndex;
            for (MethodCode.Loop loop : code.loops) {
                loops.put(loop, new LoopVisit(code.place(loop.header())));
            }
        }

        /** Whether a run that passes through the first instruction can avoid the second one, before or after it. */
        static boolean canMiss(Call from, int fromIndex, Call missed, int missedIndex) {
            Map<Call, Integer> path = new IdentityHashMap<>();
            for (Call call = from; call != null; fromIndex = call.callerIndex, call = call.caller) {
                path.put(call, fromIndex);
            }
            for (Call call = missed; call != null; missedIndex = call.callerIndex, call = call.caller) {
                Integer index = path.get(call);
                if (index != null) {
                    return call.code.canMiss(index, missedIndex);
                }
                if (call.code.canMiss(0, missedIndex)) {
                    return true;
                }
            }
            return false;
        }

        boolean isWithin(MethodCode other) {
            return code == other || caller != null && caller.isWithin(other);
        }

        List<LoopVisit> loopsAt(int index) {
            List<LoopVisit> all = new ArrayList<>(outer);
            for (MethodCode.Loop loop : code.loops) {
                if (loop.body().get(index)) {
                    all.add(loops.get(loop));
                }
            }
            return all;
        }
    }

    /** The place of a call: an instruction, perhaps inside loops that a library runs. */
    private record Site(Call call, int index, List<LoopVisit> loops) {

        AbstractInsnNode instruction() {
            return call.code.instructions.get(index);
        }

        Site in(LoopVisit loop) {
            List<LoopVisit> all = new ArrayList<>(loops);
            all.add(loop);
            return new Site(call, index, all);
        }
    }

    Walk(Program program, Findings findings, Program.Member root) {
        this.program = program;
        this.findings = findings;
        this.root = root;
    }

    void run() {
        MethodCode code = program.code(root);
        if (code == null) {
            return;
        }
        List<Set<Atom>> parameters = new ArrayList<>();
        int slot = 0;
        if ((root.method().access & Opcodes.ACC_STATIC) == 0) {
            parameters.add(NOTHING); // its fields are treated as fields of an unknown instance
            slot = 1;
        }
        for (Type type : Type.getArgumentTypes(root.method().desc)) {
            boolean reference = type.getSort() == Type.OBJECT || type.getSort() == Type.ARRAY;
            parameters.add(reference ? Set.of(findings.variable(code.parameterName(slot))) : NOTHING);
            slot += type.getSize();
            pad(parameters, slot);
        }
        follow(new Call(code, parameters, List.of(), 0, null, 0));
    }

    private static void pad(List<Set<Atom>> parameters, int slots) {
        while (parameters.size() < slots) {
            parameters.add(NOTHING);
        }
    }

    private Moment moment(Site site) {
        return new Moment(this, ++position, site.call, site.index, site.loops);
    }

    private Moment moment(Call call, int index) {
        return moment(new Site(call, index, call.loopsAt(index)));
    }

    /** Follows a call, and returns the possible results of the method. */
    private Set<Atom> follow(Call call) {
        MethodCode code = call.code;
        findings.followed(code.method);
        for (int slot = 0; slot < code.parameterSlots; slot++) {
            LocalVariableNode local = code.local(slot, 0);
            if (code.isAssigned(slot) && local != null) {
                variable(call, local).define(call.parameters.get(slot), new Moment(this, ++position, call, 0, call.outer));
            }
        }
        Set<Atom> returned = new LinkedHashSet<>();
        for (int i = 0; i < code.frames.length; i++) {
            if (code.frames[i] != null) {
                step(call, i, returned);
                for (MethodCode.Loop loop : code.loops) {
                    if (loop.body().get(i)) {
                        call.loops.get(loop).end = position;
                    }
                }
            }
        }
        return returned;
    }

    private void step(Call call, int i, Set<Atom> returned) {
        AbstractInsnNode instruction = call.code.instructions.get(i);
        switch (instruction.getOpcode()) {
            case Opcodes.ASTORE -> {
                Set<Atom> value = operand(call, i, 0);
                call.results.put(instruction, value);
                LocalVariableNode local = call.code.local(((VarInsnNode) instruction).var, i + 1);
                if (local != null && !isNull(call, i)) {
                    variable(call, local).define(value, moment(call, i));
                }
            }
            case Opcodes.PUTFIELD -> {
                FieldInsnNode field = (FieldInsnNode) instruction;
                if (isReference(field.desc) && !isNull(call, i)) {
                    assign(field, operand(call, i, 1), operand(call, i, 0), moment(call, i));
                }
            }
            case Opcodes.PUTSTATIC -> {
                FieldInsnNode field = (FieldInsnNode) instruction;
                if (isReference(field.desc) && !isNull(call, i)) {
                    findings.field(field).define(operand(call, i, 0), moment(call, i));
                }
            }
            case Opcodes.AASTORE -> {
                Set<Atom> value = operand(call, i, 0);
                if (!value.isEmpty()) {
                    for (AbstractInsnNode array : source(call, i, 2).insns) {
                        if (array.getOpcode() == Opcodes.ANEWARRAY) {
                            call.results.get(array).addAll(value);
                        }
                    }
                    addTo(operand(call, i, 2), value, moment(call, i));
                }
            }
            case Opcodes.ANEWARRAY -> call.results.put(instruction, new LinkedHashSet<>());
            case Opcodes.NEW -> call.results.put(instruction, made(((TypeInsnNode) instruction).desc));
            case Opcodes.ARETURN -> returned.addAll(operand(call, i, 0));
            case Opcodes.INVOKEDYNAMIC -> {
                InvokeDynamicInsnNode dynamic = (InvokeDynamicInsnNode) instruction;
                Handle body = functionBody(dynamic);
                if (body != null) {
                    call.results.put(instruction,
                            Set.of(new Atom.Lambda(body, operands(call, i, Type.getArgumentTypes(dynamic.desc).length))));
                }
            }
            case Opcodes.INVOKEVIRTUAL, Opcodes.INVOKEINTERFACE, Opcodes.INVOKESTATIC, Opcodes.INVOKESPECIAL -> {
                MethodInsnNode method = (MethodInsnNode) instruction;
                int count = Type.getArgumentTypes(method.desc).length;
                List<Set<Atom>> arguments = operands(call, i, count);
                Set<Atom> receiver = method.getOpcode() == Opcodes.INVOKESTATIC ? NOTHING : operand(call, i, count);
                Site site = new Site(call, i, call.loopsAt(i));
                if (method.name.equals("<init>")) {
                    construct(site, method, receiver, arguments);
                } else {
                    call.results.put(instruction, invoke(site, method.getOpcode(), method.owner, method.name, method.desc,
                            receiver, arguments));
                }
            }
            default -> {
            }
        }
    }

    /** Returns the method that a lambda or method reference runs, or null for other dynamic calls. */
    static Handle functionBody(InvokeDynamicInsnNode dynamic) {
        return dynamic.bsm.getOwner().equals("java/lang/invoke/LambdaMetafactory") ? (Handle) dynamic.bsmArgs[1] : null;
    }

    private static boolean isReference(String descriptor) {
        return descriptor.startsWith("L") || descriptor.startsWith("[");
    }

    private boolean isNull(Call call, int index) {
        Set<AbstractInsnNode> sources = source(call, index, 0).insns;
        return !sources.isEmpty() && sources.stream().allMatch(source -> source.getOpcode() == Opcodes.ACONST_NULL);
    }

    private static SourceValue source(Call call, int index, int fromTop) {
        Frame<SourceValue> frame = call.code.frames[index];
        return frame.getStack(frame.getStackSize() - 1 - fromTop);
    }

    private Set<Atom> operand(Call call, int index, int fromTop) {
        return values(call, source(call, index, fromTop));
    }

    private List<Set<Atom>> operands(Call call, int index, int count) {
        List<Set<Atom>> all = new ArrayList<>();
        for (int i = count - 1; i >= 0; i--) {
            all.add(operand(call, index, i));
        }
        return all;
    }

    private Set<Atom> values(Call call, SourceValue value) {
        Set<Atom> all = new LinkedHashSet<>();
        for (AbstractInsnNode source : value.insns) {
            all.addAll(produced(call, source));
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
                return elements(operand(call, index, 1));
            case Opcodes.GETSTATIC:
                FieldInsnNode field = (FieldInsnNode) instruction;
                return isReference(field.desc) && !field.name.equals("MODULE$") ? Set.of(findings.field(field)) : NOTHING;
            case Opcodes.GETFIELD:
                return isReference(((FieldInsnNode) instruction).desc)
                        ? read((FieldInsnNode) instruction, operand(call, index, 0)) : NOTHING;
            default:
                return call.results.getOrDefault(instruction, NOTHING);
        }
    }

    private Set<Atom> loaded(Call call, int slot, int index) {
        LocalVariableNode local = call.code.local(slot, index);
        boolean parameter = slot < call.code.parameterSlots;
        if (parameter && !call.code.isAssigned(slot) && (local == null || call.code.isParameter(local))) {
            return call.parameters.get(slot);
        }
        if (local != null) {
            return Set.of(variable(call, local));
        }
        Set<Atom> all = new LinkedHashSet<>();
        Set<AbstractInsnNode> stores = call.code.frames[index].getLocal(slot).insns;
        for (AbstractInsnNode store : stores) {
            all.addAll(call.results.getOrDefault(store, NOTHING));
        }
        return parameter && stores.isEmpty() ? call.parameters.get(slot) : all;
    }

    private Variable variable(Call call, LocalVariableNode local) {
        return call.locals.computeIfAbsent(local.index + local.name, key -> findings.variable(local.name));
    }

    private Set<Atom> read(FieldInsnNode field, Set<Atom> base) {
        if (field.owner.equals(CELL)) {
            return base;
        }
        Set<Atom> all = parts(base, field.name);
        return all.isEmpty() ? Set.of(findings.field(field)) : all;
    }

    private void assign(FieldInsnNode field, Set<Atom> base, Set<Atom> value, Moment at) {
        if (field.owner.equals(CELL)) {
            define(base, value, at);
            return;
        }
        Set<Atom> parts = parts(base, field.name);
        define(parts.isEmpty() ? Set.of(findings.field(field)) : parts, value, at);
    }

    private static void define(Set<Atom> variables, Set<Atom> value, Moment at) {
        for (Atom atom : variables) {
            if (atom instanceof Variable variable) {
                variable.define(value, at);
            }
        }
    }

    /** Returns the variables for a field of all possible objects. */
    private static Set<Atom> parts(Set<Atom> base, String name) {
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

    private static Set<Atom> elements(Set<Atom> containers) {
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

    private static void addTo(Set<Atom> containers, Set<Atom> value, Moment at) {
        define(elements(containers), value, at);
    }

    /**
     * Returns the result of {@code new} before the constructor runs. For a class that is not modelled as an object, it is an empty
     * set, to which the constructor call adds values.
     */
    private Set<Atom> made(String type) {
        boolean none = type.equals(CELL) || SparkCalls.isTransparent(type)
                || SparkCalls.isInternal(type) && SparkCalls.holdsDataset(type);
        return none ? new LinkedHashSet<>() : Set.of(findings.instance(type));
    }

    private void construct(Site site, MethodInsnNode constructor, Set<Atom> receiver, List<Set<Atom>> arguments) {
        String owner = constructor.owner;
        Set<Atom> given = union(arguments);
        if (program.has(owner)) {
            Program.Member target = program.find(owner, constructor.name, constructor.desc);
            if (target != null) {
                enter(site, target, receiver, arguments);
            }
        } else if (SparkCalls.isInternal(owner) && SparkCalls.holdsDataset(owner)) {
            if (!SparkCalls.isDataset(owner) || owner.startsWith("org/apache/spark/api/java/")) {
                fill(site, given);
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
                fill(site, Set.of(rdd));
            }
        } else if (owner.equals(CELL) || SparkCalls.isTransparent(owner)) {
            fill(site, given);
        } else if (isTuple(owner)) {
            fillTuple(receiver, arguments, moment(site));
        } else if (SparkCalls.isLibrary(owner)) {
            addTo(receiver, given, moment(site));
        } else if (!SparkCalls.isInternal(owner)) {
            escape(site, given, owner, "<init>");
        }
    }

    private void fill(Site site, Set<Atom> value) {
        int count = Type.getArgumentTypes(((MethodInsnNode) site.instruction()).desc).length;
        for (AbstractInsnNode source : source(site.call, site.index, count).insns) {
            if (source.getOpcode() == Opcodes.NEW) {
                site.call.results.get(source).addAll(value);
            }
        }
    }

    private static boolean isTuple(String owner) {
        return owner.startsWith("scala/Tuple");
    }

    private static void fillTuple(Set<Atom> tuples, List<Set<Atom>> arguments, Moment at) {
        for (int i = 0; i < arguments.size(); i++) {
            define(parts(tuples, "_" + (i + 1)), arguments.get(i), at);
        }
    }

    private static Set<Atom> union(Collection<Set<Atom>> sets) {
        Set<Atom> all = new LinkedHashSet<>();
        sets.forEach(all::addAll);
        return all;
    }

    private static Set<Atom> union(Set<Atom> first, Set<Atom> second) {
        return union(List.of(first, second));
    }

    private Set<Atom> invoke(Site site, int opcode, String owner, String name, String descriptor, Set<Atom> receiver,
            List<Set<Atom>> arguments) {
        List<Atom.Lambda> functions = opcode == Opcodes.INVOKEINTERFACE ? known(receiver, Atom.Lambda.class) : List.of();
        if (!functions.isEmpty()) {
            Set<Atom> all = new LinkedHashSet<>();
            functions.forEach(function -> all.addAll(run(site, function, arguments)));
            return all;
        }
        Collection<Program.Member> targets = targets(opcode, owner, name, descriptor, receiver);
        if (!targets.isEmpty()) {
            Set<Atom> all = new LinkedHashSet<>();
            int before = calls;
            targets.forEach(target -> all.addAll(enter(site, target, receiver, arguments)));
            if (calls == before) { // neither the targets nor the functions passed to them were followed
                all.addAll(runAll(site, arguments, List.of()));
            }
            return all;
        }
        String foreign = program.foreignAncestor(owner);
        foreign = foreign == null || foreign.equals("java/lang/Object") ? owner : foreign;
        if (SparkCalls.isCheckpointerUpdate(foreign, name)) {
            persist(site, union(arguments), name, null);
            event(site, Event.Kind.UNPERSIST, name, union(arguments));
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
        for (Atom.Instance instance : known(receiver, Atom.Instance.class)) {
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

    private Set<Atom> enter(Site site, Program.Member target, Set<Atom> receiver, List<Set<Atom>> arguments) {
        boolean synthetic = (target.method().access & (Opcodes.ACC_SYNTHETIC | Opcodes.ACC_BRIDGE)) != 0;
        boolean small = target.method().instructions.size() < Findings.SMALL;
        int depth = site.call.depth + (synthetic || small ? 0 : 1);
        boolean matters = small || findings.isRelevant(target.method())
                || arguments.stream().anyMatch(argument -> !known(argument, Atom.Lambda.class).isEmpty());
        if (depth > DEPTH || calls >= CALLS || !matters) {
            return NOTHING;
        }
        MethodCode code = program.code(target);
        if (code == null || site.call.isWithin(code)) {
            return NOTHING;
        }
        calls++;
        List<Set<Atom>> parameters = new ArrayList<>();
        if ((target.method().access & Opcodes.ACC_STATIC) == 0) {
            parameters.add(receiver);
        }
        Type[] types = Type.getArgumentTypes(target.method().desc);
        for (int i = 0; i < types.length; i++) {
            parameters.add(i < arguments.size() ? arguments.get(i) : NOTHING);
            if (types[i].getSize() == 2) {
                parameters.add(NOTHING);
            }
        }
        pad(parameters, code.parameterSlots);
        return follow(new Call(code, parameters, site.loops, depth, site.call, site.index));
    }

    /** Follows a function, with its captured values as the first arguments. */
    private Set<Atom> run(Site site, Atom.Lambda function, List<Set<Atom>> arguments) {
        List<Set<Atom>> all = new ArrayList<>(function.captured());
        all.addAll(arguments);
        Handle body = function.body();
        switch (body.getTag()) {
            case Opcodes.H_INVOKESTATIC:
                return invoke(site, Opcodes.INVOKESTATIC, body.getOwner(), body.getName(), body.getDesc(), NOTHING, all);
            case Opcodes.H_NEWINVOKESPECIAL:
                return NOTHING;
            default:
                int opcode = body.getTag() == Opcodes.H_INVOKEINTERFACE ? Opcodes.INVOKEINTERFACE
                        : body.getTag() == Opcodes.H_INVOKESPECIAL ? Opcodes.INVOKESPECIAL : Opcodes.INVOKEVIRTUAL;
                Set<Atom> receiver = all.isEmpty() ? NOTHING : all.remove(0);
                return invoke(site, opcode, body.getOwner(), body.getName(), body.getDesc(), receiver, all);
        }
    }

    private Set<Atom> runAll(Site site, List<Set<Atom>> arguments, List<Set<Atom>> given) {
        Set<Atom> all = new LinkedHashSet<>();
        for (Set<Atom> argument : arguments) {
            for (Atom.Lambda function : known(argument, Atom.Lambda.class)) {
                all.addAll(run(site, function, given));
            }
        }
        return all;
    }

    private Rdd rdd(Site site, String operation, String type, Set<Atom> parents) {
        return findings.rdd(new Rdd(operation, moment(site), SparkCalls.isSql(type), null, parents));
    }

    private void event(Site site, Event.Kind kind, String detail, Set<Atom> values) {
        if (!values.isEmpty()) {
            findings.event(new Event(kind, detail, values, moment(site), null));
        }
    }

    private void escape(Site site, Set<Atom> values, String owner, String name) {
        event(site, Event.Kind.ESCAPE, owner.substring(owner.lastIndexOf('/') + 1).replace("$", "") + "." + name
                + ", the code of which is not read", values);
    }

    private Set<Atom> spark(Site site, String owner, String name, String descriptor, Set<Atom> receiver, List<Set<Atom>> arguments) {
        Type result = Type.getReturnType(descriptor);
        Set<Atom> given = union(receiver, union(arguments));
        if (SparkCalls.runsInDriver(name)) {
            return runAll(site, arguments, List.of());
        }
        boolean onDataset = SparkCalls.holdsDataset(owner);
        boolean same = SparkCalls.isSame(owner, name, result);
        if (onDataset && SparkCalls.isPersist(name) && same) {
            persist(site, receiver, name, level(site, name));
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
                persist(site, Set.of(rdd), name, null);
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

    private void persist(Site site, Set<Atom> values, String name, String level) {
        findings.event(new Event(Event.Kind.PERSIST, name, values, moment(site), level));
    }

    /** Returns the storage level that a call of persist names, or null if it is computed. */
    private static String level(Site site, String name) {
        if (site.instruction() instanceof MethodInsnNode call && call.name.equals(name)
                && Type.getArgumentTypes(call.desc).length == 1) {
            for (AbstractInsnNode source : source(site.call, site.index, 0).insns) {
                if (source instanceof MethodInsnNode level && level.owner.startsWith("org/apache/spark/storage/StorageLevel")
                        && Type.getArgumentTypes(level.desc).length == 0) {
                    return level.name;
                }
            }
        }
        return null;
    }

    private Set<Atom> library(Site site, String owner, String name, String descriptor, Set<Atom> receiver, List<Set<Atom>> arguments) {
        if (isTuple(owner) && name.startsWith("_")) {
            return parts(receiver, name.replaceFirst("\\$.*", ""));
        }
        Type result = Type.getReturnType(descriptor);
        if (isTuple(SparkCalls.elementName(result)) && arguments.size() == 2) { // a -> b
            Set<Atom> tuple = Set.of(findings.instance("scala/Tuple2"));
            fillTuple(tuple, arguments, moment(site));
            return tuple;
        }
        boolean transparent = SparkCalls.isTransparent(owner);
        Set<Atom> contents = transparent ? receiver : elements(receiver);
        Set<Atom> given = new LinkedHashSet<>();
        boolean functions = false;
        for (Set<Atom> argument : arguments) {
            if (known(argument, Atom.Lambda.class).isEmpty()) {
                given.addAll(argument);
            } else {
                functions = true;
            }
        }
        Set<Atom> all = union(contents, given);
        if (functions) {
            all = union(all, SparkCalls.repeats(owner, name) ? repeat(site, name, all, arguments)
                    : runAll(site, arguments, List.of(contents, contents)));
        } else if (SparkCalls.adds(name) && !given.isEmpty()) {
            define(transparent ? receiver : elements(receiver), given, moment(site));
        }
        return owner.startsWith("java/lang/") || result.getSort() < Type.ARRAY ? NOTHING : all;
    }

    /** Follows functions that a library calls repeatedly, with a different argument each time. */
    private Set<Atom> repeat(Site site, String name, Set<Atom> contents, List<Set<Atom>> arguments) {
        LoopVisit loop = new LoopVisit(site.call.code.place(site.index));
        Site inside = site.in(loop);
        Set<Atom> all = new LinkedHashSet<>();
        for (Set<Atom> argument : arguments) {
            for (Atom.Lambda function : known(argument, Atom.Lambda.class)) {
                Variable turn = findings.variable(parameterName(function));
                turn.define(contents, moment(inside));
                Set<Atom> result = run(inside, function, Collections.nCopies(3, Set.of(turn)));
                if (SparkCalls.feedsBack(name)) {
                    turn.define(result, moment(inside));
                }
                all.addAll(result);
            }
        }
        loop.end = position;
        return all;
    }

    private String parameterName(Atom.Lambda function) {
        Handle body = function.body();
        Program.Member member = program.find(body.getOwner(), body.getName(), body.getDesc());
        MethodCode code = member == null ? null : program.code(member);
        int slot = 0;
        Type[] types = Type.getArgumentTypes(body.getDesc());
        for (int i = 0; i < function.captured().size() && i < types.length; i++) {
            slot += types[i].getSize();
        }
        return code == null || body.getTag() != Opcodes.H_INVOKESTATIC ? "(element)" : code.parameterName(slot);
    }

    /** Handles a call of a library that is not part of the input. Its effect on an RDD is unknown. */
    private Set<Atom> unknown(Site site, String owner, String name, String descriptor, Set<Atom> receiver, List<Set<Atom>> arguments) {
        if (SparkCalls.isDataset(owner)) {
            if (SparkCalls.isPersist(name)) {
                persist(site, receiver, name, level(site, name));
                return receiver;
            }
            if (SparkCalls.isUnpersist(name)) {
                event(site, Event.Kind.UNPERSIST, name, receiver);
                return receiver;
            }
        }
        Set<Atom> given = new LinkedHashSet<>(receiver);
        arguments.stream().filter(argument -> known(argument, Atom.Lambda.class).isEmpty()).forEach(given::addAll);
        escape(site, given, owner, name);
        if (!SparkCalls.isSpark(owner)) { // Spark's libraries run functions in executors
            runAll(site, arguments, List.of());
        }
        Type result = Type.getReturnType(descriptor);
        if (SparkCalls.isSpark(owner) && SparkCalls.makesDataset(result)) {
            String library = owner.substring(0, owner.lastIndexOf('/')).replace('/', '.');
            return Set.of(findings.rdd(new Rdd(name, moment(site), false, library, given)));
        }
        return NOTHING;
    }

    /** Returns the functions or instances among the possible values, as far as the program has been followed. */
    private static <T extends Atom> List<T> known(Set<Atom> values, Class<T> kind) {
        if (values.isEmpty()) {
            return List.of();
        }
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
                    variable.definitions.forEach(definition -> known(definition.values(), kind, found, seen));
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
