// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.report;

/*
 * @test TestFlightRecorder
 * @summary The flight recorder has one event for each transfer, failed transfer, freeing of regions, marking through H2 and
 *          exceeded high threshold. Before it starts, none of its classes is initialized
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management jdk.jfr
 *
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m -XX:H2HighThreshold=60
 *                   -XX:MetaspaceSize=128m -XX:+UnlockDiagnosticVMOptions -XX:H2FailTransferAt=3 -XX:H2DeepMarkingInterval=4
 *                   gc.terrace.h2.report.TestFlightRecorder
 */

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.test.lib.dcmd.JMXExecutor;
import org.terrace.SecondHeap;
import org.terrace.SecondHeapManagement;
import org.terrace.SecondHeapStatistics;

import static gc.terrace.h2.H2Test.*;

public class TestFlightRecorder {

    public static void main(String[] args) throws Exception {
        requireH2();
        SecondHeapManagement.register();
        new JMXExecutor().execute("GC.class_histogram -all").shouldContain("java.lang.String")
            .shouldNotContain("jdk.jfr.internal.MetadataRepository");
        SecondHeapManagement.register();
        Instant begin = Instant.now().minusMillis(1);
        Recording recording = new Recording();
        for (String name : List.of("Usage", "Transfer", "TransferAbandoned", "RegionsFreed", "MarkedThrough",
                                   "HighThreshold")) {
            recording.enable("org.terrace.SecondHeap" + name);
        }
        recording.start();

        Object first = moveToH2(new byte[3 << 20]);
        Object second = new byte[3 << 20];
        SecondHeap.tagRoot(second, 7);
        SecondHeap.move(7);
        SecondHeap.transfer();
        assertEquals(SecondHeap.statistics().getFailedTransfers(), STOCK ? 0 : 1, "failed transfers");
        SecondHeap.transfer();
        assertInH2(second, "the second one");
        first = null;
        majorGC();
        List<Object> parts = fillH1();
        if (STOCK) {
            return;
        }
        SecondHeapStatistics statistics = SecondHeap.statistics();
        waitFor(() -> hasTold(recording, statistics));
        // Events are reported once a second, so duplicates would be reported in this time.
        Thread.sleep(2500);
        recording.stop();
        Map<String, List<RecordedEvent>> events = events(recording);
        events.values().forEach(all -> all.forEach(System.out::println));
        check(events, statistics, begin);
        assertInH2(parts, "what was tagged");
        assertInH2(second, "the second one");
    }

    // Fills H1 above the high threshold with tagged objects that are not due.
    private static List<Object> fillH1() {
        List<Object> parts = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            parts.add(new byte[1 << 20]);
        }
        SecondHeap.tagRoot(parts, 8);
        majorGC();
        assertInH2(parts, "what was tagged");
        return parts;
    }

    private static Map<String, List<RecordedEvent>> events(Recording recording) {
        try {
            Path file = Path.of("recording.jfr");
            Files.deleteIfExists(file);
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream().collect(Collectors.groupingBy(event -> event.getEventType().getName()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether all events are in the recording. They are reported once a second, one kind after the other. */
    private static boolean hasTold(Recording recording, SecondHeapStatistics statistics) {
        Map<String, List<RecordedEvent>> events = events(recording);
        List<RecordedEvent> usage = listOf(events, "Usage");
        return listOf(events, "Transfer").size() >= statistics.getTransfers()
            && listOf(events, "MarkedThrough").size() >= statistics.getDeepMarkings()
            && sum(listOf(events, "RegionsFreed"), "size") >= statistics.getRegionsFreed() * statistics.getRegionSizeBytes()
            && !listOf(events, "TransferAbandoned").isEmpty() && !listOf(events, "HighThreshold").isEmpty()
            && !usage.isEmpty() && usage.get(usage.size() - 1).getLong("used") == statistics.getUsedBytes();
    }

    private static void check(Map<String, List<RecordedEvent>> events, SecondHeapStatistics statistics, Instant begin) {
        List<RecordedEvent> transfers = of(events, "Transfer");
        assertEquals(transfers.size(), statistics.getTransfers(), "transfers");
        assertEquals(sum(transfers, "size"), statistics.getMovedBytes(), "moved bytes");
        assertEquals(sum(transfers, "objects"), statistics.getMovedObjects(), "moved objects");
        for (RecordedEvent transfer : transfers) {
            Instant at = transfer.getInstant("at");
            assertTrue(!at.isBefore(begin) && !at.isAfter(transfer.getStartTime().plusMillis(1)), "ended at " + at);
            Duration took = transfer.getDuration("took");
            assertTrue(!took.isZero() && took.getSeconds() < 60, "took " + took);
        }
        List<RecordedEvent> abandoned = of(events, "TransferAbandoned");
        assertEquals(abandoned.size(), 1, "abandoned transfers");
        assertTrue(abandoned.get(0).getString("reason").length() > 3, "the reason: " + abandoned.get(0).getString("reason"));
        assertEquals(sum(of(events, "RegionsFreed"), "size"),
                     statistics.getRegionsFreed() * statistics.getRegionSizeBytes(), "freed bytes");
        assertEquals(of(events, "MarkedThrough").size(), statistics.getDeepMarkings(), "markings through H2");
        assertTrue(of(events, "HighThreshold").get(0).getLong("live") > 20 << 20, "what lived in H1");
        List<RecordedEvent> usage = of(events, "Usage");
        assertEquals(usage.get(usage.size() - 1).getLong("used"), statistics.getUsedBytes(), "used bytes");
    }

    private static List<RecordedEvent> of(Map<String, List<RecordedEvent>> events, String name) {
        List<RecordedEvent> found = listOf(events, name);
        assertTrue(!found.isEmpty(), "no event " + name);
        return found;
    }

    private static List<RecordedEvent> listOf(Map<String, List<RecordedEvent>> events, String name) {
        return events.getOrDefault("org.terrace.SecondHeap" + name, List.of());
    }

    private static long sum(List<RecordedEvent> events, String field) {
        return events.stream().mapToLong(event -> event.getLong(field)).sum();
    }
}
