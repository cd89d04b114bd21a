// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.util.ArrayList;
import java.util.List;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.liveness.HeapCheck;

/** Checks that the metadata of collections, arrays and copies of values matches their contents. Needs no classes of elements. */
public final class CollectionCheck {

    private CollectionCheck() {
    }

    /**
     * Describes problems in sentences that name file and offset. The references of the heap must be intact, and the heap must not
     * change meanwhile.
     */
    public static List<String> check(Space space, int threads) {
        LongStack found = HeapCheck.reachable(space, threads, type -> CollectionReader.isCollection(type.name())
                || type.kind() == ClassDescriptor.Kind.BYTES);
        ObjectReader objects = new ObjectReader(space);
        CollectionReader collections = new CollectionReader(space, objects);
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            try {
                if (CollectionReader.isCollection(objects.className(found.get(i)))) {
                    collections.check(found.get(i));
                } else {
                    objects.checkContent(found.get(i));
                }
            } catch (CorruptHeapException e) {
                problems.add(e.getMessage());
            }
        }
        return problems;
    }
}
