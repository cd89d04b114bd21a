// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * Reports the activity of the collectors' threads, as flight recorder events. The VM counts it with
 * {@code -XX:+GCAdaptiveStealing}, {@code -XX:+GCStableWorkers}, {@code -XX:GCThreadBinding}, or the diagnostic
 * {@code -XX:+GCTaskStatistics}.
 */
public final class GCThreads {

    // The VM sets this property while it starts, before any class of the program runs.
    private static final boolean AVAILABLE = "true".equals(System.getProperty("terrace.gcthreads"));

    // Indices into the array of totals.
    private static final int TASKS = 0;
    private static final int STEAL_ATTEMPTS = 1;
    private static final int FAILED_STEALS = 2;
    private static final int TERMINATION_OFFERS = 3;
    private static final int TERMINATION_NANOS = 4;
    private static final int SUBTASKS = 5;
    private static final int MIGRATIONS = 6;

    private static long[] told;

    private GCThreads() {
    }

    /** Whether the VM counts the activity of its GC threads. A constant of the process. */
    public static boolean isAvailable() {
        return AVAILABLE;
    }

    /**
     * Registers the flight recorder event {@code org.terrace.GCThreads}, one for each second of a recording. Has no effect if
     * the VM counts nothing, without the module {@code jdk.jfr}, or if the event is already registered.
     */
    public static void register() {
        if (AVAILABLE) {
            RecorderStart.once(GCThreads.class, () -> {
                told = totals0();
                FlightRecorder.addPeriodicEvent(Activity.class, GCThreads::tell);
            });
        }
    }

    private static synchronized void tell() {
        long[] now = totals0();
        Activity activity = new Activity();
        activity.tasks = now[TASKS] - told[TASKS];
        activity.stealAttempts = now[STEAL_ATTEMPTS] - told[STEAL_ATTEMPTS];
        activity.failedSteals = now[FAILED_STEALS] - told[FAILED_STEALS];
        activity.terminationOffers = now[TERMINATION_OFFERS] - told[TERMINATION_OFFERS];
        activity.terminationTime = now[TERMINATION_NANOS] - told[TERMINATION_NANOS];
        activity.subtasks = now[SUBTASKS] - told[SUBTASKS];
        activity.migrations = now[MIGRATIONS] - told[MIGRATIONS];
        activity.commit();
        told = now;
    }

    // The VM binds this method to this class by name, in any class loader, so no native library is loaded.

    /** Returns the totals since the VM started, in the order of the indices above. */
    private static native long[] totals0();

    @Name("org.terrace.GCThreads")
    @Label("GC Threads")
    @Description("The work of the collector's threads since the previous event")
    @Category({"Java Virtual Machine", "GC"})
    @Period("1 s")
    @StackTrace(false)
    static final class Activity extends Event {
        @Label("Tasks") long tasks;
        @Label("Attempts to Steal") long stealAttempts;
        @Label("Failed Attempts to Steal") long failedSteals;
        @Label("Offers of Termination") long terminationOffers;
        @Label("Time in Termination") @Description("Of all threads") @Timespan long terminationTime;
        @Label("Subtasks") @Description("Groups of roots and the like") long subtasks;
        @Label("Migrations") @Description("Tasks that a thread ended on a different processor than it began on") long migrations;
    }
}
