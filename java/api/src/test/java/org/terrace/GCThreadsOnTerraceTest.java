// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the flight recorder event of GC threads on a Terrace JDK, in programs that do not register it. */
class GCThreadsOnTerraceTest {

    @TempDir
    Path folder;

    @Test
    void eachFlagBringsTheEvent() throws Exception {
        assumeTrue(Boolean.getBoolean("terrace.expected"), "no Terrace JDK");
        for (String flag : new String[] {"-XX:+GCAdaptiveStealing", "-XX:+GCStableWorkers", "-XX:GCThreadBinding=dynamic"}) {
            run("expected", "-XX:+UseParallelGC", flag);
        }
        run("expected", "-XX:+UseG1GC", "-XX:+GCAdaptiveStealing");
    }

    @Test
    void withoutThemThereIsNone() throws Exception {
        assumeTrue(Boolean.getBoolean("terrace.expected"), "no Terrace JDK");
        run("none", "-XX:+UseParallelGC");
    }

    /** Tests that registering has no effect without the recorder. This includes the events of the second heap. */
    @Test
    void withoutTheRecorderNothingFails() throws Exception {
        assumeTrue(Boolean.getBoolean("terrace.expected"), "no Terrace JDK");
        start(List.of("--limit-modules", "java.base,java.management", "-XX:AllocateH2At=" + folder, "-XX:H2Size=64m",
                "-XX:+GCAdaptiveStealing", "-cp", System.getProperty("java.class.path"), WithoutRecorder.class.getName()));
    }

    private void run(String events, String... flags) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-javaagent:" + agent(), "-Xmx64m",
                "-XX:ParallelGCThreads=3", "-XX:-UseDynamicNumberOfGCThreads"));
        arguments.addAll(List.of(flags));
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName(), events));
        start(arguments);
    }

    private void start(List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(arguments);
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(10, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue(), () -> command + "\n" + read(output));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }

    /** Makes a jar with only the manifest of the API. The classes come from the class path. */
    private Path agent() throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", Agent.class.getName());
        Path jar = folder.resolve("agent.jar");
        try (OutputStream out = Files.newOutputStream(jar); JarOutputStream ignored = new JarOutputStream(out, manifest)) {
            return jar;
        }
    }

    /** Registers the events in a runtime without the flight recorder. */
    static final class WithoutRecorder {
        public static void main(String[] args) {
            if (!GCThreads.isAvailable() || !SecondHeap.isAvailable()
                    || ModuleLayer.boot().findModule("jdk.jfr").isPresent()) {
                throw new AssertionError("not what it is started for");
            }
            SecondHeapManagement.register();
        }
    }

    /** A program with garbage collections during a recording. */
    static final class Program {
        public static void main(String[] args) throws Exception {
            boolean expected = args[0].equals("expected");
            Path file = Files.createTempFile("threads", ".jfr");
            try (Recording recording = new Recording()) {
                // The event is emitted when a chunk begins and ends, independent of when the recorder's own thread runs.
                recording.enable("org.terrace.GCThreads").with("period", "everyChunk");
                recording.start();
                List<Object> kept = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    for (int j = 0; j < 10_000; j++) {
                        kept.add(new int[4]);
                    }
                    System.gc();
                }
                recording.stop();
                recording.dump(file);
            }
            long events = 0;
            long tasks = 0;
            long offers = 0;
            for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
                if (event.getEventType().getName().equals("org.terrace.GCThreads")) {
                    events++;
                    tasks += event.getLong("tasks");
                    offers += event.getLong("terminationOffers");
                    check(event.getLong("failedSteals") <= event.getLong("stealAttempts"), event);
                    check(!event.getDuration("terminationTime").isNegative(), event);
                }
            }
            Files.delete(file);
            check(GCThreads.isAvailable() == expected, "available: " + GCThreads.isAvailable());
            check(expected ? tasks >= 20 && offers >= 20 : events == 0,
                  events + " events, " + tasks + " tasks, " + offers + " offers of termination");
        }

        private static void check(boolean condition, Object text) {
            if (!condition) {
                throw new AssertionError(text.toString());
            }
        }
    }
}
