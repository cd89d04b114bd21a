// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests programs whose classes are in a loader other than the thread's context class loader, here the loader of
 * {@code java Program.java}.
 */
class ClassLookupTest {
    private static final String PROGRAM = """
            import java.nio.file.Path;
            import org.terrace.persist.*;
            import org.terrace.persist.types.PersistentList;
            public class Program {
                enum Colour { RED }
                static final class Item extends PersistentObject {
                    static final PersistentClass<Item> CLASS = PersistentClass.of(Item.class, Item::new)
                            .field("list", FieldType.REFERENCE).build();
                    Item(Heap heap) {
                        super(CLASS, heap);
                        PersistentList<Object> list = new PersistentList<>(heap);
                        list.add(Colour.RED);
                        setReference(0, list);
                    }
                    Item(Heap heap, long offset) { super(heap, offset); }
                    Object colour() { return ((PersistentList<?>) getReference(0)).get(0); }
                }
                public static void main(String[] args) {
                    Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
                    try (Heap heap = Heap.open(Path.of(args[0]))) {
                        Item item = heap.root("item", Item.class, () -> new Item(heap));
                        System.out.print(item.colour() == Colour.RED);
                    }
                }
            }
            """;

    @TempDir
    Path directory;

    @Test
    void theLoaderOfARootsTypeIsAsked() throws IOException, InterruptedException {
        Path source = Files.writeString(directory.resolve("Program.java"), PROGRAM);
        for (int life = 0; life < 2; life++) {
            Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp",
                    System.getProperty("java.class.path"), source.toString(), directory.resolve("program.heap").toString())
                    .redirectErrorStream(true).start();
            assertEquals("true", new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            assertEquals(0, process.waitFor());
        }
    }
}
