// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.transform.model.other.Square;
import org.terrace.persist.types.PersistentHashSet;

/** Tests constructors, hierarchies, blocks and equality. */
@Tag("model")
class SemanticsTest {
    @TempDir
    Path directory;

    private Heap heap;

    @BeforeEach
    void open() {
        heap = Heap.open(directory.resolve("semantics.heap"));
    }

    private void reopen() {
        heap.close();
        open();
    }

    @AfterEach
    void close() {
        assertEquals(List.of(), heap.check());
        heap.close();
    }

    @Test
    void constructorsRunInTheirOrder() {
        int before = Shape.made();
        Square square = heap.root("square", Square.class, Square::new);
        assertEquals(before + 1, Shape.made());
        assertEquals("default shape", square.label());
        assertEquals(3, square.side());
        assertEquals(1, square.starts(), "a field was stored by the superclass's constructor, and has no initializer");
        assertEquals(square, square.self());
        Square large = heap.root("large", Square.class, () -> new Square(-4));
        assertEquals("square of -4, hidden", large.label());
        assertTrue(square.compareTo(large) < 0);
        reopen();
        assertEquals(before + 2, Shape.made(), "no constructor and no initializer runs again");
        Square again = heap.root("large", Square.class);
        assertEquals(List.of(16L, -4, 1), List.of(again.area(), again.side(), again.starts()));
        assertEquals("square of -4", heap.atomic(() -> again.rename("renamed")));
        assertEquals("renamed, hidden", again.label());
        assertNull(again.self());
    }

    @Test
    void classesMayBeLargerThanABlock() {
        Wide wide = heap.root("wide", Wide.class, Wide::new);
        heap.atomic(() -> {
            wide.last = "";
            assertEquals(10 + 7 + 4, wide.shuffle());
        });
        reopen();
        Wide again = heap.root("wide", Wide.class);
        assertEquals(List.of(7L, 10L, 5L, 11L, 0x100000000L, 4L, "x", (byte) -1),
                List.of(again.a0, again.a1, again.b0, again.b1, again.c0, again.c9, again.last, again.tail));
    }

    @Test
    void anObjectNeedsAHeap() {
        HeapException refused = assertThrows(HeapException.class, Wide::new);
        assertTrue(refused.getMessage().contains("Heap.use"), refused.getMessage());
        assertSame(heap, PersistentObject.of(heap.use(Wide::new)).heap());
        assertSame(heap, PersistentObject.of(new Everything<String>("text", heap)).heap());
        try (Heap other = Heap.open(directory.resolve("other.heap"))) {
            heap.atomic(() -> {
                assertSame(other, PersistentObject.of(other.atomic(Wide::new)).heap(), "that of the innermost block");
                assertSame(heap, PersistentObject.of(new Wide()).heap());
                assertSame(other, PersistentObject.of(new Everything<String>("text", other)).heap(), "that of the parameter");
            });
            Node mine = heap.atomic(() -> new Node(1, null));
            Node others = other.atomic(() -> new Node(2, null));
            assertThrows(IllegalArgumentException.class, () -> heap.atomic(() -> mine.next = others));
        }
        assertThrows(HeapException.class, Wide::new);
    }

    @Test
    void anObjectMadeOutsideOfBlocksIsWholeWhenItIsReferredTo() {
        Everything<String> e = new Everything<>("made outside", heap);
        heap.setRoot("e", e);
        reopen();
        // A collection frees invalid objects.
        heap.collect();
        Everything<?> again = heap.root("e", Everything.class);
        assertEquals("made outside", again.text);
        assertEquals(17, again.constant);
    }

    @Test
    void declaredMethodsAreBlocks() throws IOException {
        Account a = heap.root("a", Account.class, () -> new Account(1));
        Account b = heap.root("b", Account.class, () -> new Account(2));
        a.deposit(100);
        assertEquals(70, a.transfer(b, 30, false));
        assertEquals("connection lost", assertThrows(IOException.class, () -> a.transfer(b, 30, true)).getMessage());
        assertEquals(List.of(70L, 30L, 1, 1), List.of(a.balance(), b.balance(), a.changes(), b.changes()));
        assertThrows(IllegalArgumentException.class, () -> b.deposit(-1));
        assertEquals(List.of(30L, 1), List.of(b.balance(), b.changes()));
        assertArrayEquals(new float[] {1, 2, 3, 2}, a.mixed((byte) 1, 2, 3, "x", "y"));
        assertThrows(IllegalArgumentException.class, () -> heap.atomic(() -> {
            a.deposit(1);
            throw new IllegalArgumentException();
        }));
        assertEquals(70, a.balance(), "a method is part of the block around it");
        reopen();
        assertEquals("account 1: 70", heap.root("a", Account.class).toString());
    }

    @Test
    void declaredMethodsMayReadInsideARead() {
        Account a = heap.root("a", Account.class, () -> new Account(1));
        assertEquals(0, heap.read(() -> a.balance() + a.changes()));
        assertThrows(IllegalStateException.class, () -> heap.read(() -> {
            a.deposit(5);
            return null;
        }));
        assertEquals(0, a.balance());
        a.deposit(5);
        assertEquals(5, a.balance());
    }

    @Test
    void equalityIsTheUsersOrThatOfTheObject() {
        Account a = heap.root("a", Account.class, () -> new Account(1));
        Account same = heap.root("a", Account.class);
        Account equal = heap.atomic(() -> new Account(1));
        assertEquals(a, equal);
        assertEquals(a.hashCode(), equal.hashCode());
        assertFalse(PersistentObject.same(a, equal));
        assertTrue(PersistentObject.same(a, same));
        Node node = heap.root("node", Node.class, () -> new Node(1, null));
        assertEquals(node, heap.root("node", Node.class));
        assertEquals(node.hashCode(), heap.root("node", Node.class).hashCode());
        assertNotEquals(node, heap.atomic(() -> new Node(1, null)));
        Set<Object> set = heap.root("set", PersistentHashSet.class, PersistentHashSet::new);
        set.addAll(List.of(a, node));
        assertTrue(set.contains(equal));
        assertTrue(set.contains(heap.root("node", Node.class)));
        reopen();
        assertTrue(heap.root("set", PersistentHashSet.class).contains(heap.root("node", Node.class)));
        assertTrue(heap.root("set", PersistentHashSet.class).contains(heap.root("a", Account.class)));
    }

    @Test
    void transientAndStaticFieldsStayInJava() {
        Everything<String> e = heap.root("e", Everything.class, Everything::new);
        int count = Everything.count;
        e.note = "of this proxy";
        assertEquals("of this proxy", e.note);
        assertNull(heap.root("e", Everything.class).note);
        assertEquals(count, Everything.count);
    }

    @Test
    void nullIsRefusedAsForAnyObject() {
        Node node = null;
        assertThrows(NullPointerException.class, () -> node.number = 1);
        assertThrows(NullPointerException.class, () -> System.out.println(node.text));
    }

    @Test
    void proxiesHaveNoFieldsForWhatIsInTheHeap() {
        assertEquals(Set.of("cache", "note", "count"), java.util.Arrays.stream(Everything.class.getDeclaredFields())
                .filter(f -> !f.isSynthetic()).map(java.lang.reflect.Field::getName)
                .collect(java.util.stream.Collectors.toSet()));
    }
}
