// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/** The code of a method, with the origin of each operand, the loops, the line numbers and the names of variables. */
final class MethodCode {

    final ClassNode owner;
    final MethodNode method;
    final InsnList instructions;
    final Frame<SourceValue>[] frames;
    final List<Loop> loops;
    /** Number of local slots that hold parameters, including the receiver. */
    final int parameterSlots;

    private final Map<List<Integer>, Boolean> misses = new HashMap<>();
    private final Map<Integer, List<Integer>> successors = new HashMap<>();
    private final int[] lines;
    private final Set<Integer> assignedParameters = new HashSet<>();

    /** Instructions that are repeated because a jump leads back to the first of them, the header. */
    record Loop(int header, BitSet body) {
    }

    MethodCode(Program.Member member) throws AnalyzerException {
        owner = member.owner();
        method = member.method();
        instructions = method.instructions;
        int receiver = (method.access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
        int size = receiver;
        for (Type type : Type.getArgumentTypes(method.desc)) {
            size += type.getSize();
        }
        parameterSlots = size;
        Map<Integer, List<Integer>> predecessors = new HashMap<>();
        Analyzer<SourceValue> analyzer = new Analyzer<>(new Origins()) {
            @Override
            protected void newControlFlowEdge(int from, int to) {
                predecessors.computeIfAbsent(to, key -> new ArrayList<>()).add(from);
                successors.computeIfAbsent(from, key -> new ArrayList<>()).add(to);
            }
        };
        frames = analyzer.analyze(owner.name, method);
        loops = loops(predecessors);
        lines = new int[instructions.size()];
        int line = 0;
        for (int i = 0; i < lines.length; i++) {
            AbstractInsnNode instruction = instructions.get(i);
            if (instruction instanceof LineNumberNode number) {
                line = number.line;
            } else if (instruction.getOpcode() == Opcodes.ASTORE) {
                int slot = ((VarInsnNode) instruction).var;
                LocalVariableNode local = local(slot, i + 1);
                if (slot < parameterSlots && (local == null || isParameter(local))) {
                    assignedParameters.add(slot);
                }
            }
            lines[i] = line;
        }
    }

    /** Whether a class has line numbers and names of variables. Without either, the analysis cannot name its results. */
    static boolean hasDebugInformation(ClassNode node) {
        boolean lines = false;
        boolean variables = false;
        boolean locals = false;
        for (MethodNode method : node.methods) {
            variables |= method.localVariables != null && !method.localVariables.isEmpty();
            locals |= method.maxLocals > 0 && (method.access & Opcodes.ACC_SYNTHETIC) == 0;
            for (AbstractInsnNode i = method.instructions.getFirst(); !lines && i != null; i = i.getNext()) {
                lines = i instanceof LineNumberNode;
            }
        }
        return node.sourceFile != null && lines && (variables || !locals);
    }

    private List<Loop> loops(Map<Integer, List<Integer>> predecessors) {
        Map<Integer, BitSet> bodies = new TreeMap<>();
        predecessors.forEach((to, froms) -> {
            for (int from : froms) {
                if (from >= to) {
                    BitSet body = bodies.computeIfAbsent(to, key -> new BitSet());
                    body.set(to);
                    Deque<Integer> open = new ArrayDeque<>(List.of(from));
                    while (!open.isEmpty()) {
                        int current = open.pop();
                        if (!body.get(current)) {
                            body.set(current);
                            open.addAll(predecessors.getOrDefault(current, List.of()));
                        }
                    }
                }
            }
        });
        List<Loop> found = new ArrayList<>();
        bodies.forEach((header, body) -> found.add(new Loop(header, body)));
        found.sort((a, b) -> b.body.cardinality() - a.body.cardinality());
        return found;
    }

    /** Whether a normal run can pass through one instruction and reach the method's end without passing through the other one. */
    boolean canMiss(int through, int missed) {
        return misses.computeIfAbsent(List.of(through, missed), key ->
                leads(0, missed, index -> index == through) && leads(through, missed, this::isReturn));
    }

    private boolean isReturn(int index) {
        int opcode = instructions.get(index).getOpcode();
        return opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN;
    }

    private boolean leads(int from, int missed, IntPredicate wanted) {
        BitSet seen = new BitSet();
        Deque<Integer> open = new ArrayDeque<>(List.of(from));
        while (!open.isEmpty()) {
            int current = open.pop();
            if (current != missed && !seen.get(current)) {
                seen.set(current);
                if (wanted.test(current)) {
                    return true;
                }
                open.addAll(successors.getOrDefault(current, List.of()));
            }
        }
        return false;
    }

    Place place(int index) {
        return new Place(owner.sourceFile, lines[index]);
    }

    /** Returns the source variable that is in a local slot at an instruction, or null for one that the compiler made. */
    LocalVariableNode local(int slot, int index) {
        if (method.localVariables != null) {
            for (LocalVariableNode local : method.localVariables) {
                if (local.index == slot && instructions.indexOf(local.start) <= index
                        && index < instructions.indexOf(local.end)) {
                    return local;
                }
            }
        }
        return null;
    }

    /** Whether a variable is a parameter, so its scope begins with the method. */
    boolean isParameter(LocalVariableNode local) {
        return local.index < parameterSlots && instructions.indexOf(local.start) == 0;
    }

    boolean isAssigned(int parameterSlot) {
        return assignedParameters.contains(parameterSlot);
    }

    /** Returns the name of a parameter, or its number if it has no name. */
    String parameterName(int slot) {
        LocalVariableNode local = local(slot, 0);
        return local == null ? "parameter " + slot : local.name;
    }

    /** Interpreter that traces copies on the stack to their origin. Loads and stores of locals remain origins of their own. */
    private static final class Origins extends SourceInterpreter {

        Origins() {
            super(ASM9);
        }

        @Override
        public SourceValue copyOperation(AbstractInsnNode instruction, SourceValue value) {
            return instruction instanceof VarInsnNode ? super.copyOperation(instruction, value) : value;
        }
    }
}
