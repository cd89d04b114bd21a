// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.LoggedWarnings;
import org.terrace.persist.OpaqueObject;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.evolution.Programs.Program;
import org.terrace.persist.types.PersistentList;

/** Tests that a program's own classes come before those of other programs, whatever the other programs have defined. */
class NearestProgramTest extends ProgramsSetUp {
    private static final List<Throwable> FAILURES =
            List.of(new IllegalStateException("stopped"), new NoClassDefFoundError("stopped"));
    /** The transformation makes such classes. It also defines an abstract class, because subclasses have its fields. */
    private static final String TRANSFORMED = """
            import org.terrace.persist.*;
            import org.terrace.persist.evolution.Programs;
            public class Item extends Old implements Programs.Item {
                static final PersistentClass<Item> CLASS = PersistentClass.of(Item.class, Item::new)
                        .field("a", FieldType.LONG).field("b", FieldType.LONG).formerly("%s").build();
                public Item(Heap heap) { super(heap); }
                private Item(Heap heap, long offset) { super(heap, offset, null); }
                @Override protected PersistentClass<?> terrace$class() { return CLASS; }
                @Override public long get(String field) { return getLong(CLASS.offset(field)); }
                @Override public void set(String field, long value) { setLong(CLASS.offset(field), value); }
            }
            abstract class Old extends TransformedObject {
                static final PersistentClass<Old> OLD = PersistentClass.of(Old.class, (heap, offset) -> { throw new InstantiationError(); })
                        .field("a", FieldType.LONG).field("b", FieldType.LONG).build();
                Old(Heap heap) { super(heap); }
                Old(Heap heap, long offset, Existing existing) { super(heap, offset, existing); }
            }
            """;

    /** The loader of a stopped program, which fails for all names. */
    private static ClassLoader stopped(Throwable failure) {
        return new ClassLoader(null) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) {
                Programs.fail(failure);
                return null;
            }
        };
    }

    @Test
    void aRenamedClassThatIsNotInitializedComesBeforeThatOfAnotherProgram() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        usedProgram("other", ONE_FIELD + ".formerly(\"" + programs.fullName("Old") + "\")");
        Program own = program("own", formerly("Old"));
        enter(own);
        for (HeapOptions options : List.of(OPTIONS.readOnly(), OPTIONS)) {
            try (Heap heap = open(options)) {
                assertSame(own, loaderOfItem(heap));
                assertEquals('b', item(heap).get("b"));
            }
        }
    }

    /** The nearest class of the new name is another class, which was not renamed. */
    @Test
    void aClassIsNotTakenForARenamedOneOfAnotherProgram() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> {
            programs.addItem(older, "Item", TWO_FIELDS);
            writeRoot("old", older, "Old", "a");
            write(older, "Item", "a", "b");
        });
        Program own = program("own", TWO_FIELDS);
        Program other = usedProgram("other", formerly("Old"));
        enter(own);
        try (Heap heap = open()) {
            assertSame(own, loaderOfItem(heap));
            assertSame(other, heap.root("old", PersistentObject.class).getClass().getClassLoader());
        }
        enter(null);
        try (Heap heap = open(OPTIONS.classes(own.use("Item")))) {
            assertSame(own, loaderOfItem(heap));
        }
        List<String> names = Collections.synchronizedList(new ArrayList<>());
        open(OPTIONS.readOnly().classFilter(names::add)).close();
        assertEquals(1, Collections.frequency(names, other.fullName("Item")), "the heap has two classes of one name");
    }

    @Test
    void anOpeningDropsNoFieldForAClassOfAnotherProgram() {
        Program own = usedProgram("own", TWO_FIELDS);
        write(own, "Item", "a", "b");
        Program other = usedProgram("other", ONE_FIELD);
        assertOtherDoesNotFit("Item of the program other has other fields than in the heap, and may be of another program");
        try (Heap heap = open()) {
            assertEquals('b', heap.root("item", own.use("Item")).get("b"));
        }
        try (Heap heap = open(OPTIONS.classes(own.use("Item")))) {
            assertEquals('b', item(heap).get("b"));
        }
        try (Heap heap = open(OPTIONS.classes(other.use("Item")))) {
            assertSame(other, loaderOfItem(heap));
        }
    }

    @Test
    void anOpeningChangesNoTypeForAClassOfAnotherProgram() {
        Program own = usedProgram("own", ".field(\"a\", FieldType.INT).field(\"b\", LONG)");
        write(own, "Item", "b");
        usedProgram("other", ".field(\"a\", LONG).field(\"b\", LONG)");
        assertOtherDoesNotFit("Item of the program other has other fields than in the heap");
        // A narrower type is refused in any case, but the class may be the wrong one.
        usedProgram("other", ".field(\"a\", FieldType.SHORT).field(\"b\", LONG)");
        assertOtherDoesNotFit("is INT in the heap and SHORT in the program");
        try (Heap heap = open(OPTIONS.classes(own.use("Item")))) {
            assertEquals('b', item(heap).get("b"));
        }
    }

    /** The program of the heap may add a field of the same name with another type. */
    @Test
    void anOpeningAddsNoFieldForAClassOfAnotherProgram() {
        runAndEnd("ended", "Item", TWO_FIELDS, ended -> write(ended, "Item", "a", "b"));
        usedProgram("other", TWO_FIELDS + ".field(\"c\", LONG)");
        assertOtherDoesNotFit("Item of the program other has other fields than in the heap");
        enter(program("own", TWO_FIELDS + ".field(\"c\", FieldType.INT)"));
        try (Heap heap = open()) {
            assertEquals('b', item(heap).get("b"));
        }
    }

    /** The opening leaves the heap as it is, and the use of the object throws. */
    private void assertOtherDoesNotFit(String reason) {
        enter(null);
        for (HeapOptions options : List.of(OPTIONS, OPTIONS.readOnly())) {
            try (Heap heap = open(options)) {
                String message = assertThrows(HeapException.class, () -> heap.root("item", PersistentObject.class)).getMessage();
                assertTrue(message.contains(reason), message);
                assertTrue(message.contains("of the program other") && message.contains("HeapOptions.classes(Item.class)"), message);
            }
        }
    }

    @Test
    void anOpeningRenamesNothingForAClassOfAnotherProgram() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        Program other = usedProgram("other", formerly("Old"));
        enter(null);
        for (int life = 0; life < 2; life++) {
            try (Heap heap = open(OPTIONS.classFilter(programs.fullName("Old")::equals))) {
                assertSame(other, loaderOfItem(heap));
            }
        }
    }

    @Test
    void anOpeningRenamesNothingIfTheFilterRejectsTheNewName() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        enter(usedProgram("own", formerly("Old")));
        HeapException e = assertThrows(HeapException.class, () -> open(OPTIONS.classFilter(programs.fullName("Old")::equals)));
        assertTrue(e.getMessage().contains(programs.fullName("Item") + ", which HeapOptions.classFilter does not allow"), e.getMessage());
        List<String> names = Collections.synchronizedList(new ArrayList<>());
        open(OPTIONS.readOnly().classFilter(names::add)).close();
        assertEquals(List.of(programs.fullName("Old")), names);
    }

    /** A program gave two classes the same new name. An older one has the former name of one of them. */
    @Test
    void twoClassesOfOneNameAreToldApart() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> {
            programs.addItem(older, "Item", TWO_FIELDS);
            writeRoot("old", older, "Old", "a");
            write(older, "Item", "a", "b");
        });
        runAndEnd("newer", "Item", formerly("Old"), newer -> {
            open(OPTIONS.classes(newer.use("Item"))).close();
        });
        Program own = programs.withItem("own", "Old", TWO_FIELDS);
        running.add(own);
        enter(own);
        try (Heap heap = open()) {
            assertInstanceOf(OpaqueObject.class, heap.root("item", PersistentObject.class));
            assertSame(own, heap.root("old", PersistentObject.class).getClass().getClassLoader());
        }
    }

    /** An abstract class without a definition has no objects. */
    @Test
    void aRenamedClassMayExtendAnAbstractOneOfTheOldName() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        Program own = programs.withItemOfAbstractOld("own", formerly("Old"));
        running.add(own);
        enter(own);
        try (Heap heap = open(OPTIONS.readOnly())) {
            assertInstanceOf(OpaqueObject.class, heap.root("item", PersistentObject.class));
            assertEquals('b', heap.root("item", own.use("Item")).get("b"));
        }
        try (Heap heap = open()) {
            assertEquals('b', item(heap).get("b"));
        }
    }

    @Test
    void anAbstractClassOfTheOldNameHasNoObjectsEvenIfItIsDefined() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        Program own = programs.withOther("own", "Item", TRANSFORMED.formatted(programs.fullName("Old")));
        running.add(own);
        enter(own);
        try (Heap heap = open(OPTIONS.readOnly())) {
            String message = assertThrows(HeapException.class, () -> heap.root("item", own.use("Old"))).getMessage();
            assertTrue(message.contains(own.fullName("Old") + " of the program own is abstract, so it has no objects")
                    && message.contains("its definition says formerly(\"" + own.fullName("Old")), message);
        }
        try (Heap heap = open()) {
            assertInstanceOf(OpaqueObject.class, heap.root("item", PersistentObject.class));
            assertEquals('b', heap.root("item", own.use("Item")).get("b"));
        }
        for (int life = 0; life < 2; life++) {
            try (Heap heap = open()) {
                assertEquals('b', item(heap).get("b"));
            }
        }
    }

    /** Another program says that its class of this name was renamed, so this one may have been, too. */
    @Test
    void aClassThatCannotBeInitializedDoesNotHideARenamedOne() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        Program own = programs.withItem("own", "Thing", formerly("Old"));
        programs.addItem(own, "Item", ".field(System.getProperty(\"no such property\"), LONG)");
        running.add(own);
        own.use("Thing");
        usedProgram("other", formerly("Old"));
        enter(own);
        List<String> told = new ArrayList<>();
        try (Heap heap = LoggedWarnings.during(told, () -> open())) {
            assertEquals(own.use("Thing"), item(heap).getClass());
        }
        assertEquals(1, told.size(), told::toString);
        assertTrue(told.get(0).contains("class " + own.fullName("Item") + " of the program own cannot be initialized: "
                + "java.lang.NullPointerException") && told.get(0).contains("Thing of the program own instead"), told.get(0));
    }

    @Test
    void aWarningSaysWhyAClassCannotBeInitialized() {
        runAndEnd("older", "Old", TWO_FIELDS, older -> write(older, "Old", "a", "b"));
        Program own = program("own", formerly("Old") + ".field(System.getProperty(\"no such property\"), LONG)");
        usedProgram("other", formerly("Old"));
        enter(own);
        List<String> told = new ArrayList<>();
        try (Heap heap = LoggedWarnings.during(told, () -> open())) {
            assertEquals(1, told.size(), told::toString);
            assertTrue(told.get(0).contains(own.fullName("Old") + " cannot be initialized.")
                    && told.get(0).contains("java.lang.NullPointerException"), told.get(0));
            assertThrows(LinkageError.class, () -> heap.root("item", PersistentObject.class));
        }
    }

    /** Another class holds the definition, as the companion objects of some languages do. */
    @Test
    void aClassThatIsNotDefinedYetComesBeforeThatOfAnotherProgram() {
        Program own = programs.withOther("own", "Item", """
                import org.terrace.persist.*;
                public class Item extends PersistentObject {
                    Item(Heap heap, long offset) { super(heap, offset); }
                    static class Holder {
                        static final PersistentClass<Item> CLASS = PersistentClass.of(Item.class, Item::new)
                                .field("a", FieldType.LONG).field("b", FieldType.LONG).build();
                    }
                }
                """);
        running.add(own);
        write(usedProgram("other", TWO_FIELDS), "Item", "a", "b");
        enter(own);
        try (Heap heap = open()) {
            assertInstanceOf(OpaqueObject.class, heap.root("item", PersistentObject.class));
            own.use("Item$Holder");
            assertSame(own, heap.root("item", PersistentObject.class).getClass().getClassLoader());
        }
    }

    @Test
    void aRenamedClassIsNotHiddenByThatOfAnOlderProgram() {
        Program older = programs.withItem("older", "Old", TWO_FIELDS);
        running.add(older);
        write(older, "Old", "a", "b");
        Program own = program("own", formerly("Old"));
        enter(own);
        try (Heap heap = open()) {
            assertEquals('b', heap.root("item", own.use("Item")).get("b"));
            assertSame(own, loaderOfItem(heap));
        }
    }

    @Test
    void objectsOfOneClassAreNotOfTwoProgramsUnderTwoNames() {
        Program older = programs.withItem("older", "Old", TWO_FIELDS);
        running.add(older);
        write(older, "Old", "a", "b");
        Program own = program("own", formerly("Old"));
        try (Heap heap = open()) {
            assertSame(older, loaderOfItem(heap));
            HeapException e = assertThrows(HeapException.class, () -> heap.atomic(() -> own.create(heap, "Item")));
            assertTrue(e.getMessage().contains("Old are of the class of the program older since the heap was opened; they cannot be of "
                    + own.fullName("Item") + " of the program own"), e.getMessage());
        }
        try (Heap heap = open(OPTIONS.readOnly().classes(own.use("Item")))) {
            assertThrows(HeapException.class, () -> heap.root("item", older.use("Old")));
            assertSame(own, loaderOfItem(heap));
        }
    }

    @Test
    void aClassThatWasFoundLateAndRefusedDoesNotHold() {
        runAndEnd("ended", "Item", TWO_FIELDS, ended -> write(ended, "Item", "a", "b"));
        Program own = program("own", TWO_FIELDS);
        Program other = program("other", ".field(\"c\", LONG)" + TWO_FIELDS);
        enter(null);
        try (Heap heap = open()) {
            enter(other);
            assertThrows(HeapException.class, () -> heap.root("item", PersistentObject.class));
            enter(own);
            assertSame(own, loaderOfItem(heap));
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void aContextLoaderThatFailsDoesNotAffectTheHeap() {
        Program own = usedProgram("own", TWO_FIELDS);
        write(own, "Item", "a", "b");
        for (Throwable failure : FAILURES) {
            enter(stopped(failure));
            for (HeapOptions options : List.of(OPTIONS, OPTIONS.classes(own.use("Item")))) {
                try (Heap heap = open(options)) {
                    assertSame(own, loaderOfItem(heap));
                    heap.root("list", PersistentList.class, () -> new PersistentList<>(heap)).add("a");
                }
            }
        }
    }

    /** Its own program fails when it uses the class. Other programs do not need it. If it is nearer than theirs, a warning says so. */
    @Test
    void aClassThatCannotBeExaminedIsPassedOver() {
        runAndEnd("ended", "Item", TWO_FIELDS, ended -> write(ended, "Item", "a", "b"));
        Program own = program("own", TWO_FIELDS);
        programs.addItem(own, "Beside", TWO_FIELDS);
        own.use("Beside");
        Program broken = broken();
        for (ClassLoader context : Arrays.asList(null, broken)) {
            enter(context);
            List<String> told = new ArrayList<>();
            try (Heap heap = LoggedWarnings.during(told, () -> open())) {
                assertSame(own, loaderOfItem(heap));
            }
            assertEquals(context == null ? 0 : 1, told.size(), told::toString);
            assertTrue(told.stream().allMatch(text -> text.contains("the program broken failed: java.lang.NoClassDefFoundError")
                    && text.contains("Item of the program own instead")), told::toString);
        }
    }

    /** A program whose class Item cannot be examined, but the class beside it can be. */
    private Program broken() {
        Program broken = programs.withOther("broken", "Item", "class Gone { } public record Item(Gone gone) { }");
        running.add(broken);
        programs.remove(broken, "Gone");
        programs.addItem(broken, "Beside", TWO_FIELDS);
        broken.use("Beside");
        return broken;
    }

    @Test
    void noFieldIsDroppedForAClassInThePlaceOfOneThatFailed() {
        runAndEnd("ended", "Item", TWO_FIELDS, ended -> write(ended, "Item", "a", "b"));
        HeapOptions options = OPTIONS.classes(broken().use("Beside"));
        enter(program("other", ONE_FIELD));
        try (Heap heap = open(options)) {
            HeapException e = assertThrows(HeapException.class, () -> heap.root("item", PersistentObject.class));
            assertTrue(e.getMessage().contains("Item of the program other has other fields than in the heap, and may be"), e.getMessage());
        }
        enter(program("same", TWO_FIELDS));
        try (Heap heap = open(options)) {
            assertEquals('b', item(heap).get("b"));
        }
    }
}
