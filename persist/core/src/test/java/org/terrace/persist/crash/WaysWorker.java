// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.crash.Ways.Way;

/**
 * The program that halts. It stores a reference in each of several ways. Each has a separate heap, so that no later block makes an
 * earlier one durable. It prints the contents of each heap after their acknowledgement, and halts with all heaps open. Arguments:
 * directory, number of ways, seed, the first and the last way.
 */
final class WaysWorker {
    static final int STATUS = 9;
    static final String ACKNOWLEDGED = "acknowledged ";

    private WaysWorker() {
    }

    static Heap open(Path directory, int number) {
        HeapOptions options = Internals.withoutBackground(HeapOptions.defaults().maxSize(1 << 20).logSize(64 << 10).threads(1));
        return Heap.open(directory.resolve(number + ".heap"), options.durability(number % 2 == 0 ? Durability.SYNC : Durability.PROCESS));
    }

    public static void main(String[] args) {
        List<Way> ways = Way.chosen(Integer.parseInt(args[1]), Long.parseLong(args[2]));
        List<Heap> open = new ArrayList<>();
        for (int i = Integer.parseInt(args[3]); i < Integer.parseInt(args[4]); i++) {
            Heap heap = open(Path.of(args[0]), i);
            open.add(heap);
            Way way = ways.get(i);
            way.prepare(heap, "w");
            way.make(heap, "w");
            if (i % 3 == 0 || way.needsFence()) {
                heap.psync();
            }
            if (i % 3 != 0) {
                way.change(heap, "w", 1);
                way.change(heap, "w", 2);
            }
            System.out.println(ACKNOWLEDGED + i + " " + way.show(heap, "w"));
        }
        System.out.flush();
        Runtime.getRuntime().halt(open.isEmpty() ? 1 : STATUS);
    }
}
