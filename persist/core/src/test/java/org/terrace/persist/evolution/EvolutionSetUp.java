// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.persist.FieldType.DOUBLE;
import static org.terrace.persist.FieldType.INT;
import static org.terrace.persist.FieldType.LONG;
import static org.terrace.persist.FieldType.REFERENCE;

import java.util.List;
import java.util.function.Consumer;
import org.terrace.persist.DiskSetUp;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentClass.Builder;
import org.terrace.persist.evolution.Thing.Version;
import org.terrace.persist.medium.Disk;

/** Sets up heaps on a simulated disk that contain one {@link Thing}. Programs with other definitions of it open them. */
abstract class EvolutionSetUp extends DiskSetUp {
    static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(1 << 20).logSize(512 << 10).threads(2);
    static final Consumer<Builder<Thing>> ONE_FIELD = b -> b.field("x", INT).field("next", REFERENCE);
    static final Consumer<Builder<Thing>> MORE_FIELDS =
            b -> b.field("added", LONG).field("x", INT).field("more", DOUBLE).field("next", REFERENCE).field("none", REFERENCE);

    final Heap open() {
        return Heap.open(disk.path("test.heap"), OPTIONS);
    }

    static Thing root(Heap heap) {
        return heap.root("thing", Thing.class);
    }

    /** Creates a heap with one object and sets its fields. */
    final Version write(Consumer<Builder<Thing>> fields, Object... namesAndValues) {
        Version version = Thing.define(fields);
        try (Heap heap = open()) {
            heap.atomic(() -> {
                Thing thing = version.create(heap);
                for (int i = 0; i < namesAndValues.length; i += 2) {
                    version.set(thing, (String) namesAndValues[i], namesAndValues[i + 1]);
                }
                heap.setRoot("thing", thing);
            });
        }
        return version;
    }

    final void assertReads(Version version, Object... namesAndValues) {
        try (Heap heap = open()) {
            for (int i = 0; i < namesAndValues.length; i += 2) {
                String name = (String) namesAndValues[i];
                assertEquals(namesAndValues[i + 1], version.get(root(heap), name), name);
            }
            assertEquals(List.of(), heap.check());
        }
    }

    final boolean converts(Runnable opening) {
        disk.record();
        opening.run();
        return disk.events().stream().anyMatch(event -> event.kind() == Disk.Event.Kind.PUBLISH);
    }

    final String refusal() {
        byte[] before = disk.contentOf("test.heap").clone();
        HeapException e = assertThrows(HeapException.class, this::open);
        // Excludes the superblocks and the limit of the pages, which contain the position of the log.
        int limit = before.length - 1024;
        assertArrayEquals(java.util.Arrays.copyOfRange(before, 8192, limit),
                java.util.Arrays.copyOfRange(disk.contentOf("test.heap"), 8192, limit));
        assertEquals(before.length, disk.contentOf("test.heap").length);
        assertTrue(e.getMessage().contains("test.heap"), e.getMessage());
        return e.getMessage();
    }
}
