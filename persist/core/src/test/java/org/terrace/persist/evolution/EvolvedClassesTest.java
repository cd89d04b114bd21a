// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.persist.FieldType.BOOLEAN;
import static org.terrace.persist.FieldType.INT;
import static org.terrace.persist.FieldType.LONG;
import static org.terrace.persist.FieldType.REFERENCE;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Cell;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.OpaqueObject;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.evolution.Thing.Version;

/** Tests heaps that are opened by programs whose classes are renamed, missing, or loaded late. */
class EvolvedClassesTest extends EvolutionSetUp {
    /** This JVM knows the class by its new name only after the first request for it. */
    private static final class Renamed extends PersistentObject {
        static final PersistentClass<Renamed> CLASS = PersistentClass.of(Renamed.class, Renamed::new)
                .field("value", LONG).field("next", REFERENCE).field("other", REFERENCE)
                .field("small", INT).field("flag", BOOLEAN).formerly("org.terrace.persist.Gon1").build();

        private Renamed(Heap heap, long offset) {
            super(heap, offset);
        }

        long value() {
            return getLong(CLASS.offset("value"));
        }
    }

    private void writeCellOfAClassThatIsGone(String name) {
        try (Heap heap = open()) {
            heap.root("cell", Cell.class, () -> new Cell(heap, 7, new Cell(heap, 8, null)));
        }
        disk.renameClass("test.heap", Cell.class.getName(), "org.terrace.persist." + name);
    }

    @Test
    void aRenamedClassIsFoundByTheNameThatItHad() {
        writeCellOfAClassThatIsGone("Gon1");
        HeapOptions knowing = OPTIONS.classes(Renamed.class);
        for (int i = 0; i < 2; i++) {
            try (Heap heap = Heap.open(disk.path("test.heap"), knowing)) {
                Renamed renamed = heap.root("cell", Renamed.class);
                assertEquals(7, renamed.value());
                assertEquals(List.of(), heap.check());
            }
        }
        // The heap has the new name. The old program, which only has the old name, must work too.
        disk.renameClass("test.heap", Renamed.class.getName(), "org.terrace.persist.evolution.EvolvedClassesTest$Unknown");
        disk.renameClass("test.heap", "org.terrace.persist.evolution.EvolvedClassesTest$Unknown org.terrace.persist.Gon1",
                "org.terrace.persist.evolution.EvolvedClassesTest$Unknown org.terrace.persist.Cell");
        try (Heap heap = open()) {
            assertEquals(8, heap.root("cell", Cell.class).next().value());
        }
    }

    private static final class RenamedAndLate extends PersistentObject {
        static final PersistentClass<RenamedAndLate> CLASS = PersistentClass.of(RenamedAndLate.class, RenamedAndLate::new)
                .field("value", LONG).field("next", REFERENCE).formerly("org.terrace.persist.Late").build();

        private RenamedAndLate(Heap heap, long offset) {
            super(heap, offset);
        }

        long value() {
            return getLong(CLASS.offset("value"));
        }
    }

    private static final class ChangedAndLate extends PersistentObject {
        static final PersistentClass<ChangedAndLate> CLASS = PersistentClass.of(ChangedAndLate.class, ChangedAndLate::new)
                .field("added", LONG).field("value", LONG).formerly("org.terrace.persist.Lost").build();

        private ChangedAndLate(Heap heap, long offset) {
            super(heap, offset);
        }
    }

    @Test
    void aRenamedClassThatTheOpeningDidNotKnowIsFoundByItsRootIfItsFieldsAreWhereTheyWere() {
        writeCellOfAClassThatIsGone("Late");
        try (Heap heap = open()) {
            assertTrue(heap.root("cell", OpaqueObject.class) != null);
            assertEquals(7, heap.root("cell", RenamedAndLate.class).value());
        }
        disk.renameClass("test.heap", "org.terrace.persist.Late", "org.terrace.persist.Lost");
        try (Heap heap = open()) {
            HeapException e = assertThrows(HeapException.class, () -> heap.root("cell", ChangedAndLate.class));
            assertTrue(e.getMessage().contains("HeapOptions.classes(ChangedAndLate.class)"), e.getMessage());
        }
    }

    @Test
    void aMissingClassIsOpaqueThroughConversionsAndWorksWhenItReturns() {
        Version first = Thing.define(ONE_FIELD);
        try (Heap heap = open()) {
            heap.atomic(() -> {
                Cell cell = new Cell(heap, 7, new Cell(heap, 8, null));
                Thing thing = first.create(heap);
                first.set(thing, "x", 9);
                first.set(thing, "next", cell);
                cell.other(thing);
                heap.setRoot("cell", cell);
                heap.setRoot("thing", thing);
            });
        }
        disk.renameClass("test.heap", Cell.class.getName(), "org.terrace.persist.Away");
        Version second = Thing.define(MORE_FIELDS);
        try (Heap heap = open()) {
            assertEquals("org.terrace.persist.Away", heap.root("cell", OpaqueObject.class).className());
            assertEquals(heap.root("cell", OpaqueObject.class), second.get(root(heap), "next"));
            assertEquals(List.of(), heap.check());
        }
        disk.renameClass("test.heap", "org.terrace.persist.Away", Cell.class.getName());
        try (Heap heap = open()) {
            Cell cell = heap.root("cell", Cell.class);
            assertEquals(7, cell.value());
            assertEquals(8, cell.next().value());
            assertEquals(root(heap), cell.other());
            assertEquals(9, second.get((Thing) cell.other(), "x"));
        }
    }

    @Test
    void objectsOfTwoVersionsInOneHeapBecomeOne() {
        Version first = Thing.define(ONE_FIELD);
        try (Heap heap = open()) {
            heap.atomic(() -> {
                heap.setRoot("old", first.create(heap));
                first.set(heap.root("old", Thing.class), "x", 1);
            });
        }
        // A program without the old class adds its own under the new name.
        disk.renameClass("test.heap", Thing.class.getName(), "org.terrace.persist.evolution.Older");
        Version second = Thing.define(MORE_FIELDS);
        try (Heap heap = open()) {
            heap.atomic(() -> {
                heap.setRoot("new", second.create(heap));
                second.set(heap.root("new", Thing.class), "x", 2);
                second.set(heap.root("new", Thing.class), "none", heap.root("old", OpaqueObject.class));
            });
        }
        Version third = Thing.define(b -> b.field("x", LONG).field("none", REFERENCE).formerly("org.terrace.persist.evolution.Older"));
        try (Heap heap = open()) {
            Thing old = heap.root("old", Thing.class);
            assertEquals(1L, third.get(old, "x"));
            assertEquals(2L, third.get(heap.root("new", Thing.class), "x"));
            assertEquals(old, third.get(heap.root("new", Thing.class), "none"));
            heap.atomic(() -> third.set(old, "none", third.create(heap)));
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void aClassThatIsDefinedTooLateIsRefused() {
        write(ONE_FIELD, "x", 7);
        try (Heap heap = open()) {
            Version late = Thing.define(MORE_FIELDS);
            HeapException e = assertThrows(HeapException.class, () -> heap.atomic(() -> late.create(heap)));
            assertTrue(e.getMessage().contains("HeapOptions.classes(Thing.class)"), e.getMessage());
        }
    }

    @Test
    void arraysDoNotBecomeObjects() {
        write(ONE_FIELD, "x", 7);
        PersistentClass.bytes(Thing.class, (heap, offset) -> null);
        String message = refusal();
        assertTrue(message.contains("kind OBJECT in the heap and of kind BYTES in the program"), message);
    }

    private record Point(int x) {
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void aDefinitionMayBeOfAClassThatIsNoProxy() {
        PersistentClass<Thing> type = PersistentClass.of((Class) Point.class, (heap, offset) -> null).field("x", INT).build();
        assertEquals(0, type.offset("x"));
    }
}
