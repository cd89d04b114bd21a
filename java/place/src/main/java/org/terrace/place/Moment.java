// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.Collections;
import java.util.List;

/** The time of an operation: its line, the enclosing loops, outermost first, and its position in the walk. */
record Moment(Walk walk, int position, Call call, int index, List<LoopVisit> loops) {

    Place place() {
        return call.code.place(index);
    }

    /** Whether a run that passes through this moment can avoid the other one. */
    boolean canMiss(Moment other) {
        return walk == other.walk && Call.canMiss(call, index, other.call, other.index);
    }

    /** Whether this moment is before a loop's reading, inside the loop, or repeated together with it by an outer loop. */
    boolean precedesOrIsIn(LoopVisit loop, Moment reading) {
        return walk != reading.walk || position <= loop.end || isRepeatedWith(reading);
    }

    /** Whether this moment is before another one in the walk, or in an earlier iteration of a loop that contains both. */
    boolean canPrecede(Moment other) {
        return walk != other.walk || position < other.position || isRepeatedWith(other);
    }

    boolean isRepeatedWith(Moment other) {
        return !Collections.disjoint(loops, other.loops);
    }

    /** Whether all runs from an earlier moment to a later one pass through this moment, if each loop has an iteration. */
    boolean isAlwaysBetween(Moment earlier, Moment later) {
        return walk == earlier.walk && walk == later.walk && earlier.position < position && position < later.position
                && !earlier.isRepeatedWith(this) && !earlier.isRepeatedWith(later) && later.loops.containsAll(loops)
                && !earlier.canMiss(this);
    }
}
