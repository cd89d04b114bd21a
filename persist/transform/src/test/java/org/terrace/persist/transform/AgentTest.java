// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs programs with the agent as from a shell. */
class AgentTest {
    private static final String AGENT = System.getProperty("model.agent");

    @TempDir
    Path folder;

    private String run(String agentArguments) throws IOException, InterruptedException {
        return java("-javaagent:" + AGENT + agentArguments);
    }

    private String java(String option) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", option, "-cp",
                folder + ":" + System.getProperty("java.class.path"), "Sample", folder.resolve("sample.heap").toString(), AGENT)
                .redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** The last line of output. Before it, newer JDKs print warnings about APIs that the library uses. */
    private static String lastLine(String output) {
        return output.lines().reduce("", (before, last) -> last);
    }

    @Test
    void aClassThatIsRefusedCannotBeUsed() throws Exception {
        new Sources(folder).compile("""
                @Persistent class Refused { int[] x; static int y = 3; }
                class Sample {
                    public static void main(String[] args) {
                        System.out.println("started");
                        try {
                            new Refused();
                        } catch (ExceptionInInitializerError e) {
                            System.out.println("thrown: " + e.getCause().getMessage());
                        }
                    }
                }
                """);
        String message = "Sample.java:3: error: Refused.x cannot be persistent: a Java array cannot be stored in a heap: use "
                + "PersistentIntArray, or make the field transient\n";
        String output = run("");
        assertTrue(output.contains(message + "thrown: " + message), output);
        assertTrue(output.contains("started\n"), output);
    }

    @Test
    void classesMayBeListed() throws Exception {
        new Sources(folder).compile("""
                class Item { int x = 1; }
                @Persistent record Pair(int a, String b) { }
                @Persistent class Holder { Item item = new Item(); Pair pair = new Pair(2, "two"); }
                class Sample {
                    public static void main(String[] args) {
                        try (Heap heap = Heap.open(java.nio.file.Path.of(args[0]))) {
                            Holder holder = heap.root("holder", Holder.class, Holder::new);
                            heap.atomic(() -> { holder.item.x++; });
                            System.out.println(holder.item.x + " " + holder.pair);
                        }
                    }
                }
                """);
        assertEquals("2 Pair[a=2, b=two]", lastLine(run("=Item")));
        assertEquals("3 Pair[a=2, b=two]", lastLine(run("=Other, Item")));
    }

    @Test
    void anAgentThatComesLaterNamesWhatItCannotTransform() throws Exception {
        new Sources(folder).compile("""
                @Persistent class Early { int x; }
                @Persistent class Late { int x = 7; }
                class Sample {
                    public static void main(String[] args) throws Exception {
                        new Early();
                        com.sun.tools.attach.VirtualMachine.attach("" + ProcessHandle.current().pid()).loadAgent(args[1]);
                        Use.late(args[0]);
                    }
                }
                class Use {
                    static void late(String file) {
                        try (Heap heap = Heap.open(java.nio.file.Path.of(file))) {
                            System.out.println(heap.root("late", Late.class, Late::new).x);
                        }
                    }
                }
                """);
        String output = java("-Djdk.attach.allowAttachSelf=true");
        assertTrue(output.contains("terrace: Early was loaded before the agent"), output);
        assertTrue(!output.contains("Late was loaded"), output);
        assertTrue(output.endsWith("\n7\n"), output);
    }

    @Test
    void fieldsAndClassesMayBeRenamed() throws Exception {
        String main = """
                class Sample {
                    public static void main(String[] args) {
                        try (Heap heap = Heap.open(java.nio.file.Path.of(args[0]), HeapOptions.defaults()CLASSES)) {
                            System.out.println(heap.root("root", Holder.class, Holder::new).show());
                        }
                    }
                }
                """;
        new Sources(folder).compile("""
                @Persistent class Item { int x = 5; String dropped = "dropped"; }
                @Persistent record Pair(int a, String b) { }
                @Persistent class Holder {
                    Item item = new Item(); Pair pair = new Pair(2, "two");
                    String show() { return item.x + " " + pair; }
                }
                """ + main.replace("CLASSES", ""));
        assertEquals("5 Pair[a=2, b=two]", lastLine(run("")));
        Files.delete(folder.resolve("Item.class"));
        Files.delete(folder.resolve("Pair.class"));
        new Sources(folder).compile("""
                @Persistent @Was("Item") class Thing { String added = "added"; @Was("x") long count; }
                @Persistent @Was("Pair") record Couple(@Was("b") String second, @Was("a") long first, int third) { }
                @Persistent class Holder {
                    @Was("item") Thing thing = new Thing(); @Was("pair") Couple couple;
                    String show() { return thing.count + " " + thing.added + " " + couple; }
                }
                """ + main.replace("CLASSES", ".classes(Thing.class, Couple.class)"));
        for (int opening = 1; opening <= 2; opening++) {
            String output = run("");
            assertEquals("5 null Couple[second=two, first=2, third=0]", lastLine(output), output);
        }
    }

    @Test
    void withoutTheAgentNothingIsTakenForDurable() throws Exception {
        Sources sources = new Sources(folder).compile("""
                @Persistent class Item { int x = 1; }
                class Sample {
                    static String run(Heap heap) {
                        try {
                            heap.root("item", Item.class, Item::new);
                            return "taken";
                        } catch (HeapException e) {
                            return e.getMessage();
                        }
                    }
                }
                """);
        try (org.terrace.persist.Heap heap = org.terrace.persist.Heap.open(folder.resolve("plain.heap"))) {
            String message = sources.run(heap);
            assertTrue(message.startsWith("Item is @Persistent, but was not transformed"), message);
        }
    }
}
