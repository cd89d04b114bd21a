// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.tree.AbstractInsnNode;

/** A method being followed, on one path through the program. */
final class Call {

    final MethodCode code;
    /** The values of the slots that hold parameters. */
    final List<Set<Atom>> parameters;
    /** The loops of the callers, outermost first. */
    final List<LoopVisit> outer;
    final int depth;
    final Call caller;
    final int callerIndex;
    /** The values that instructions left on the stack. */
    final Map<AbstractInsnNode, Set<Atom>> results = new HashMap<>();
    final Map<String, Variable> locals = new HashMap<>();
    final Map<List<Object>, Variable> reads = new HashMap<>();
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

    /** Returns the loops that contain an instruction, outermost first. */
    List<LoopVisit> loopsAt(int index) {
        List<LoopVisit> all = new ArrayList<>(outer);
        for (MethodCode.Loop loop : code.loops) {
            if (loop.body().get(index)) {
                all.add(loops.get(loop));
            }
        }
        return all;
    }

    /** Moves the end of the loops that contain an instruction. */
    void extendLoops(int index, int position) {
        for (MethodCode.Loop loop : code.loops) {
            if (loop.body().get(index)) {
                loops.get(loop).end = position;
            }
        }
    }
}
