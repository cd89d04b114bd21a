// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Cell;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;

/** Tests crashes during the creation of a heap. They leave no heap or a complete one, which can always be opened again. */
class CreationCrashTest {

    @Test
    void aHeapIsCreatedWhollyOrNotAtAll() {
        run(new Disk(), null);
    }

    @Test
    void soOnMemoryThatPersists() {
        run(Disk.ofLines(), null);
    }

    static void run(Disk disk, Site deleted) {
        Disk empty = disk.copy();
        if (deleted != null) {
            disk.delete(deleted);
            empty.delete(deleted);
        }
        disk.record();
        Heap.open(disk.path("new.heap"), CrashScenario.TINY).close();
        for (Disk.Event event : disk.events()) {
            empty.apply(event);
            new CrashStates(empty).forEach(100, new Random(7), crashed -> {
                if (deleted != null) {
                    crashed.delete(deleted);
                }
                try (Heap heap = Heap.open(crashed.path("new.heap"), CrashScenario.TINY)) {
                    heap.root("a", Cell.class, () -> new Cell(heap, 1, null));
                } catch (HeapException e) {
                    throw new AssertionError("after " + event, e);
                }
                if (deleted == Site.NAME_SYNC || deleted == null) {
                    checkNames(crashed);
                }
            });
        }
        disk.dispose();
        empty.dispose();
    }

    private static void checkNames(Disk disk) {
        if (!disk.isNameDurable("new.heap")) {
            throw new AssertionError("the heap was used, and its name can be lost");
        }
    }
}
