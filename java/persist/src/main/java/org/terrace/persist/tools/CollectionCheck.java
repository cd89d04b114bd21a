package org.terrace.persist.tools;

import java.util.ArrayList;
import java.util.List;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.heap.HeapCheck;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.Space;

/** Compares what collections store of themselves with what they hold; without any class of elements. */
public final class CollectionCheck {

    private CollectionCheck() {
    }

    /** What is wrong, as sentences that name file and offset. Of a heap whose references lead to objects; nobody changes it. */
    public static List<String> check(Space space, int threads) {
        LongStack found = HeapCheck.reachable(space, threads, type -> CollectionReader.isCollection(type.name()));
        CollectionReader reader = new CollectionReader(space, new ObjectReader(space));
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            try {
                reader.check(found.get(i));
            } catch (CorruptHeapException e) {
                problems.add(e.getMessage());
            }
        }
        return problems;
    }
}
