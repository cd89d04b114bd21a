// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import java.io.PrintStream;
import java.nio.file.Path;
import org.terrace.persist.Cell;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.types.PersistentByteArray;

/**
 * The program that is killed. Each thread appends numbers to its list, and prints {@code thread number} after each commit. From
 * time to time it removes half of the list in one block. It ends if its output is not read. Arguments: file, level, threads.
 */
final class KillWorker {
    static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(64 << 20).logSize(128 << 10);
    private static final int HALVE_EVERY = 150;

    private KillWorker() {
    }

    public static void main(String[] args) {
        HeapOptions options = OPTIONS.durability(args[1].startsWith("SYNC") ? Durability.SYNC
                : args[1].equals("PROCESS") ? Durability.PROCESS : Durability.group(java.time.Duration.ofMillis(5)));
        Heap heap = Heap.open(Path.of(args[0]), options);
        PrintStream out = System.out;
        for (int t = 0; t < Integer.parseInt(args[2]); t++) {
            int thread = t;
            new Thread(() -> append(heap, thread, out)).start();
        }
    }

    private static void append(Heap heap, int thread, PrintStream out) {
        String root = "list " + thread;
        Cell last = heap.root(root, Cell.class);
        for (long i = last == null ? 1 : last.value() + 1;; i++) {
            long number = i;
            heap.atomic(() -> {
                Cell cell = new Cell(heap, (int) number, heap.root(root, Cell.class));
                cell.other(new PersistentByteArray(heap, new byte[(int) (number * 37 % 900)]));
                cell.small(1 + (cell.next() == null ? 0 : cell.next().small()));
                heap.setRoot(root, cell);
                if (number % HALVE_EVERY == 0) {
                    halve(heap, cell);
                }
            });
            synchronized (out) {
                out.println(thread + " " + number);
                if (out.checkError()) {
                    Runtime.getRuntime().halt(1);
                }
            }
        }
    }

    private static void halve(Heap heap, Cell list) {
        Cell kept = list;
        int length = list.small() / 2;
        for (Cell c = list; c != null; c = c.next()) {
            c.small(Math.max(0, length--));
            kept = length == 0 ? c : kept;
        }
        Cell gone = kept.next();
        kept.next(null);
        while (gone != null) {
            Cell next = gone.next();
            heap.free(gone.other());
            heap.free(gone);
            gone = next;
        }
    }
}
