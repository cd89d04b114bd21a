// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.Set;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;

/**
 * Calls {@code recover()} of objects after a crash (J-NVM, section 3.2). This happens after the replay and a collection, so only
 * live objects are called, in the order of their offsets. Nothing is synced. If a crash loses the changes, the next opening makes
 * the calls again.
 */
final class Recovery {

    private Recovery() {
    }

    static void run(Heap heap, Space space, Set<Integer> classes) {
        // The list is a snapshot, so objects that recover() creates are not called.
        HeapEvents.Recover event = HeapEvents.recover();
        LongStack objects = new LongStack();
        HeapWalk.objects(space, (offset, header) -> {
            if (isTold(header, classes)) {
                objects.push(offset);
                objects.push(header);
            }
        });
        long told = 0;
        for (int i = 0; i < objects.size(); i += 2) {
            long offset = objects.get(i);
            // Another object's recover() may have freed it.
            if (ObjectHeader.isSameObject(space.getLong(offset), objects.get(i + 1))) {
                recover(heap, offset);
                told++;
            }
        }
        if (event != null) {
            event.objects = told;
            event.end(heap.path());
        }
    }

    private static boolean isTold(long header, Set<Integer> classes) {
        return ObjectHeader.isValid(header) && classes.contains(ObjectHeader.classId(header));
    }

    private static void recover(Heap heap, long offset) {
        PersistentObject object = heap.objects().resurrect(offset);
        try {
            heap.blocks().atomicWithoutSync(object::recover);
        } catch (RuntimeException e) {
            throw new HeapException(heap.path() + ": recover() of " + object + " failed: " + e.getMessage(), e);
        }
    }
}
