// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.util.ArrayList;
import java.util.List;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.HeapCheck;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.Space;

/**
 * Compares what collections, arrays and copies of values store of themselves with what they hold; without any class of elements.
 */
public final class CollectionCheck {

    private CollectionCheck() {
    }

    /** What is wrong, as sentences that name file and offset. Of a heap whose references lead to objects; nobody changes it. */
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
