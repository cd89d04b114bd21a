// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.terrace.persist.heap.HeapCheck;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.Space;

/** Compares the sizes that collections store with what they hold. */
final class CollectionSizes {
    private static final String OWN = "org.terrace.persist.types.Persistent";

    private CollectionSizes() {
    }

    static List<String> check(Heap heap, Space space, int threads) {
        LongStack found = HeapCheck.reachable(space, threads, descriptor -> descriptor.name().startsWith(OWN));
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            PersistentObject object = heap.resurrect(found.get(i));
            Collection<?> elements = object instanceof Map<?, ?> map ? map.entrySet()
                    : object instanceof Collection<?> collection ? collection : List.of();
            String problem = problem(elements);
            if (problem != null) {
                problems.add(heap.path() + ": the " + object.getClass().getSimpleName() + " at offset " + found.get(i) + problem);
            }
        }
        return problems;
    }

    /** Null if there is none. One element too many is enough, as links may lead in a circle. */
    private static String problem(Collection<?> elements) {
        int size = elements.size();
        long count = 0;
        try {
            for (Iterator<?> i = elements.iterator(); count <= size && i.hasNext(); i.next()) {
                count++;
            }
        } catch (NullPointerException | IndexOutOfBoundsException e) {
            return " says that it has " + size + " elements, and lacks the room of element " + count;
        } catch (HeapException | ClassCastException e) {
            // Keys of a class that this program lacks can be neither made nor compared.
            return null;
        }
        return count == size ? null : " says that it has " + size + " elements, and has " + (count > size ? "more" : count);
    }
}
