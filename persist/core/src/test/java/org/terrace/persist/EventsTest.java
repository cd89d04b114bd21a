// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.crash.CrashScenario;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.evolution.Thing;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;
import org.terrace.persist.types.PersistentByteArray;

/** Tests the flight recorder events of a heap, and that a heap works without a recorder. */
class EventsTest extends DiskSetUp {
    private static final String PREFIX = "org.terrace.persist.";
    private static final Set<String> NAMES = Set.of("Commit", "Checkpoint", "Open", "Replay", "Collection", "Recover",
            "Conversion", "LogWait", "Failure");
    /** Header, one operation, and eight bytes. See docs/internals/persist-format.md. */
    private static final int RECORD_OF_ONE_VALUE = 40 + 16 + 8;

    @TempDir
    Path directory;
    private Path file;

    @BeforeEach
    void nameTheHeap() {
        file = disk.path("test.heap");
    }

    private interface Action {
        void run() throws Exception;
    }

    /** Records events of the heap, in the order of their ends. */
    private List<RecordedEvent> record(Action action) throws Exception {
        Path dump = directory.resolve("test.jfr");
        try (Recording recording = new Recording()) {
            NAMES.forEach(name -> recording.enable(PREFIX + name).withThreshold(Duration.ZERO));
            recording.start();
            action.run();
            recording.stop();
            recording.dump(dump);
        }
        return RecordingFile.readAllEvents(dump).stream().filter(e -> e.getEventType().getName().startsWith(PREFIX))
                .filter(e -> e.getString("heap").equals(file.toString()))
                .sorted(java.util.Comparator.comparing(RecordedEvent::getEndTime)).collect(Collectors.toList());
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(e -> e.getEventType().getName().equals(PREFIX + name)).collect(Collectors.toList());
    }

    private static RecordedEvent only(List<RecordedEvent> events, String name) {
        List<RecordedEvent> found = named(events, name);
        assertEquals(1, found.size(), name + " in " + events);
        return found.get(0);
    }

    private Heap open() {
        return Heap.open(file, CrashScenario.TINY);
    }

    private static Cell cell(Heap heap) {
        return heap.root("cell", Cell.class, () -> new Cell(heap, 0, null));
    }

    @Test
    void aCommitHasItsSizeAndWhatItWaitedFor() throws Exception {
        try (Heap heap = open()) {
            Cell cell = cell(heap);
            long[] took = new long[1];
            List<RecordedEvent> events = record(() -> {
                long begun = System.nanoTime();
                heap.atomic(() -> heap.atomic(() -> cell.value(1)));
                took[0] = System.nanoTime() - begun;
                heap.atomic(() -> { });
                assertThrows(IllegalStateException.class, () -> heap.atomic(() -> {
                    cell.value(2);
                    throw new IllegalStateException();
                }));
                heap.atomic(() -> heap.setRoot("bytes", new PersistentByteArray(heap, new byte[600])));
            });
            List<RecordedEvent> commits = named(events, "Commit");
            assertEquals(events, commits);
            assertEquals(2, commits.size());
            RecordedEvent first = commits.get(0);
            assertEquals("SYNC", first.getString("durability"));
            assertEquals(RECORD_OF_ONE_VALUE, first.getLong("bytes"));
            assertEquals(1, first.getLong("blocks"));
            assertEquals(Thread.currentThread().getName(), first.getThread().getJavaName());
            assertTrue(first.getDuration("waitedForLog").toNanos() > 0);
            // Both times are from the same clock. The recorder uses another clock for durations.
            assertTrue(first.getDuration("waitedForLog").toNanos() <= took[0]);
            assertTrue(commits.get(1).getLong("bytes") > 600);
            assertTrue(commits.get(1).getLong("blocks") >= 4, commits.get(1).toString());
        }
    }

    @Test
    void aCommitNamesTheHeapsDurability() throws Exception {
        try (Heap heap = Heap.open(file, CrashScenario.TINY.durability(Durability.PROCESS))) {
            Cell cell = cell(heap);
            assertEquals("PROCESS", only(record(() -> heap.atomic(() -> cell.value(1))), "Commit").getString("durability"));
        }
    }

    /** Otherwise a busy heap would fill the recording. */
    @Test
    void fastCommitsAreNotRecordedByDefault() {
        for (Class<? extends Event> type : List.of(HeapEvents.Commit.class, HeapEvents.LogWait.class)) {
            assertEquals("20 ms", EventType.getEventType(type).getSettingDescriptors().stream()
                    .filter(setting -> setting.getName().equals("threshold")).findFirst().orElseThrow().getDefaultValue());
        }
    }

    @Test
    void eventsAreUnderTheirCategory() throws Exception {
        record(() -> open().close());
        List<EventType> types = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(type -> type.getName().startsWith(PREFIX)).collect(Collectors.toList());
        assertTrue(types.size() >= 3, types.toString());
        types.forEach(type -> assertEquals(List.of("Terrace", "Persistent heap"), type.getCategoryNames()));
    }

    @Test
    void aCheckpointHasItsPagesAndWhatItFreesInTheLog() throws Exception {
        try (Heap heap = open()) {
            Cell cell = cell(heap);
            heap.checkpoint();
            RecordedEvent checkpoint = only(record(() -> {
                heap.atomic(() -> cell.value(1));
                heap.atomic(() -> cell.value(2));
                heap.checkpoint();
            }), "Checkpoint");
            assertEquals(1, checkpoint.getLong("pages"));
            assertEquals(4096, checkpoint.getLong("bytes"));
            assertEquals(2 * RECORD_OF_ONE_VALUE, checkpoint.getLong("freedInLog"));
        }
    }

    @Test
    void anOpeningSaysHow() throws Exception {
        RecordedEvent created = only(record(() -> open().close()), "Open");
        assertEquals("SYNC", created.getString("durability"));
        assertEquals(false, created.getBoolean("readOnly"));
        assertEquals(false, created.getBoolean("crashed"));
        assertNull(created.getString("failure"));
        List<RecordedEvent> events = record(() -> Heap.open(file, CrashScenario.TINY.readOnly()).close());
        assertEquals(true, only(events, "Open").getBoolean("readOnly"));
        assertEquals(List.of(), named(events, "Failure"));
    }

    @Test
    void anOpeningThatFailsSaysWhy() throws Exception {
        open().close();
        List<RecordedEvent> events = record(() -> {
            try (Heap heap = open()) {
                assertThrows(HeapException.class, this::open);
            }
        });
        List<RecordedEvent> openings = named(events, "Open");
        assertEquals(2, openings.size());
        assertTrue(openings.get(1).getString("failure").contains("is open in another process"), openings.toString());
    }

    @Test
    void aRecoveryHasItsPhases() throws Exception {
        try (Heap heap = open()) {
            Cell cell = cell(heap);
            heap.root("first", Pair.class, () -> new Pair(heap, 1));
            heap.root("second", Pair.class, () -> new Pair(heap, 2));
            heap.atomic(() -> cell.next(new Cell(heap, 1, new Cell(heap, 2, null))));
            heap.checkpoint();
            heap.atomic(() -> cell.value(1));
            heap.atomic(() -> cell.value(2));
            heap.atomic(() -> cell.next(null));
            Disk crashed = disk.copy();
            disk.dispose();
            disk = crashed;
        }
        file = disk.path("test.heap");
        Pair.RECOVERED.clear();
        List<RecordedEvent> events = record(() -> open().close());
        assertEquals(true, only(events, "Open").getBoolean("crashed"));
        assertEquals(3, only(events, "Replay").getLong("records"));
        assertEquals(3 * RECORD_OF_ONE_VALUE, only(events, "Replay").getLong("bytes"));
        // Three roots, their names, the classes Cell and Pair, and the directory.
        assertEquals(3 + 3 + 2 + 1, only(events, "Collection").getLong("live"));
        assertEquals(2, only(events, "Collection").getLong("freed"));
        assertEquals(0, only(events, "Collection").getLong("cleared"));
        assertEquals(2, only(events, "Recover").getLong("objects"));
        assertEquals(List.of(1L, 2L), Pair.RECOVERED);
        List<String> order = events.stream().map(e -> e.getEventType().getName().substring(PREFIX.length()))
                .filter(name -> !name.matches("Checkpoint|Commit")).collect(Collectors.toList());
        assertEquals(List.of("Replay", "Collection", "Recover", "Open"), order);
    }

    @Test
    void aConversionHasItsClassesAndObjects() throws Exception {
        Thing.Version old = Thing.define(b -> b.field("number", FieldType.INT).field("next", FieldType.REFERENCE));
        try (Heap heap = open()) {
            heap.atomic(() -> {
                Thing thing = old.create(heap);
                old.set(thing, "next", old.create(heap));
                heap.setRoot("thing", thing);
            });
        }
        Thing.define(b -> b.field("added", FieldType.LONG).field("number", FieldType.INT).field("next", FieldType.REFERENCE));
        RecordedEvent conversion = only(record(() -> open().close()), "Conversion");
        assertEquals(Thing.class.getName(), conversion.getString("classes"));
        assertEquals(2, conversion.getLong("objects"));
        assertEquals(2, conversion.getLong("moved"));
        assertEquals(disk.contentOf("test.heap").length, conversion.getLong("size"));
    }

    @Test
    @Timeout(300)
    void aCommitThatTheFullLogStopsSaysSo() throws Exception {
        HeapOptions options = HeapOptions.defaults().maxSize(128 << 10).logSize(16 << 10);
        try (Heap heap = Heap.open(file, options)) {
            PersistentByteArray bytes = heap.root("bytes", PersistentByteArray.class, () -> new PersistentByteArray(heap, 4096));
            heap.checkpoint();
            Thread committing = new Thread(() -> {
                for (byte round = 1; round <= 4; round++) {
                    byte[] content = new byte[4096];
                    java.util.Arrays.fill(content, round);
                    heap.atomic(() -> bytes.set(0, content, 0, content.length));
                }
            });
            // The checkpoint that the third commit requests cannot end before the fourth waits for it.
            disk.at(Site.SUPERBLOCK, () -> {
                while (committing.getState() != Thread.State.WAITING && committing.isAlive()) {
                    Thread.onSpinWait();
                }
            });
            List<RecordedEvent> events = record(() -> {
                committing.start();
                committing.join();
            });
            disk.at(Site.SUPERBLOCK, () -> { });
            List<RecordedEvent> waits = named(events, "LogWait");
            assertTrue(waits.size() >= 1, events.toString());
            waits.forEach(wait -> assertEquals(named(events, "Commit").get(3).getLong("bytes"), wait.getLong("bytes")));
        }
    }

    /** Each commit during a checkpoint requests another one, because the log is half full until the checkpoint ends. */
    @Test
    @Timeout(300)
    void aCheckpointThatHasFreedEnoughIsNotFollowedByAnother() throws Exception {
        HeapOptions options = HeapOptions.defaults().maxSize(128 << 10).logSize(64 << 10);
        try (Heap heap = Heap.open(file, options)) {
            PersistentByteArray bytes = heap.root("bytes", PersistentByteArray.class, () -> new PersistentByteArray(heap, 4096));
            heap.checkpoint();
            CountDownLatch checkpointing = new CountDownLatch(1);
            Thread committing = new Thread(() -> {
                for (int i = 0; i < 10; i++) {
                    // The eighth commit has filled half of the log.
                    while (i == 8 && checkpointing.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    heap.atomic(() -> bytes.set(0, new byte[4096], 0, 4096));
                }
            });
            disk.at(Site.SUPERBLOCK, () -> {
                checkpointing.countDown();
                await(committing, Thread.State.TERMINATED);
            });
            Thread background = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("terrace-persist test.heap")).findFirst().orElseThrow();
            List<RecordedEvent> events = record(() -> {
                committing.start();
                committing.join();
                await(background, Thread.State.WAITING);
            });
            disk.at(Site.SUPERBLOCK, () -> { });
            assertEquals(10, named(events, "Commit").size());
            assertTrue(only(events, "Checkpoint").getLong("freedInLog") >= 7 * 4096);
        }
    }

    private static void await(Thread thread, Thread.State state) {
        while (thread.getState() != state && thread.isAlive()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void anErrorOfTheDeviceIsToldOnce() throws Exception {
        List<RecordedEvent> events = record(() -> {
            Heap heap = open();
            Cell cell = cell(heap);
            disk.failAt(Site.COMMIT_SYNC);
            assertThrows(HeapException.class, () -> heap.atomic(() -> cell.value(1)));
            assertThrows(HeapException.class, () -> heap.atomic(() -> cell.value(2)));
            assertThrows(HeapException.class, heap::close);
        });
        assertEquals("COMMIT_SYNC of " + file + ".log failed: Input/output error", only(events, "Failure").getString("reason"));
    }

    @Test
    void aHeapThatIsClosedHasNotFailed() throws Exception {
        List<RecordedEvent> events = record(() -> {
            Heap heap = open();
            cell(heap);
            heap.close();
            assertThrows(HeapException.class, () -> heap.atomic(() -> { }));
        });
        assertEquals(List.of(), named(events, "Failure"));
        assertEquals(1, named(events, "Commit").size());
    }

    /** A program on a runtime image without the flight recorder. Argument: the heap. */
    static final class WithoutRecorder {
        public static void main(String[] args) {
            System.out.println("recorder: " + ModuleLayer.boot().findModule("jdk.jfr").isPresent());
            for (int run = 0; run < 2; run++) {
                try (Heap heap = Heap.open(Path.of(args[0]))) {
                    Cell cell = cell(heap);
                    heap.atomic(() -> cell.value(cell.value() + 1));
                    heap.collect();
                    heap.checkpoint();
                    System.out.println("value: " + cell.value());
                }
            }
        }
    }

    @Test
    void aRuntimeWithoutTheRecorderIsEnough() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "--limit-modules",
                "java.base,java.logging,jdk.unsupported", "-cp", System.getProperty("java.class.path"),
                WithoutRecorder.class.getName(), directory.resolve("test.heap").toString()).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(300, TimeUnit.SECONDS));
        assertEquals(List.of("recorder: false", "value: 1", "value: 2"), output.lines().collect(Collectors.toList()));
    }
}
