// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.Test;

/** Tests which partitions are prefetched and dismissed. The number of a partition serves as its root. */
class ReadAheadTest {

    private final List<Object> prefetched = new ArrayList<>();
    private final List<Object> dismissed = new ArrayList<>();
    private final ReadAhead readAhead = new ReadAhead(prefetched::add, dismissed::add, 2);

    private void add(int rdd, int... splits) {
        for (int split : splits) {
            readAhead.add(new RDDBlockId(rdd, split), split);
        }
    }

    private List<Object> reading(int rdd, int split) {
        prefetched.clear();
        readAhead.reading(new RDDBlockId(rdd, split));
        return List.copyOf(prefetched);
    }

    @Test
    void asManyPartitionsOnAsTasksRun() {
        add(1, 4, 0, 3, 1, 2);
        assertEquals(List.of(0, 2), reading(1, 0));
        assertEquals(List.of(1, 3), reading(1, 1));
    }

    @Test
    void afterTheLastComesTheFirst() {
        add(1, 0, 1, 2, 3, 4);
        assertEquals(List.of(3, 0), reading(1, 3));
        assertEquals(List.of(4, 1), reading(1, 4));
    }

    @Test
    void partitionsOfOtherExecutorsAndOtherRddsAreSkipped() {
        add(1, 0, 10, 20, 30);
        add(2, 5, 6, 7, 8);
        assertEquals(List.of(0, 20), reading(1, 0));
        readAhead.remove(new RDDBlockId(1, 20));
        assertEquals(List.of(0, 30), reading(1, 0));
    }

    @Test
    void nothingIsAheadWhereEveryPartitionHasItsTask() {
        add(1, 0, 1);
        assertEquals(List.of(0), reading(1, 0));
        readAhead.remove(new RDDBlockId(1, 0));
        readAhead.remove(new RDDBlockId(1, 0));
        assertEquals(List.of(1), reading(1, 1));
    }

    @Test
    void whatTasksAreDoneWithIsDismissed() {
        add(1, 0, 1, 2, 3, 4, 5, 6);
        for (int split : new int[] {0, 1, 0, 2, 3}) {
            reading(1, split);
        }
        assertEquals(List.of(), dismissed, "two tasks read up to two each");
        reading(1, 4);
        assertEquals(List.of(1), dismissed, "the first was begun again");
        readAhead.remove(new RDDBlockId(1, 0));
        reading(1, 5);
        assertEquals(List.of(1), dismissed);
        reading(1, 6);
        assertEquals(List.of(1, 2), dismissed);
    }
}
