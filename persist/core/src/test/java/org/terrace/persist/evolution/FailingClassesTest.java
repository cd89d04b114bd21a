// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Heap;
import org.terrace.persist.LoggedWarnings;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.evolution.Programs.Program;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.types.PersistentTreeMap;

/** Tests programs with classes whose initializers throw. Such a class must not affect other classes. */
class FailingClassesTest extends ProgramsSetUp {
    private static final String FAIL = "org.terrace.persist.evolution.Programs.fail(%s)";
    private static final String ASSERTION_ERROR = FAIL.formatted("new AssertionError(\"not now\")");
    /** Its objects count the calls of recover(). */
    private static final String RECOVERING = """
            import org.terrace.persist.*;
            import org.terrace.persist.evolution.Programs;
            public class Item extends PersistentObject implements Programs.Item {
                static final PersistentClass<Item> CLASS = PersistentClass.of(Item.class, Item::new)
                        .field(%s, FieldType.LONG).build();
                public Item(Heap heap) { super(CLASS, heap); }
                private Item(Heap heap, long offset) { super(heap, offset); }
                @Override public long get(String field) { return getLong(CLASS.offset(field)); }
                @Override public void set(String field, long value) { setLong(CLASS.offset(field), value); }
                @Override protected void recover() { set("a", get("a") + 1); }
            }
            """;

    private void writeItem() {
        runAndEnd("ended", "Item", TWO_FIELDS, ended -> write(ended, "Item", "a", "b"));
    }

    /** A program whose class fails with the value of this Java expression. */
    private Program failing(String throwable) {
        return program("failing", TWO_FIELDS + ".field(" + FAIL.formatted(throwable) + ", LONG)");
    }

    @Test
    void anErrorOfAnInitializerDoesNotStopTheOpening() {
        writeItem();
        enter(failing("new AssertionError(\"not now\")"));
        List<String> told = new ArrayList<>();
        try (Heap heap = LoggedWarnings.during(told, () -> open())) {
            assertTrue(told.size() == 1 && told.get(0).contains("Cause: java.lang.AssertionError: not now"), told::toString);
            assertNull(heap.root("none", PersistentObject.class));
            assertThrows(LinkageError.class, () -> heap.root("item", PersistentObject.class));
        }
    }

    @Test
    void anErrorOfTheVmStopsTheOpening() {
        writeItem();
        enter(failing("new OutOfMemoryError(\"full\")"));
        assertThrows(OutOfMemoryError.class, () -> open());
        enter(program("own", TWO_FIELDS));
        try (Heap heap = open()) {
            assertEquals('b', item(heap).get("b"));
        }
    }

    @Test
    void anErrorOfAnEnumerationDoesNotStopTheOpening() {
        Program first = enterWith("public enum Color { RED, GREEN }");
        try (Heap heap = open()) {
            for (Object constant : ((Class<?>) first.use("Color")).getEnumConstants()) {
                map(heap).put(constant, "");
            }
        }
        enterWith("public enum Color { GREEN, RED; static { " + ASSERTION_ERROR + "; } }");
        try (Heap heap = open()) {
            assertEquals(2, map(heap).size());
        }
    }

    /** Enters a program with this enumeration. */
    private Program enterWith(String declaration) {
        Program program = programs.withOther("program", "Color", declaration);
        running.add(program);
        enter(program);
        return program;
    }

    @SuppressWarnings("unchecked")
    private static PersistentTreeMap<Object, String> map(Heap heap) {
        return heap.root("map", PersistentTreeMap.class, () -> new PersistentTreeMap<>(heap));
    }

    @Test
    void theCausesOfAFailureMayFormACircle() {
        writeItem();
        Program own = failing("org.terrace.persist.evolution.Programs.circle()");
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            enter(own);
            open().close();
        });
    }

    private Program recovering(String field) {
        Program program = programs.withOther("recovering", "Item", RECOVERING.formatted(field));
        running.add(program);
        return program;
    }

    @Test
    void aClassThatFailsAfterACrashIsRecoveredOnceItWorks() {
        Disk left;
        Program writer = recovering("\"a\"");
        try (Heap heap = open(OPTIONS.classes(writer.use("Item")))) {
            heap.atomic(() -> heap.setRoot("item", writer.create(heap, "Item")));
            left = disk.copy();
        }
        disk.dispose();
        disk = left;
        enter(recovering(FAIL.formatted("new IllegalStateException(\"not now\")")));
        for (int life = 0; life < 2; life++) {
            List<String> told = new ArrayList<>();
            LoggedWarnings.during(told, () -> open()).close();
            assertTrue(told.get(told.size() - 1).contains("for [" + programs.fullName("Item") + "] have failed, so recover() may not"),
                    told::toString);
        }
        enter(recovering("\"a\""));
        for (int life = 0; life < 2; life++) {
            try (Heap heap = open()) {
                assertEquals(1, item(heap).get("a"));
            }
        }
    }
}
