// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;

/**
 * Reports how the concurrent cycles of G1 handled swapped-out pages, as flight recorder events. The VM provides the data if it
 * runs with far memory.
 */
public final class FarMemory {

    // The VM sets this property while it starts, before any class of the program runs.
    private static final boolean AVAILABLE = "true".equals(System.getProperty("terrace.far"));

    // Indices into the array in which the VM describes a cycle.
    private static final int ID = 0;
    private static final int MILLIS = 1;
    private static final int COMPLETE = 2;
    private static final int MARKING = 3;
    private static final int REBUILD = 4;
    private static final int ABSENT = 5;
    private static final int FROM_SUMMARIES = 6;
    private static final int ASKED = 7;
    private static final int GIVEN_BACK = 8;
    private static final int KEPT = 9;
    private static final int KEPT_BYTES = 10;
    private static final int BY_PROGRAM = 11;
    private static final int BY_MARKING = 12;
    private static final int BY_PAUSES = 13;
    private static final int BY_REFINEMENT = 14;

    private static long lastId;

    private FarMemory() {
    }

    /** Whether the VM runs with far memory, or may turn it on later. A constant of the process. */
    public static boolean isAvailable() {
        return AVAILABLE;
    }

    /**
     * Registers the flight recorder event {@code org.terrace.FarMemoryCycle}, one for each concurrent cycle. Has no effect
     * without far memory, without the module {@code jdk.jfr}, or if the event is already registered.
     */
    public static void register() {
        if (AVAILABLE) {
            RecorderStart.once(FarMemory.class, () -> FlightRecorder.addPeriodicEvent(Cycle.class, FarMemory::tell));
        }
    }

    private static synchronized void tell() {
        for (long[] cycle = cycle0(lastId); cycle != null; cycle = cycle0(lastId)) {
            lastId = cycle[ID];
            tell(cycle);
        }
    }

    private static void tell(long[] cycle) {
        Cycle event = new Cycle();
        event.at = cycle[MILLIS];
        event.complete = cycle[COMPLETE] != 0;
        event.marking = cycle[MARKING];
        event.rebuild = cycle[REBUILD];
        event.absent = cycle[ABSENT];
        event.fromSummaries = cycle[FROM_SUMMARIES];
        event.asked = cycle[ASKED];
        event.givenBack = cycle[GIVEN_BACK];
        event.summaries = cycle[KEPT];
        event.summariesSize = cycle[KEPT_BYTES];
        event.byProgram = cycle[BY_PROGRAM];
        event.byMarking = cycle[BY_MARKING];
        event.byPauses = cycle[BY_PAUSES];
        event.byRefinement = cycle[BY_REFINEMENT];
        event.commit();
    }

    // The VM binds this method to this class by name, in any class loader, so no native library is loaded.

    /** Returns the oldest cycle after the given one that the VM remembers, in the order of the indices above, or null. */
    private static native long[] cycle0(long after);

    @Name("org.terrace.FarMemoryCycle")
    @Label("Far Memory Cycle")
    @Description("A concurrent cycle, and the major faults during it. Reported once a second")
    @Category({"Java Virtual Machine", "GC", "Far Memory"})
    @Period("1 s")
    @StackTrace(false)
    static final class Cycle extends Event {
        @Label("Ended") @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long at;
        @Label("Complete") @Description("False: a full collection aborted it") boolean complete;
        @Label("Marking") @Timespan long marking;
        @Label("Remembered Sets") @Description("From the end of marking to that of the rebuild") @Timespan long rebuild;
        @Label("Absent Pages") @Description("When marking began") long absent;
        @Label("Pages Marked from Summaries") long fromSummaries;
        @Label("Pages Prefetched") long asked;
        @Label("Pages Paged Out") long givenBack;
        @Label("Summaries Kept") @Description("Pages, for the next cycle") long summaries;
        @Label("Size of Summaries") @DataAmount long summariesSize;
        @Label("Major Faults of the Program") long byProgram;
        @Label("Major Faults of Marking") long byMarking;
        @Label("Major Faults of Pauses") long byPauses;
        @Label("Major Faults of Refinement") long byRefinement;
    }
}
