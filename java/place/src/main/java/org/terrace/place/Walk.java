// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
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
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

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

    private static final Set<Atom> NOTHING = Values.NOTHING;
    /** The name of an element that has no variable. */
    private static final String NEXT = "(next)";
    /** Part of the names of the methods that compute a lazy value of Scala. */
    private static final String LAZY = "$lzycompute";

    final Program.Member root;
    private final Program program;
    private final Findings findings;
    private final Values values;
    private final Calls libraries;
    private final Map<List<Object>, Set<Atom>> lazyValues = new HashMap<>();
    private int position;
    private int calls;

    Walk(Program program, Findings findings, Program.Member root) {
        this.program = program;
        this.findings = findings;
        this.root = root;
        values = new Values(this, findings);
        libraries = new Calls(this, program, findings);
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

    Moment moment(Site site) {
        return new Moment(this, ++position, site.call(), site.index(), site.loops());
    }

    private Moment moment(Call call, int index) {
        return moment(Site.of(call, index));
    }

    /** Returns the number of calls that have been followed. */
    int calls() {
        return calls;
    }

    /** Follows a call, and returns the possible results of the method. */
    private Set<Atom> follow(Call call) {
        MethodCode code = call.code;
        findings.followed(code.method);
        values.storeParameters(call);
        Set<Atom> returned = new LinkedHashSet<>();
        for (int i = 0; i < code.frames.length; i++) {
            if (code.frames[i] != null) {
                step(call, i, returned);
                call.extendLoops(i, position);
            }
        }
        return returned;
    }

    private void step(Call call, int i, Set<Atom> returned) {
        AbstractInsnNode instruction = call.code.instructions.get(i);
        switch (instruction.getOpcode()) {
            case Opcodes.ASTORE -> values.store(call, i, (VarInsnNode) instruction, values.operand(call, i, 0));
            case Opcodes.PUTFIELD -> {
                FieldInsnNode field = (FieldInsnNode) instruction;
                if (Values.isReference(field.desc) && !Values.isNull(call, i)) {
                    values.assign(field, values.operand(call, i, 1), values.operand(call, i, 0), moment(call, i));
                }
            }
            case Opcodes.PUTSTATIC -> {
                FieldInsnNode field = (FieldInsnNode) instruction;
                if (Values.isReference(field.desc) && !Values.isNull(call, i)) {
                    findings.field(field).define(values.operand(call, i, 0), moment(call, i));
                }
            }
            case Opcodes.AASTORE -> {
                Set<Atom> value = values.operand(call, i, 0);
                if (!value.isEmpty()) {
                    for (AbstractInsnNode array : Values.source(call, i, 2).insns) {
                        if (array.getOpcode() == Opcodes.ANEWARRAY || array.getOpcode() == Opcodes.MULTIANEWARRAY) {
                            call.results.get(array).addAll(value);
                        }
                    }
                    Values.addTo(Values.withVisited(values.operand(call, i, 2)), value, moment(call, i));
                }
            }
            case Opcodes.ANEWARRAY, Opcodes.MULTIANEWARRAY -> call.results.put(instruction, new LinkedHashSet<>());
            case Opcodes.NEW -> call.results.put(instruction, libraries.made(((TypeInsnNode) instruction).desc, call.loopsAt(i)));
            case Opcodes.ARETURN -> returned.addAll(values.operand(call, i, 0));
            case Opcodes.INVOKEDYNAMIC -> {
                InvokeDynamicInsnNode dynamic = (InvokeDynamicInsnNode) instruction;
                Handle body = functionBody(dynamic);
                if (body != null) {
                    call.results.put(instruction,
                            Set.of(new Atom.Lambda(body, values.operands(call, i, Type.getArgumentTypes(dynamic.desc).length))));
                }
            }
            case Opcodes.INVOKEVIRTUAL, Opcodes.INVOKEINTERFACE, Opcodes.INVOKESTATIC, Opcodes.INVOKESPECIAL -> {
                MethodInsnNode method = (MethodInsnNode) instruction;
                int count = Type.getArgumentTypes(method.desc).length;
                List<Set<Atom>> arguments = values.operands(call, i, count);
                Set<Atom> receiver = method.getOpcode() == Opcodes.INVOKESTATIC ? NOTHING : values.operand(call, i, count);
                Site site = Site.of(call, i);
                if (method.name.equals("<init>")) {
                    libraries.construct(site, method, receiver, arguments);
                } else {
                    call.results.put(instruction, libraries.invoke(site, method.getOpcode(), method.owner, method.name, method.desc,
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

    /** Follows a method of the program, unless it does not matter or is too deep. */
    Set<Atom> enter(Site site, Program.Member target, Set<Atom> receiver, List<Set<Atom>> arguments) {
        boolean synthetic = (target.method().access & (Opcodes.ACC_SYNTHETIC | Opcodes.ACC_BRIDGE)) != 0;
        boolean small = target.method().instructions.size() < Findings.SMALL;
        int depth = site.call().depth + (synthetic || small ? 0 : 1);
        boolean matters = small || findings.isRelevant(target.method())
                || arguments.stream().anyMatch(argument -> !Values.functions(argument).isEmpty());
        if (depth > DEPTH || calls >= CALLS || !matters) {
            return NOTHING;
        }
        MethodCode code = program.code(target);
        if (code == null || site.call().isWithin(code)) {
            return NOTHING;
        }
        List<Object> lazy = lazyValue(target.method(), receiver, arguments);
        if (lazy != null && lazyValues.containsKey(lazy)) {
            return lazyValues.get(lazy);
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
        if (lazy == null) {
            return follow(new Call(code, parameters, site.loops(), depth, site.call(), site.index()));
        }
        Moment at = moment(new Site(site.call(), site.index(), loopsOfHolder(lazy)));
        Variable variable = findings.variable(target.method().name.substring(0, target.method().name.indexOf(LAZY)));
        lazyValues.put(lazy, Set.of(variable));
        variable.define(follow(new Call(code, parameters, at.loops(), depth, site.call(), site.index())), at);
        return Set.of(variable);
    }

    /** Returns what identifies a lazy value of Scala, if a method computes one: the method, and the objects that hold the value. */
    private static List<Object> lazyValue(MethodNode method, Set<Atom> receiver, List<Set<Atom>> arguments) {
        if (!method.name.contains(LAZY) || !Values.areSettled(receiver)) {
            return null;
        }
        Set<Atom> holders = new LinkedHashSet<>(Values.known(receiver, Atom.Instance.class));
        arguments.forEach(argument -> Values.known(argument, Atom.Instance.class).stream()
                .filter(instance -> instance.type.equals(Calls.LAZY)).forEach(holders::add));
        return List.of(method, holders);
    }

    /** Returns the loops in which the holder of a lazy value is made. They compute the value in each iteration, others only once. */
    private static List<LoopVisit> loopsOfHolder(List<Object> lazy) {
        List<LoopVisit> loops = List.of();
        for (Object holder : (Set<?>) lazy.get(1)) {
            List<LoopVisit> other = ((Atom.Instance) holder).loops;
            loops = other.size() > loops.size() ? other : loops;
        }
        return loops;
    }

    /** Follows a function, with its captured values as the first arguments. */
    Set<Atom> run(Site site, Atom.Lambda function, List<Set<Atom>> arguments) {
        List<Set<Atom>> all = new ArrayList<>(function.captured());
        all.addAll(arguments);
        Handle body = function.body();
        switch (body.getTag()) {
            case Opcodes.H_INVOKESTATIC:
                return libraries.invoke(site, Opcodes.INVOKESTATIC, body.getOwner(), body.getName(), body.getDesc(), NOTHING, all);
            case Opcodes.H_NEWINVOKESPECIAL:
                return NOTHING;
            default:
                int opcode = body.getTag() == Opcodes.H_INVOKEINTERFACE ? Opcodes.INVOKEINTERFACE
                        : body.getTag() == Opcodes.H_INVOKESPECIAL ? Opcodes.INVOKESPECIAL : Opcodes.INVOKEVIRTUAL;
                Set<Atom> receiver = all.isEmpty() ? NOTHING : all.remove(0);
                return libraries.invoke(site, opcode, body.getOwner(), body.getName(), body.getDesc(), receiver, all);
        }
    }

    Set<Atom> runAll(Site site, List<Set<Atom>> arguments, List<Set<Atom>> given) {
        Set<Atom> all = new LinkedHashSet<>();
        for (Set<Atom> argument : arguments) {
            for (Atom.Lambda function : Values.functions(argument)) {
                all.addAll(run(site, function, given));
            }
        }
        return all;
    }

    /** Follows functions that a library calls repeatedly, with a different argument each time. */
    Set<Atom> repeat(Site site, String name, Set<Atom> contents, List<Set<Atom>> arguments) {
        LoopVisit loop = new LoopVisit(site.call().code.place(site.index()));
        Site inside = site.in(loop);
        Set<Atom> all = new LinkedHashSet<>();
        for (Set<Atom> argument : arguments) {
            for (Atom.Lambda function : Values.functions(argument)) {
                Variable turn = findings.variable(parameterName(function));
                turn.define(new Variable.Definition(contents, moment(inside), null, loop));
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

    /** Returns a variable for the element that the innermost loop visits in an iteration, another one in each. */
    Set<Atom> eachElement(Site site, Set<Atom> elements) {
        if (site.loops().isEmpty()) {
            return elements;
        }
        Variable turn = findings.variable(NEXT);
        turn.define(new Variable.Definition(elements, moment(site), null, site.loops().get(site.loops().size() - 1)));
        return Set.of(turn);
    }

    private String parameterName(Atom.Lambda function) {
        Handle body = function.body();
        Program.Member member = program.find(body.getOwner(), body.getName(), body.getDesc());
        MethodCode code = member == null ? null : program.code(member);
        boolean hasReceiver = body.getTag() != Opcodes.H_INVOKESTATIC;
        int slot = hasReceiver ? 1 : 0;
        int captured = function.captured().size() - slot;
        Type[] types = Type.getArgumentTypes(body.getDesc());
        for (int i = 0; i < captured && i < types.length; i++) {
            slot += types[i].getSize();
        }
        return code == null || captured < 0 ? NEXT : code.parameterName(slot);
    }
}
