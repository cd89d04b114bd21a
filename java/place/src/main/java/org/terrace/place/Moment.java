// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.List;

/** When something happens: at which line, in which loops, outermost first, and after what else of the same walk. */
record Moment(Walk walk, int position, Walk.Call call, int index, List<LoopVisit> loops) {

    Place place() {
        return call.code.place(index);
    }

    /** Whether a run that comes here can go on without coming to the other moment. */
    boolean canMiss(Moment other) {
        return walk == other.walk && Walk.Call.canMiss(call, index, other.call, other.index);
    }

    /** Whether it has happened when a loop reads: it comes before, is inside, or an outer loop brings it around. */
    boolean precedesOrIsIn(LoopVisit loop, Moment reading) {
        return walk != reading.walk || position <= loop.end || loops.stream().anyMatch(reading.loops::contains);
    }
}
