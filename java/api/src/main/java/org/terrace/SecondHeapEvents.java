// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.HashMap;
import java.util.Map;
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
 * Flight recorder events of the second heap. While a recording runs, new events are read from the VM once a second. The start
 * time of an event is therefore the time of this report, and its field {@code at} has the time at which it happened. The first
 * report of a recording includes older events that the VM still remembers (some hundred).
 * {@link SecondHeapManagement#register} enables the events.
 */
final class SecondHeapEvents {

    private static final int ID = 0;
    private static final int MILLIS = 1;
    private static final int KIND = 2;
    private static final int NANOS = 3;
    private static final int OBJECTS = 4;
    private static final int BYTES = 5;

    private static long lastId;
    private static long toFast;      // bytes that were already reported
    private static long toSlow;
    private static final Map<Long, Long> WAITED = new HashMap<>();   // nanoseconds that were already reported, by label

    private SecondHeapEvents() {
    }

    /** Has no effect without H2, without the module {@code jdk.jfr}, or if the events are already registered. */
    static void register() {
        if (SecondHeap.isAvailable()) {
            RecorderStart.once(SecondHeapEvents.class, () -> FlightRecorder.addPeriodicEvent(Usage.class, SecondHeapEvents::tell));
        }
    }

    private static synchronized void tell() {
        SecondHeapStatistics statistics = SecondHeap.statistics();
        Usage usage = new Usage();
        usage.used = statistics.getUsedBytes();
        usage.capacity = statistics.getCapacityBytes();
        usage.regions = statistics.getRegionsInUse();
        usage.taggedRoots = statistics.getTaggedRoots();
        usage.pagedOut = statistics.getPagedOutBytes();
        usage.prefetched = statistics.getPrefetchedBytes();
        usage.waited = Math.max(0, statistics.getWaitedNanos());
        usage.commit();
        for (long[] event = SecondHeap.event0(lastId); event != null; event = SecondHeap.event0(lastId)) {
            lastId = event[ID];
            tell(event);
        }
        tellWaits();
        tellMigration(statistics);
    }

    private static void tellMigration(SecondHeapStatistics statistics) {
        Migration migration = new Migration();
        migration.toFast = statistics.getMigratedToFastBytes() - toFast;
        migration.toSlow = statistics.getMigratedToSlowBytes() - toSlow;
        toFast += migration.toFast;
        toSlow += migration.toSlow;
        if (migration.toFast + migration.toSlow > 0) {
            migration.commit();
        }
    }

    private static void tellWaits() {
        long[] waits = SecondHeap.waits();
        if (waits == null) {
            return;
        }
        for (int i = 0; i < waits.length; i += 2) {
            Long before = WAITED.put(waits[i], waits[i + 1]);
            Wait wait = new Wait();
            wait.label = waits[i];
            wait.waited = waits[i + 1] - (before == null ? 0 : before);
            if (wait.waited > 0) {
                wait.commit();
            }
        }
    }

    private static void tell(long[] event) {
        switch ((int) event[KIND]) {
            case 0:
                Transfer transfer = new Transfer();
                transfer.at = event[MILLIS];
                transfer.took = event[NANOS];
                transfer.objects = event[OBJECTS];
                transfer.size = event[BYTES];
                transfer.commit();
                break;
            case 1:
                TransferAbandoned abandoned = new TransferAbandoned();
                abandoned.at = event[MILLIS];
                abandoned.took = event[NANOS];
                abandoned.reason = SecondHeap.eventReason0(event[ID]);
                abandoned.commit();
                break;
            case 2:
                RegionsFreed freed = new RegionsFreed();
                freed.at = event[MILLIS];
                freed.took = event[NANOS];
                freed.size = event[BYTES];
                freed.commit();
                break;
            case 3:
                MarkedThrough marked = new MarkedThrough();
                marked.at = event[MILLIS];
                marked.took = event[NANOS];
                marked.reachable = event[BYTES];
                marked.commit();
                break;
            case 4:
                HighThreshold threshold = new HighThreshold();
                threshold.at = event[MILLIS];
                threshold.live = event[BYTES];
                threshold.commit();
                break;
            default:
                // A kind of event that only a newer VM has.
        }
    }

    @Name("org.terrace.SecondHeapUsage")
    @Label("Second Heap")
    @Description("The use of the second heap (H2)")
    @Category({"Java Virtual Machine", "GC", "Second Heap"})
    @Period("1 s")
    @StackTrace(false)
    static final class Usage extends Event {
        @Label("Used") @DataAmount long used;
        @Label("Capacity") @DataAmount long capacity;
        @Label("Regions in Use") long regions;
        @Label("Tagged Roots in H1") long taggedRoots;
        @Label("Paged Out on Dismissal") @DataAmount long pagedOut;
        @Label("Prefetched") @DataAmount long prefetched;
        @Label("Waited for Pages") @Timespan long waited;
    }

    @Name("org.terrace.SecondHeapWait")
    @Label("Second Heap Wait")
    @Description("Threads of the program waited for pages of a label, summed over threads, since the previous event: an "
                 + "estimate by samples")
    @Category({"Java Virtual Machine", "GC", "Second Heap"})
    @StackTrace(false)
    static final class Wait extends Event {
        @Label("Label") long label;
        @Label("Waited") @Timespan long waited;
    }

    @Name("org.terrace.SecondHeapMigration")
    @Label("Second Heap Migration")
    @Description("Regions changed their tier since the previous event, because the program accessed some more than others")
    @Category({"Java Virtual Machine", "GC", "Second Heap"})
    @StackTrace(false)
    static final class Migration extends Event {
        @Label("Became Fast") @DataAmount long toFast;
        @Label("Became Slow") @DataAmount long toSlow;
    }

    @Name("org.terrace.SecondHeapTransfer")
    @Label("Second Heap Transfer")
    @Description("A major collection moved objects to the second heap")
    @Category({"Java Virtual Machine", "GC", "Second Heap"})
    @StackTrace(false)
    static final class Transfer extends Event {
        @Label("Ended") @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long at;
        @Label("Took") @Timespan long took;
        @Label("Objects") long objects;
        @Label("Size") @DataAmount long size;
    }

    @Name("org.terrace.SecondHeapTransferAbandoned")
    @Label("Second Heap Transfer Abandoned")
    @Description("Scheduled objects stay in H1, because H2 or its device is full, or a write failed")
    @Category({"Java Virtual Machine", "GC", "Second Heap"})
    @StackTrace(false)
    static final class TransferAbandoned extends Event {
        @Label("Ended") @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long at;
        @Label("Took") @Timespan long took;
        @Label("Reason") String reason;
    }

    @Name("org.terrace.SecondHeapRegionsFreed")
    @Label("Second Heap Regions Freed")
    @Description("A major collection freed dead regions of the second heap")
    @Category({"Java Virtual Machine", "GC", "Second Heap"})
    @StackTrace(false)
    static final class RegionsFreed extends Event {
        @Label("Ended") @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long at;
        @Label("Took") @Timespan long took;
        @Label("Size") @DataAmount long size;
    }

    @Name("org.terrace.SecondHeapMarkedThrough")
    @Label("Second Heap Marked Through")
    @Description("A major collection marked all reachable objects of the second heap, because free space was short")
    @Category({"Java Virtual Machine", "GC", "Second Heap"})
    @StackTrace(false)
    static final class MarkedThrough extends Event {
        @Label("Ended") @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long at;
        @Label("Took") @Timespan long took;
        @Label("Reachable") @DataAmount long reachable;
    }

    @Name("org.terrace.SecondHeapHighThreshold")
    @Label("Second Heap High Threshold")
    @Description("A major collection found more than H2HighThreshold live in H1, and searched for objects to move")
    @Category({"Java Virtual Machine", "GC", "Second Heap"})
    @StackTrace(false)
    static final class HighThreshold extends Event {
        @Label("Ended") @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long at;
        @Label("Live in H1") @DataAmount long live;
    }
}
