// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import static org.terrace.persist.PersistentClass.of;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.terrace.persist.Durability;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.PersistentByteArray;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Copies blocks of 256 bytes between the heap and a buffer, in order and at random. A block is an object with 31 words
 * and its header, or a part of one large array with as many bytes. {@code blocks.c} does the same in C with a mapping.
 */
@Command(name = "blocks", mixinStandardHelpOptions = true, description = "Measures reads and writes of blocks of 256 bytes.")
final class Blocks implements Callable<Integer> {
    private static final int WORDS = 31;
    private static final int BYTES = WORDS * Long.BYTES;
    private static final int BLOCK_BYTES = 256;
    private static final int BATCH = 1000;

    @Option(names = "--dir", required = true, description = "folder for the heap")
    private Path folder;

    @Option(names = "--mebibytes", defaultValue = "256", description = "total size of the blocks in MiB (${DEFAULT-VALUE})")
    private int mebibytes;

    @Option(names = "--passes", defaultValue = "8",
            description = "passes over all blocks (${DEFAULT-VALUE}). The result is the fastest pass")
    private int passes;

    /** A block. */
    static final class Block extends PersistentObject {
        static final PersistentClass<Block> CLASS = define();

        private static PersistentClass<Block> define() {
            PersistentClass.Builder<Block> builder = PersistentClass.of(Block.class, Block::new);
            for (int i = 0; i < WORDS; i++) {
                builder.field("word" + i, FieldType.LONG);
            }
            return builder.build();
        }

        Block(Heap heap) {
            super(CLASS, heap);
        }

        private Block(Heap heap, long offset) {
            super(heap, offset);
        }

        void load(byte[] into) {
            getBytes(0, into, 0, BYTES);
        }

        void store(byte[] from) {
            putBytes(0, from, 0, BYTES);
        }
    }

    private interface Access {
        void to(int index, byte[] buffer);
    }

    @Override
    public Integer call() {
        int count = (int) (((long) mebibytes << 20) / BLOCK_BYTES);
        HeapOptions options = HeapOptions.defaults().maxSize(((long) mebibytes << 20) + (64L << 20))
                .durability(Durability.PROCESS);
        Map<String, Object> result = new LinkedHashMap<>();
        try (Heap heap = Heap.open(folder.resolve("blocks.heap"), options)) {
            Block[] blocks = new Block[count];
            for (int from = 0; from < count; from += BATCH) {
                int first = from;
                heap.atomic(() -> {
                    for (int i = first; i < Math.min(count, first + BATCH); i++) {
                        blocks[i] = new Block(heap);
                    }
                });
            }
            measure(result, "", count, (i, buffer) -> blocks[i].load(buffer), (i, buffer) -> blocks[i].store(buffer));
        }
        try (Heap heap = Heap.open(folder.resolve("array.heap"), options)) {
            PersistentByteArray array = heap.atomic(() -> new PersistentByteArray(heap, mebibytes << 20));
            measure(result, " of an array", count, (i, buffer) -> array.get(i * BLOCK_BYTES, buffer, 0, BYTES),
                    (i, buffer) -> array.set(i * BLOCK_BYTES, buffer, 0, BYTES));
        }
        PersistPrograms.print(result);
        return 0;
    }

    private void measure(Map<String, Object> result, String of, int count, Access load, Access store) {
        int[] inOrder = order(count, false);
        int[] atRandom = order(count, true);
        // The file is written before it is read, as in C.
        nanos(inOrder, store);
        result.put("sequential read" + of, nanos(inOrder, load));
        result.put("random read" + of, nanos(atRandom, load));
        result.put("sequential write" + of, nanos(inOrder, store));
        result.put("random write" + of, nanos(atRandom, store));
    }

    /** Returns the same permutation as the C program. */
    private static int[] order(int count, boolean random) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        long state = 1;
        for (int i = count - 1; random && i > 0; i--) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            int j = (int) ((state >>> 33) % (i + 1));
            int other = order[j];
            order[j] = order[i];
            order[i] = other;
        }
        return order;
    }

    /** Returns the nanoseconds per block in the fastest pass. */
    private double nanos(int[] order, Access access) {
        byte[] buffer = new byte[BYTES];
        double best = Double.MAX_VALUE;
        for (int pass = 0; pass < passes; pass++) {
            buffer[0] = (byte) pass;
            long started = System.nanoTime();
            for (int index : order) {
                access.to(index, buffer);
            }
            best = Math.min(best, (System.nanoTime() - started) / (double) order.length);
        }
        return best;
    }
}
