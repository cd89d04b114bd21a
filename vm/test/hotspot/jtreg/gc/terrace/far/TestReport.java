// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestReport
 * @summary The diagnostic command Terrace.far and the flight recorder report the work of cycles, and each cycle once
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management jdk.jfr
 * @run driver/timeout=300 gc.terrace.far.TestReport
 */

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.test.lib.dcmd.JMXExecutor;
import jdk.test.lib.process.OutputAnalyzer;
import org.terrace.FarMemory;
import org.terrace.SecondHeapManagement;

public class TestReport {

    private static final int CYCLES = 6;

    public static final class Program {
        static final int NODES = 50_000;

        static final class Node {
            Node other;
            final byte[] data = new byte[300];
        }

        public static void main(String[] arguments) throws Exception {
            SecondHeapManagement.register();
            Recording recording = new Recording();
            recording.enable("org.terrace.FarMemoryCycle").with("period", "everyChunk");
            recording.start();
            Node[] nodes = new Node[NODES];
            for (int i = 0; i < NODES; i++) {
                nodes[i] = new Node();
                nodes[i].other = nodes[i / 2];
            }
            for (int i = 0; i < CYCLES; i++) {
                for (int node = 0; node < NODES; node += 100) {
                    nodes[node].other = new Node();
                }
                System.gc();
            }
            String report = new JMXExecutor().execute("Terrace.far").getOutput();
            System.out.println(report);
            recording.stop();
            Path file = Files.createTempFile("far", ".jfr");
            recording.dump(file);
            List<RecordedEvent> events = RecordingFile.readAllEvents(file);
            Files.delete(file);
            System.out.println(events);
            checkReport(report);
            checkEvents(report, events);
            if (nodes[NODES - 1].other != nodes[(NODES - 1) / 2]) {
                throw new AssertionError("a node refers to another one");
            }
        }

        private static long number(String report, String pattern) {
            Matcher found = Pattern.compile(pattern).matcher(report);
            Far.check(found.find(), "no %s in %s", pattern, report);
            return Long.parseLong(found.group(1));
        }

        private static void checkReport(String report) {
            number(report, "Absent: (\\d+) of \\d+ pages");
            Far.check(number(report, "Summaries: on, (\\d+) pages, \\d+K") > 0, "no summaries: %s", report);
            Far.check(number(report, "Cycles: (\\d+), 0 aborted; marking") == CYCLES, "%s", report);
            Far.check(number(report, "pages: (\\d+) marked from summaries") > 0, "%s", report);
            number(report, "Major faults in total: program (\\d+), concurrent \\d+, pauses \\d+, refinement \\d+");
            Far.check(number(report, "Young pauses prefetched (\\d+) pages") > 0, "%s", report);
            number(report, "Last cycle: (\\d+) pages absent");
        }

        private static void checkEvents(String report, List<RecordedEvent> events) {
            Far.check(FarMemory.isAvailable(), "not available");
            Set<Long> ends = new HashSet<>();
            long absent = 0;
            long asked = 0;
            long fromSummaries = 0;
            for (RecordedEvent event : events) {
                ends.add(event.getInstant("at").toEpochMilli());
                absent += event.getLong("absent");
                asked += event.getLong("asked");
                fromSummaries += event.getLong("fromSummaries");
                Far.check(event.getBoolean("complete"), "%s", event);
                Far.check(!event.getDuration("marking").isNegative() && !event.getDuration("marking").isZero(), "%s", event);
            }
            Far.check(events.size() == CYCLES && ends.size() == CYCLES, "%d events", events.size());
            System.out.println("absent in events: " + absent);
            Far.check(asked == number(report, "from summaries, (\\d+) prefetched"), "events: %d prefetched", asked);
            Far.check(fromSummaries == number(report, "pages: (\\d+) marked"), "events: %d from summaries", fromSummaries);
        }
    }

    public static void main(String[] arguments) throws Exception {
        OutputAnalyzer output = Far.run(Far.tortured(2, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m", "-XX:-G1UseAdaptiveIHOP",
                "-XX:InitiatingHeapOccupancyPercent=90"), Program.class.getName());
        output.shouldHaveExitValue(0);
        // Torture may find nothing absent when a cycle begins.
        output.shouldContain("absent in events: " + Far.marked(output).absent);
        OutputAnalyzer off = Far.run(List.of("-XX:+UseG1GC", "-XX:-UseFarMemory"), Off.class.getName());
        off.shouldHaveExitValue(0);
        off.shouldContain("Far memory is off: start with -XX:+UseFarMemory");
    }

    /** A program without far memory, where nothing is reported. */
    public static final class Off {
        public static void main(String[] arguments) {
            SecondHeapManagement.register();
            Far.check(!FarMemory.isAvailable(), "available");
            System.out.println(new JMXExecutor().execute("Terrace.far").getOutput());
        }
    }
}
