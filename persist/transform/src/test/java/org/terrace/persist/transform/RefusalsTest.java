// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that unsupported classes are reported with file, line and remedy, and that nothing is changed. Two imports precede each source. */
class RefusalsTest {
    @TempDir
    Path folder;

    /** Pairs of a source and its message. */
    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of("@Persistent class Sample {\n int[] a\n = {1};\n}",
                        "Sample.java:4: error: Sample.a cannot be persistent: a Java array cannot be stored in a heap: use "
                        + "PersistentIntArray, or make the field transient"),
                Arguments.of("@Persistent class Sample {\n Sample[][] a;\n}",
                        "Sample.java:3: error: Sample.a cannot be persistent: a Java array cannot be stored in a heap: use "
                        + "PersistentArray, or make the field transient"),
                Arguments.of("@Persistent class Sample {\n ArrayList<String> a; }",
                        "Sample.java:3: error: Sample.a cannot be persistent: declare it as List, and store a "
                        + "persistent collection"),
                Arguments.of("@Persistent class Sample {\n Random a; }",
                        "Sample.java:3: error: Sample.a cannot be persistent: its class is not persistent: annotate it "
                        + "with @Persistent, or make the field transient"),
                Arguments.of("@Persistent class Sample {\n record R(int x) {} R a; }",
                        "Sample.java:3: error: Sample.a cannot be persistent: its record is not persistent: annotate "
                        + "it with @Persistent"),
                Arguments.of("@Persistent class Sample extends Random { }",
                        "Sample.java:3: error: Sample extends java.util.Random, which is not persistent: annotate "
                        + "or list the superclass too"),
                Arguments.of("@Persistent class Sample extends PersistentObject { Sample(Heap h) { super(h, 0); } }",
                        "Sample.java:3: error: Sample extends org.terrace.persist.PersistentObject: the "
                        + "transformation adds this superclass, so remove it or drop @Persistent"),
                Arguments.of("class Sample {\n int x; @Persistent\n class Inner { int y = x; } }",
                        "Sample.java:5: error: Sample$Inner is an inner class and refers to its outer object in this$0: "
                        + "make it a static class"),
                Arguments.of("@Persistent interface Sample { }",
                        "Sample.java: error: Sample cannot be @Persistent: only classes and records can. Interfaces "
                        + "need no annotation, and enums are stored by name"),
                Arguments.of("@Persistent enum Sample { A }",
                        "Sample.java:3: error: Sample cannot be @Persistent: only classes and records can. Interfaces "
                        + "need no annotation, and enums are stored by name"),
                Arguments.of("@Persistent class A { String name; }\n@Persistent class Sample extends A { long name; }",
                        "Sample.java:4: error: Sample.name has the name of a field of its superclass A: rename one of "
                        + "them"),
                Arguments.of("@Persistent class A { }\nclass Sample extends A { }",
                        "Sample.java:4: error: Sample extends the persistent class A: annotate it with @Persistent too"),
                Arguments.of("@Persistent class Sample {\n\n void validate() { } }",
                        "Sample.java:5: error: Sample.validate has the name and the parameters of a method that every "
                        + "persistent object has: rename it"),
                Arguments.of("@Persistent class Sample {\n\n private void resurrect() { } }",
                        "Sample.java:5: error: Sample.resurrect is called by the library: make it protected, or rename it"),
                Arguments.of("@Persistent(fa = FailureAtomicity.NON_PRIVATE) record Sample(int x) { }",
                        "Sample.java:3: error: record Sample never changes and has no failure-atomic methods: remove fa from @Persistent"),
                Arguments.of("@Persistent class Sample implements Comparable<String>, Cloneable {\n"
                        + " int x; public int compareTo(String s) { return x; } }",
                        "Sample.java:3: error: Sample cannot be Cloneable: clone() would make another proxy of the same object. "
                        + "Copy the fields into a new one"),
                Arguments.of("@Persistent record Sample(byte[] x) { }",
                        "Sample.java:3: error: Sample.x cannot be persistent: a Java array cannot be stored in a heap: use "
                        + "PersistentByteArray, or make the field transient"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefused(String source, String message) {
        Sources sources = new Sources(folder).compile(source);
        assertEquals(message, assertThrows(TransformException.class, sources::transform).getMessage());
    }

    @Test
    void allReasonsAreSaidAndNothingIsWritten() throws IOException {
        Sources sources = new Sources(folder).compile("""
                @Persistent class Sample { int x; }
                @Persistent class Other { Random a; Thread b; }
                """);
        byte[] before = Files.readAllBytes(folder.resolve("Sample.class"));
        String message = assertThrows(TransformException.class, sources::transform).getMessage();
        assertTrue(message.matches("(?s)Sample.java:4: .*Other.a.*\nSample.java:4: .*Other.b.*"), message);
        org.junit.jupiter.api.Assertions.assertArrayEquals(before, Files.readAllBytes(folder.resolve("Sample.class")));
        message = assertThrows(TransformException.class, () -> sources.transform("not.There")).getMessage();
        assertTrue(message.contains("class not.There, which is listed, is not in "), message);
    }

    @Test
    void whatWorksDifferentlyIsWarnedOf() throws TransformException {
        Sources sources = new Sources(folder).compile("""
                @Persistent class Sample implements java.io.Serializable {
                    volatile int a = 1;
                    void locks() {
                        synchronized (this) { a++; }
                    }
                    synchronized void locked() { a++; }
                    synchronized static void fine(Object o) { synchronized (o) { o.hashCode(); } }
                    native void foreign();
                    static Object handle() throws Exception {
                        return java.lang.invoke.MethodHandles.lookup().findVarHandle(Sample.class, "a", int.class);
                    }
                }
                """);
        assertEquals(List.of("Sample"), sources.transform());
        List<String> expected = List.of("Sample.java:3: warning: serialization of",
                "Sample.java:3: warning: native method Sample.foreign",
                "Sample.java:4: warning: volatile has no effect", "Sample.java:6: warning: synchronized (this) locks a proxy",
                "Sample.java:8: warning: synchronized method Sample.locked", "Sample.java:12: warning: findVarHandle finds no");
        List<String> found = sources.warnings.stream().sorted(java.util.Comparator.comparingInt(RefusalsTest::line)
                .thenComparing(w -> w.contains("native"))).toList();
        assertEquals(expected.size(), found.size(), found::toString);
        for (int i = 0; i < expected.size(); i++) {
            assertTrue(found.get(i).startsWith(expected.get(i)), found.get(i));
        }
    }

    @Test
    void aRecordWithItsOwnEqualsIsWarnedOf() throws TransformException {
        Sources sources = new Sources(folder).compile("""
                @Persistent record Plain(String name) { boolean equals(String other) { return false; } }
                @Persistent record Sample(String name) {
                    @Override public int hashCode() { return name.length(); }
                    @Override public boolean equals(Object other) {
                        return other instanceof Sample s && s.name.equalsIgnoreCase(name);
                    }
                }
                """);
        sources.transform();
        assertEquals(List.of("Sample.java:7: warning: hash maps and sets in a heap hash record Sample by its components, so they"
                + " may not find records that are equal only by the record's own equals"), sources.warnings);
    }

    private static int line(String warning) {
        return Integer.parseInt(warning.split(":")[1]);
    }
}
