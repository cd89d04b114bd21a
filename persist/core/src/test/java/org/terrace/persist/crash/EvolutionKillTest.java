// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentClass.Builder;
import org.terrace.persist.evolution.Thing;
import org.terrace.persist.evolution.Thing.Version;

/**
 * Repeatedly kills a program with SIGKILL. The program opens its heap with other fields each time, so most kills hit a conversion
 * of a real file. {@code -Dpersist.kills=N} sets the number.
 */
class EvolutionKillTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(16 << 20).logSize(128 << 10);
    private static final int OBJECTS = 2000;
    private static final int KILLS = Integer.getInteger("persist.kills", 4);
    private static final List<Consumer<Builder<Thing>>> VERSIONS = List.of(
            b -> b.field("number", FieldType.LONG).field("next", FieldType.REFERENCE),
            b -> b.field("added", FieldType.DOUBLE).field("number", FieldType.LONG).field("next", FieldType.REFERENCE),
            b -> b.field("next", FieldType.REFERENCE).field("more", FieldType.LONG).field("number", FieldType.LONG));

    @TempDir
    Path directory;

    /** The program that is killed. Every object contains the number of the life that wrote it last. Arguments: file. */
    static final class Worker {
        public static void main(String[] args) {
            for (int life = 0; !System.out.checkError(); life++) {
                Version version = Thing.define(VERSIONS.get(life % VERSIONS.size()));
                try (Heap heap = Heap.open(Path.of(args[0]), OPTIONS)) {
                    System.out.println(nextLife(heap, version));
                }
            }
        }

        private static long nextLife(Heap heap, Version version) {
            if (heap.root("thing", Thing.class) == null) {
                heap.atomic(() -> {
                    for (int i = 0; i < OBJECTS; i++) {
                        Thing thing = version.create(heap);
                        version.set(thing, "next", heap.root("thing", Thing.class));
                        heap.setRoot("thing", thing);
                    }
                });
            }
            return heap.atomic(() -> {
                long next = (Long) version.get(heap.root("thing", Thing.class), "number") + 1;
                for (Thing t = heap.root("thing", Thing.class); t != null; t = (Thing) version.get(t, "next")) {
                    version.set(t, "number", next);
                }
                return next;
            });
        }
    }

    @Test
    void aHeapThatIsConvertedAgainAndAgainSurvivesKills() throws IOException, InterruptedException {
        Path file = directory.resolve("killed.heap");
        long seed = Long.getLong("persist.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            long acknowledged = runAndKill(file, 1 + random.nextInt(8), random.nextInt(40));
            String where = "seed " + seed + ", kill " + kill;
            Version version = Thing.define(VERSIONS.get(random.nextInt(VERSIONS.size())));
            try (Heap heap = Heap.open(file, OPTIONS)) {
                assertEquals(List.of(), heap.check(), where);
                Thing first = heap.root("thing", Thing.class);
                Object number = version.get(first, "number");
                assertTrue((Long) number >= acknowledged, where + ": told " + acknowledged + ", the heap has " + number);
                int count = 0;
                for (Thing t = first; t != null; t = (Thing) version.get(t, "next"), count++) {
                    assertEquals(number, version.get(t, "number"), where);
                }
                assertEquals(OBJECTS, count, where);
            }
        }
    }

    /** Returns the last number that the program printed. */
    private long runAndKill(Path file, int lines, int millis) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx64m", "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), Worker.class.getName(), file.toString())
                .redirectError(new File(directory.toFile(), "stderr")).start();
        long acknowledged = 0;
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (int i = 0; i < lines; i++) {
                String line = out.readLine();
                if (line == null) {
                    throw new AssertionError("the program ended: " + Files.readString(directory.resolve("stderr")));
                }
                acknowledged = Long.parseLong(line);
            }
            // The next opening has begun.
            Thread.sleep(millis);
            process.toHandle().destroyForcibly();
            for (String line = out.readLine(); line != null && line.matches("\\d+"); line = out.readLine()) {
                acknowledged = Long.parseLong(line);
            }
        }
        process.waitFor();
        return acknowledged;
    }
}
