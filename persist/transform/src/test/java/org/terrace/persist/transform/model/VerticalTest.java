// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.Heap;

/** Tests one class across two openings of the heap. */
@Tag("model")
class VerticalTest {
    @TempDir
    Path directory;

    @Test
    void fieldsAreThereAfterReopening() {
        Path file = directory.resolve("node.heap");
        try (Heap heap = Heap.open(file)) {
            Node node = heap.root("node", Node.class, () -> new Node(41, "first"));
            heap.atomic(() -> {
                node.increment();
                node.next = new Node(7, null);
                node.next.next = node;
            });
        }
        try (Heap heap = Heap.open(file)) {
            Node node = heap.root("node", Node.class);
            assertEquals(42, node.number);
            assertEquals("first", node.text);
            assertEquals(7, node.next.number);
            assertNull(node.next.text);
            assertEquals(node, node.next.next);
            assertNotSame(node, node.next.next);
            heap.atomic(() -> node.next = node);
            assertTrue(node.isOwnNext(), "== inside of a persistent class compares objects");
            assertEquals(List.of(), heap.check());
        }
    }

    @Test
    void aListedClassIsPersistentToo() {
        Path file = directory.resolve("listed.heap");
        try (Heap heap = Heap.open(file)) {
            Listed listed = heap.root("listed", Listed.class, Listed::new);
            assertTrue(listed.isEven());
            heap.atomic(() -> listed.add(5));
        }
        try (Heap heap = Heap.open(file)) {
            Listed listed = heap.root("listed", Listed.class);
            assertEquals(5, listed.sum());
            assertEquals(false, listed.isEven());
        }
    }
}
