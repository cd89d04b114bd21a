// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.OpaqueObject;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.evolution.Programs.Item;
import org.terrace.persist.evolution.Programs.Program;
import org.terrace.persist.types.PersistentList;

/** Tests several programs in one VM whose persistent classes have the same names. */
class ProgramsOfOneVmTest extends ProgramsSetUp {
    @Test
    void aRenamedClassIsFoundAfterALaterProgramHasEnded() {
        String renamed = TWO_FIELDS + ".formerly(\"" + "programs.aRenamedClassIsFoundAfterALaterProgramHasEnded.Old\")";
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        Program first = usedProgram("first", renamed);
        runAndEnd("later", "Item", renamed, later -> later.use("Item"));
        try (Heap heap = open(OPTIONS.readOnly().classes(first.use("Item")))) {
            assertEquals('b', item(heap).get("b"));
        }
        enter(first);
        try (Heap heap = open()) {
            assertSame(first, loaderOfItem(heap));
            assertEquals('b', item(heap).get("b"));
        }
    }

    @Test
    void aRenamedClassIsNotTheClassOfAnotherProgramThatHasTheOldName() {
        Program older = programs.withItem("older", "Old", TWO_FIELDS);
        running.add(older);
        write(older, "Old", "a", "b");
        Program own = usedProgram("own", TWO_FIELDS + ".formerly(\"" + older.fullName("Old") + "\")");
        enter(own);
        try (Heap heap = open()) {
            assertSame(own, loaderOfItem(heap));
        }
        enter(older);
        try (Heap heap = open()) {
            assertSame(older, loaderOfItem(heap));
        }
    }

    @Test
    void aRenamedClassIsRecordedOnceAlthoughAnotherProgramHasIt() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        try (Heap heap = open()) {
            String renamed = TWO_FIELDS + ".formerly(\"programs.aRenamedClassIsRecordedOnceAlthoughAnotherProgramHasIt.Old\")";
            Program own = usedProgram("own", renamed);
            usedProgram("other", renamed);
            heap.atomic(() -> own.create(heap, "Item").set("a", 1));
            assertSame(own, loaderOfItem(heap));
        }
    }

    @Test
    void anOpeningConvertsWithTheClassOfTheContextLoader() {
        Program own = usedProgram("own", TWO_FIELDS);
        write(own, "Item", "a", "b");
        usedProgram("other", ONE_FIELD);
        enter(own);
        for (HeapOptions options : List.of(OPTIONS, OPTIONS.readOnly())) {
            try (Heap heap = open(options)) {
                assertSame(own, loaderOfItem(heap));
                assertEquals('b', item(heap).get("b"));
            }
        }
    }

    /** Threads that serve other programs use the heap too. */
    @Test
    void theContextLoaderOfTheOpeningHolds() {
        Program own = program("own", TWO_FIELDS);
        Program other = program("other", TWO_FIELDS);
        write(usedProgram("writer", TWO_FIELDS), "Item", "a", "b");
        enter(own);
        try (Heap heap = open()) {
            enter(other);
            other.use("Item");
            assertSame(own, loaderOfItem(heap));
        }
    }

    /** An opening for reading initializes no class, and must not use that of another program instead. */
    @Test
    void aReadOnlyOpeningDoesNotCompareTheClassOfAnotherProgram() {
        write(usedProgram("writer", TWO_FIELDS), "Item", "a", "b");
        Program own = program("own", TWO_FIELDS);
        usedProgram("other", ONE_FIELD);
        enter(own);
        try (Heap heap = open(OPTIONS.readOnly())) {
            assertSame(own, loaderOfItem(heap));
        }
    }

    @Test
    void theClassesOfTheOptionsHoldUntilTheHeapIsClosed() {
        Program own = usedProgram("own", TWO_FIELDS);
        write(own, "Item", "a", "b");
        Program other = usedProgram("other", ONE_FIELD);
        enter(other);
        try (Heap heap = open(OPTIONS.classes(own.use("Item")))) {
            Program later = usedProgram("later", ONE_FIELD);
            for (Program program : List.of(other, later)) {
                HeapException e = assertThrows(HeapException.class, () -> heap.root("item", program.use("Item")));
                assertTrue(e.getMessage().contains("class loader: the program own, not " + program), e.getMessage());
                e = assertThrows(HeapException.class, () -> heap.atomic(() -> program.create(heap, "Item")));
                assertTrue(e.getMessage().contains("are of the class of the program own since"), e.getMessage());
            }
            assertSame(own, loaderOfItem(heap));
            assertEquals('b', item(heap).get("b"));
            heap.atomic(() -> own.create(heap, "Item").set("b", 1));
        }
        enter(own);
        try (Heap heap = open()) {
            assertEquals('b', item(heap).get("b"));
        }
    }

    /** The heap names a class beside those of the options, and the context class loader has another one of this name. */
    @Test
    void theLoadersOfTheOptionsComeBeforeTheContextLoader() {
        Program own = usedProgram("own", TWO_FIELDS);
        programs.addItem(own, "Beside", TWO_FIELDS);
        write(own, "Item", "a", "b");
        Program other = usedProgram("other", TWO_FIELDS);
        enter(other);
        try (Heap heap = open(OPTIONS.classes(own.use("Beside")))) {
            assertSame(own, loaderOfItem(heap));
        }
    }

    /** Neither the options nor the context class loader have the class. */
    @Test
    void theChoiceOfTheOpeningHolds() {
        Program first = usedProgram("first", TWO_FIELDS);
        write(first, "Item", "a", "b");
        try (Heap heap = open()) {
            usedProgram("later", ONE_FIELD);
            assertSame(first, loaderOfItem(heap));
        }
    }

    @Test
    void theNewestOfOtherLoadersIsAskedFirst() {
        write(usedProgram("writer", TWO_FIELDS), "Item", "a", "b");
        Program newest = null;
        for (int i = 0; i < 8; i++) {
            newest = program("newest " + i, TWO_FIELDS);
            programs.addItem(newest, "Beside", TWO_FIELDS);
        }
        for (Program program : running.subList(1, running.size())) {
            program.use("Beside");
        }
        disk.renameClass("test.heap", newest.fullName("Item"), newest.fullName("Mine"));
        for (Program program : running.subList(1, running.size())) {
            programs.addItem(program, "Mine", TWO_FIELDS);
        }
        try (Heap heap = open()) {
            assertSame(newest, loaderOfItem(heap));
        }
    }

    @Test
    void otherLoadersAreNotAskedForAClassThatAProgramHasDefined() {
        write(usedProgram("own", TWO_FIELDS), "Item", "a", "b");
        Program other = programs.withItem("other", "Beside", TWO_FIELDS);
        running.add(other);
        other.use("Beside");
        List<String> names = Collections.synchronizedList(new ArrayList<>());
        other.asked = names::add;
        enter(null);
        try (Heap heap = open()) {
            assertEquals("own", ((Program) loaderOfItem(heap)).getName());
        }
        assertEquals(List.of(), names);
    }

    @Test
    void aClassOfTheSameNameThatIsNotPersistentIsPassedOver() {
        Program own = program("own", TWO_FIELDS);
        programs.addItem(own, "Beside", TWO_FIELDS);
        runAndEnd("ended", "Item", TWO_FIELDS, ended -> write(ended, "Item", "a", "b"));
        own.use("Beside");
        enter(programs.withOther("plain", "Item", "public class Item { }"));
        try (Heap heap = open()) {
            assertInstanceOf(Item.class, heap.root("item", PersistentObject.class));
        }
    }

    @Test
    void aClassOfTheSameNameThatIsNoEnumerationIsPassedOver() {
        Program own = programs.withOther("own", "Color", "public enum Color { RED }");
        programs.addItem(own, "Beside", TWO_FIELDS);
        own.use("Beside");
        Enum<?> red = (Enum<?>) (Object) ((Class<?>) own.use("Color")).getEnumConstants()[0];
        try (Heap heap = open()) {
            list(heap).add(red);
        }
        enter(programs.withOther("plain", "Color", "public class Color { }"));
        try (Heap heap = open()) {
            assertSame(red, list(heap).get(0));
        }
    }

    @SuppressWarnings("unchecked")
    private static PersistentList<Object> list(Heap heap) {
        return heap.root("list", PersistentList.class, () -> new PersistentList<>(heap));
    }

    /** Servers let the loader of a stopped program throw, until the collector frees it. */
    @Test
    void aLoaderThatFailsDoesNotAffectTheHeapsOfOtherPrograms() {
        runAndEnd("ended", "Item", TWO_FIELDS, ended -> write(ended, "Item", "a", "b"));
        for (Throwable failure : List.of(new IllegalStateException("stopped"), new NoClassDefFoundError("stopped"))) {
            Program stopped = programs.withItem("stopped", "Beside", TWO_FIELDS);
            running.add(stopped);
            stopped.use("Beside");
            stopped.asked = name -> Programs.fail(failure);
        }
        Program own = programs.withItem("own", "Beside", TWO_FIELDS);
        running.add(0, own);
        own.use("Beside");
        try (Heap heap = open()) {
            assertInstanceOf(OpaqueObject.class, heap.root("item", PersistentObject.class));
        }
    }

    /** A heap of a server, which several programs ask for an object. */
    @Test
    void anOpenHeapDoesNotKeepAProgramWhoseClassItDoesNotUse() {
        Program own = usedProgram("own", TWO_FIELDS);
        write(own, "Item", "a", "b");
        try (Heap heap = open(OPTIONS.classes(own.use("Item")))) {
            item(heap);
            runAndEnd("ended", "Item", TWO_FIELDS, ended -> {
                assertThrows(HeapException.class, () -> heap.root("item", ended.use("Item")));
                assertThrows(HeapException.class, () -> heap.atomic(() -> ended.create(heap, "Item")));
                close(ended);
            });
            assertSame(own, loaderOfItem(heap));
        }
    }

    @Test
    void twoThreadsGetOneClass() throws Exception {
        runAndEnd("ended", "Item", TWO_FIELDS, ended -> write(ended, "Item", "a", "b"));
        Program first = program("first", TWO_FIELDS);
        Program second = program("second", TWO_FIELDS);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch going = new CountDownLatch(1);
        first.asked = name -> {
            asked.countDown();
            try {
                going.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        try (Heap heap = open()) {
            CompletableFuture<ClassLoader> slow = CompletableFuture.supplyAsync(() -> {
                ClassLoader before = Thread.currentThread().getContextClassLoader();
                enter(first);
                try {
                    return loaderOfItem(heap);
                } finally {
                    Thread.currentThread().setContextClassLoader(before);
                }
            }, task -> new Thread(task).start());
            asked.await();
            enter(second);
            assertSame(second, loaderOfItem(heap));
            going.countDown();
            assertSame(second, slow.get());
        }
    }

    /** A class of the options with another name than in the heap. */
    @Test
    void theOptionsAreNotComparedWithTheWholeHeapForEachClass() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        Program own = program("own", TWO_FIELDS + ".formerly(\"" + programs.fullName("Old") + "\")");
        for (String name : List.of("B0", "B1", "B2", "B3")) {
            programs.addItem(own, name, TWO_FIELDS);
            writeRoot(name, own, name, "a");
        }
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        try (Heap heap = open(OPTIONS.readOnly().classes(own.use("Item")))) {
            own.asked = asked::add;
            for (String name : List.of("B0", "B1", "B2", "B3")) {
                assertSame(own, heap.root(name, own.use(name)).getClass().getClassLoader());
            }
        }
        assertEquals(List.of(), asked);
    }

    @Test
    void optionsWithTwoClassesOfOneNameAreRefused() {
        Class<Item> first = program("first", TWO_FIELDS).use("Item");
        Class<Item> second = program("second", TWO_FIELDS).use("Item");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> OPTIONS.classes(first, first, second));
        assertTrue(e.getMessage().contains("the program first and of the program second"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> OPTIONS.classes(first).classes(second));
    }

    @Test
    void aRootCanBeAskedForByAnyType() {
        write(usedProgram("own", TWO_FIELDS), "Item", "a", "b");
        try (Heap heap = open()) {
            assertNull(heap.root("none", int.class));
            HeapException e = assertThrows(HeapException.class, () -> heap.root("item", int.class));
            assertTrue(e.getMessage().contains("is not a int"), e.getMessage());
        }
    }
}
