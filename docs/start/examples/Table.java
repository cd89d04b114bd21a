// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.ArrayList;
import java.util.List;
import org.terrace.SecondHeap;

/** Keeps 5,000,000 rows, about 500 MB of objects, in groups that move to the second heap once they are complete. */
public class Table {
    static final int GROUPS = 50;
    static final int ROWS = 100_000;

    record Row(int id, String name, double price) {
    }

    public static void main(String[] args) {
        List<List<Row>> table = new ArrayList<>();
        for (int group = 0; group < GROUPS; group++) {
            List<Row> rows = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                int id = group * ROWS + i;
                rows.add(new Row(id, "row number " + id, id / 100.0));
            }
            SecondHeap.tagRoot(rows, group);        // this list, and all that it refers to
            SecondHeap.move(group);                 // is complete: the collector may move it
            table.add(rows);
        }
        double sum = table.stream().flatMap(List::stream).mapToDouble(Row::price).sum();
        System.out.printf("%d rows, sum of the prices %.2f%n", GROUPS * ROWS, sum);
        System.out.printf("moved to the second heap: %d MB%n", SecondHeap.statistics().getMovedBytes() >> 20);
    }
}
