// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.List;

/** The time of an operation: its line, the enclosing loops, outermost first, and its position in the walk. */
record Moment(Walk walk, int position, Walk.Call call, int index, List<LoopVisit> loops) {

    Place place() {
        return call.code.place(index);
    }

    /** Whether a run that passes through this moment can avoid the other one. */
    boolean canMiss(Moment other) {
        return walk == other.walk && Walk.Call.canMiss(call, index, other.call, other.index);
    }

    /** Whether this moment is before a loop's reading, inside the loop, or repeated together with it by an outer loop. */
    boolean precedesOrIsIn(LoopVisit loop, Moment reading) {
        return walk != reading.walk || position <= loop.end || loops.stream().anyMatch(reading.loops::contains);
    }
}
