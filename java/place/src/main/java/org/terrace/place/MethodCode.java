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
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
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

    /** Stands for the instruction that assigned the argument of the method to a local slot. */
    static final AbstractInsnNode PARAMETER = new InsnNode(Opcodes.NOP);

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
    private final Map<String, Set<AbstractInsnNode>> stores = new HashMap<>();
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
        lines = lines();
        for (AbstractInsnNode instruction : instructions) {
            if (instruction.getOpcode() == Opcodes.ASTORE && ((VarInsnNode) instruction).var < parameterSlots) {
                assignedParameters.add(((VarInsnNode) instruction).var);
            }
        }
    }

    /** Returns the line of each instruction. A label, to which a loop jumps back, has the line of the instruction after it. */
    private int[] lines() {
        int[] found = new int[instructions.size()];
        int line = 0;
        for (int i = 0; i < found.length; i++) {
            line = instructions.get(i) instanceof LineNumberNode number ? number.line : line;
            found[i] = line;
        }
        for (int i = found.length - 2; i >= 0; i--) {
            if (instructions.get(i).getOpcode() < 0) {
                found[i] = found[i + 1];
            }
        }
        return found;
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

    /** Returns the source variable to which an instruction assigns, or null for one that the compiler made. */
    LocalVariableNode assigned(VarInsnNode store, int index) {
        LocalVariableNode local = local(store.var, index + 1);
        for (int i = index + 1; local == null && i < instructions.size() - 1 && instructions.get(i).getOpcode() < 0; i++) {
            local = local(store.var, i + 1);
        }
        return local;
    }

    /** Returns all instructions that assign to a variable. */
    Set<AbstractInsnNode> storesTo(int slot, LocalVariableNode local) {
        return stores.computeIfAbsent(slot + (local == null ? "" : local.name), key -> {
            Set<AbstractInsnNode> found = new HashSet<>();
            for (AbstractInsnNode i : instructions) {
                if (i.getOpcode() == Opcodes.ASTORE && ((VarInsnNode) i).var == slot) {
                    LocalVariableNode assigned = assigned((VarInsnNode) i, instructions.indexOf(i));
                    if (assigned == null ? local == null : local != null && assigned.name.equals(local.name)) {
                        found.add(i);
                    }
                }
            }
            if (slot < parameterSlots) {
                found.add(PARAMETER);
            }
            return found;
        });
    }

    static boolean isParameter(AbstractInsnNode store) {
        return store == PARAMETER;
    }

    boolean isAssigned(int parameterSlot) {
        return assignedParameters.contains(parameterSlot);
    }

    /**
     * Whether an instruction reads the elements of an array one after the other: the array is in a variable that the compiler made, as
     * for javac's loop over an array, or the index is increased in the innermost loop.
     */
    boolean visitsEachElement(int index) {
        Loop innermost = null;
        for (Loop loop : loops) {
            innermost = loop.body.get(index) ? loop : innermost;
        }
        if (innermost == null) {
            return false;
        }
        Frame<SourceValue> frame = frames[index];
        for (AbstractInsnNode source : frame.getStack(frame.getStackSize() - 1).insns) {
            if (!(source instanceof VarInsnNode load) || !isIncreased(load.var, innermost)) {
                return false;
            }
        }
        return true;
    }

    private boolean isIncreased(int slot, Loop loop) {
        return loop.body.stream().anyMatch(i -> instructions.get(i) instanceof IincInsnNode increment && increment.var == slot
                || accesses(i, Opcodes.ISTORE, slot) && instructions.get(i - 1).getOpcode() == Opcodes.IADD
                && accesses(i - 3, Opcodes.ILOAD, slot));
    }

    private boolean accesses(int index, int opcode, int slot) {
        return index >= 0 && instructions.get(index).getOpcode() == opcode && ((VarInsnNode) instructions.get(index)).var == slot;
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
        public SourceValue newParameterValue(boolean instance, int slot, Type type) {
            return new SourceValue(type.getSize(), PARAMETER);
        }

        @Override
        public SourceValue copyOperation(AbstractInsnNode instruction, SourceValue value) {
            return instruction instanceof VarInsnNode ? super.copyOperation(instruction, value) : value;
        }
    }
}
