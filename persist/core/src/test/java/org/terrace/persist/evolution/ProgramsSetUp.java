// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.DiskSetUp;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.evolution.Programs.Item;
import org.terrace.persist.evolution.Programs.Program;

/** Several programs in one VM whose persistent classes have the same names, and a heap of one of them. */
class ProgramsSetUp extends DiskSetUp {
    static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(1 << 20).logSize(512 << 10).threads(2);
    static final String TWO_FIELDS = ".field(\"a\", LONG).field(\"b\", LONG)";
    static final String ONE_FIELD = ".field(\"a\", LONG).dropped(\"b\")";

    @TempDir
    private Path directory;
    private final ClassLoader context = Thread.currentThread().getContextClassLoader();
    /** The library does not keep loaders. */
    final List<Program> running = new ArrayList<>();
    Programs programs;

    @BeforeEach
    void start(TestInfo test) {
        programs = new Programs(directory, "programs." + test.getTestMethod().orElseThrow().getName());
    }

    @AfterEach
    void end() throws Exception {
        Thread.currentThread().setContextClassLoader(context);
        programs.close();
        for (Program program : running) {
            program.close();
        }
    }

    /** A program whose class {@code Item} is not used yet. */
    Program program(String name, String definition) {
        Program program = programs.withItem(name, "Item", definition);
        running.add(program);
        return program;
    }

    Program usedProgram(String name, String definition) {
        Program program = program(name, definition);
        program.use("Item");
        return program;
    }

    static void enter(ClassLoader program) {
        Thread.currentThread().setContextClassLoader(program);
    }

    /** A definition with both fields, of a class that formerly had this name. */
    String formerly(String name) {
        return TWO_FIELDS + ".formerly(\"" + programs.fullName(name) + "\")";
    }

    Heap open(HeapOptions options) {
        return Heap.open(disk.path("test.heap"), options);
    }

    Heap open() {
        return open(OPTIONS);
    }

    /** Creates a heap with one object of a program, or adds the object. */
    void write(Program program, String type, String... fields) {
        writeRoot("item", program, type, fields);
    }

    void writeRoot(String name, Program program, String type, String... fields) {
        try (Heap heap = open(OPTIONS.classes(program.use(type)))) {
            heap.atomic(() -> {
                Item item = program.create(heap, type);
                for (String field : fields) {
                    item.set(field, field.charAt(0));
                }
                heap.setRoot(name, item);
            });
        }
    }

    static Item item(Heap heap) {
        return assertInstanceOf(Item.class, heap.root("item", PersistentObject.class));
    }

    static ClassLoader loaderOfItem(Heap heap) {
        return item(heap).getClass().getClassLoader();
    }

    interface Action {
        void run(Program program);
    }

    /** Lets a program act and end. */
    void runAndEnd(String name, String type, String definition, Action action) {
        WeakReference<Program> ended = ended(name, type, definition, action);
        for (int i = 0; i < 100 && ended.get() != null; i++) {
            System.gc();
        }
        assertNull(ended.get());
    }

    private WeakReference<Program> ended(String name, String type, String definition, Action action) {
        Program program = programs.withItem(name, type, definition);
        action.run(program);
        return new WeakReference<>(program);
    }

    static void close(Program program) {
        try {
            program.close();
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }
}
