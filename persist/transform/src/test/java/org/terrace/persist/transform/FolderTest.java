// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Heap;

/** Tests folders of class files like those of builds. */
class FolderTest {
    @TempDir
    Path folder;

    @TempDir
    Path heaps;

    private String run(Sources sources) throws Exception {
        try (Heap heap = Heap.open(heaps.resolve("folder.heap"))) {
            return sources.run(heap);
        }
    }

    @Test
    void whatWasTransformedStaysAsItIs() throws Exception {
        Sources sources = new Sources(folder).compile("""
                @Persistent class Item { int x = 5; }
                class Plain { int x; int y() { return x; } }
                class Sample {
                    static String run(Heap heap) {
                        Item item = heap.root("item", Item.class, () -> new Item());
                        heap.atomic(() -> { item.x++; });
                        return String.valueOf(item.x + new Plain().y());
                    }
                }
                """);
        assertEquals(List.of("Item", "Sample"), sources.transform(), "a class without persistent fields is not touched");
        byte[] once = Files.readAllBytes(folder.resolve("Item.class"));
        assertEquals(List.of(), sources.transform());
        assertArrayEquals(once, Files.readAllBytes(folder.resolve("Item.class")));
        assertEquals("6", run(sources));
    }

    @Test
    void aUserThatWasCompiledAgainIsTransformedAlone() throws Exception {
        Sources sources = new Sources(folder).compile("""
                @Persistent class Item { int x = 5; private int y = 6; static class Peer { int y(Item i) { return i.y; } } }
                class Sample {
                    static String run(Heap heap) {
                        Item item = heap.root("item", Item.class, () -> new Item());
                        return item.x + " " + new Item.Peer().y(item);
                    }
                }
                """);
        byte[] user = Files.readAllBytes(folder.resolve("Sample.class"));
        byte[] peer = Files.readAllBytes(folder.resolve("Item$Peer.class"));
        sources.transform();
        Files.write(folder.resolve("Sample.class"), user);
        Files.write(folder.resolve("Item$Peer.class"), peer);
        assertEquals(List.of("Item$Peer", "Sample"), sources.transform());
        assertEquals("5 6", run(sources));
    }

    @Test
    void aClassOfAnOldCompilerMayBeListed() throws Exception {
        new Sources(folder).compileAlone("""
                class Old {
                    private int x;
                    private boolean seen;
                    Old() { x = 1; seen = true; }
                    static class Helper { int x(Old old) { return old.seen ? ++old.x : 0; } }
                }
                class Sample { }
                """, "--release", "8");
        Sources sources = new Sources(folder).compile("""
                class Sample {
                    static String run(Heap heap) {
                        Old old = heap.root("old", Old.class, () -> new Old());
                        return heap.atomic(() -> "" + new Old.Helper().x(old));
                    }
                }
                """);
        sources.transform("Old");
        assertEquals("2", run(sources));
        assertEquals("3", run(sources));
    }

    @Test
    void aSubclassThatIsNotTransformedIsRefusedWhenItsObjectIsMade() throws Exception {
        Sources sources = new Sources(folder).compile("""
                @Persistent class Item { int x; }
                @Persistent class Below extends Item { int y; }
                class Sample {
                    static String run(Heap heap) { return heap.atomic(() -> new Below()).toString(); }
                }
                """);
        byte[] below = Files.readAllBytes(folder.resolve("Below.class"));
        sources.transform();
        Files.write(folder.resolve("Below.class"), below);
        Throwable refused = assertThrows(InvocationTargetException.class, () -> run(sources)).getCause();
        assertTrue(refused.getMessage().startsWith("Below extends the persistent class Item, and is not persistent itself"),
                refused.getMessage());
    }

    @Test
    void theHeapParameterOfASubclassMustBePassedOn() throws Exception {
        Sources sources = new Sources(folder).compile("""
                @Persistent class Item { int x; }
                @Persistent class Below extends Item { Below(Heap heap) { x = 3; } }
                class Sample {
                    static String run(Heap heap) {
                        heap.use(() -> new Below(heap));
                        try (Heap other = Heap.open(heap.path().resolveSibling("other.heap"))) {
                            return "" + other.use(() -> new Below(heap));
                        }
                    }
                }
                """);
        sources.transform();
        Throwable refused = assertThrows(InvocationTargetException.class, () -> run(sources)).getCause();
        assertTrue(refused.getMessage().endsWith("pass the heap on to it"), refused.getMessage());
    }

    @Test
    void capturedVariablesAreNotKept() {
        Sources sources = new Sources(folder).compile("""
                class Sample {
                    static Object make(int captured) {
                        @Persistent class Local { int x = captured; }
                        return new Local();
                    }
                }
                """);
        String message = assertThrows(TransformException.class, sources::transform).getMessage();
        assertTrue(message.startsWith("Sample.java:5: error: Sample$1Local is an inner class and refers to its outer object in "
                + "val$captured"),
                message);
    }

    @Test
    void fieldsAreNotStoredBeforeTheObjectIsAllocated() {
        assumeTrue(Runtime.version().feature() >= 25, "only javac 25 compiles it");
        Sources sources = new Sources(folder).compile("""
                @Persistent class Sample {
                    int x;
                    Sample(int y) {
                        x = y;
                        super();
                    }
                }
                """);
        String message = assertThrows(TransformException.class, sources::transform).getMessage();
        assertEquals("Sample.java:6: error: Sample.x is stored before the constructor calls super, where the object is allocated: "
                + "store it afterwards", message);
    }

    @Test
    void argumentsOfSuperMayMakeObjects() throws Exception {
        Sources sources = new Sources(folder).compile("""
                @Persistent class Item {
                    String text;
                    Item(Object any) { this(any == null ? new Object() : new StringBuilder(new String("x")), 1); }
                    Item(Object any, int x) { text = any.getClass().getSimpleName() + x; new Object(); }
                }
                @Persistent class Below extends Item { Below(Item other) { super(new Item(other.text)); text += new Item(null).text; } }
                class Sample {
                    static String run(Heap heap) {
                        return heap.atomic(() -> new Below(new Item(null)).text);
                    }
                }
                """);
        sources.transform();
        assertEquals("StringBuilder1Object1", run(sources));
    }

    /** The daemon of a build tool runs for days, and later builds replace the jars. */
    @Test
    void jarsOfTheClassPathAreClosed() throws Exception {
        new Sources(folder).compile("@Persistent class Sample { int x; }");
        Path jar = heaps.resolve("some.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("some/file"));
        }
        assertEquals(List.of("Sample"), new FolderTransformer(List.of(folder), List.of(Sources.LIBRARY, jar), Set.of(),
                warning -> { }).transform());
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            assertFalse(open.anyMatch(fd -> refersTo(fd, jar)));
        }
    }

    private static boolean refersTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file.toRealPath());
        } catch (IOException e) {
            // The descriptor of the listing itself is already closed.
            return false;
        }
    }

    @Test
    void theCommandSaysWhatItChanged() {
        new Sources(folder).compile("@Persistent class Sample { int x; }");
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed));
        try {
            assertEquals(0, Main.run("-h"));
            assertEquals(0, Main.run("-cp", Sources.LIBRARY.toString(), folder.toString()));
            assertEquals(2, Main.run());
            assertEquals(2, Main.run("-x", folder.toString()));
            assertEquals(2, Main.run(folder.resolve("missing").toString()));
            assertEquals(2, Main.run("-c"));
            assertEquals(1, Main.run("-c", "Nothing", folder.toString()));
        } finally {
            System.setOut(out);
        }
        assertTrue(printed.toString().startsWith("usage: "), printed.toString());
        assertTrue(printed.toString().endsWith("\nSample\n"), printed.toString());
    }
}
