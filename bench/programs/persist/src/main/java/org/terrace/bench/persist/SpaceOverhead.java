// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import org.terrace.persist.Durability;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.PersistentByteArray;
import org.terrace.persist.types.PersistentHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the space of records in the heap in addition to their ten fields of 100 bytes. The fields are inside of the
 * object, or objects of their own. All records are in one hash map, whose entries and keys are included. Blocks in use
 * are counted in the file's bitmap.
 */
@Command(name = "space", mixinStandardHelpOptions = true, description = "Measures how many bytes the heap uses per byte of data.")
final class SpaceOverhead implements Callable<Integer> {
    private static final int FIELDS = 10;
    private static final int FIELD_BYTES = 100;
    private static final int BATCH = 500;
    private static final int BLOCK_BYTES = 256;
    private static final int BITMAP_OFFSET = 8192;
    private static final int DATA_BYTES_AT = 40;

    @Option(names = "--dir", required = true, description = "an empty folder for the heaps")
    private Path folder;

    @Option(names = "--records", defaultValue = "100000")
    private int records;

    /** A record that contains its fields. */
    static final class Inline extends PersistentObject {
        static final PersistentClass<Inline> CLASS = PersistentClass.bytes(Inline.class, Inline::new);

        Inline(Heap heap, byte[] field) {
            super(CLASS, heap, FIELDS * FIELD_BYTES);
            for (int i = 0; i < FIELDS; i++) {
                putBytes((long) i * FIELD_BYTES, field, 0, FIELD_BYTES);
            }
        }

        private Inline(Heap heap, long offset) {
            super(heap, offset);
        }
    }

    /** A record that refers to its fields. */
    static final class Referring extends PersistentObject {
        static final PersistentClass<Referring> CLASS = define();

        private static PersistentClass<Referring> define() {
            PersistentClass.Builder<Referring> builder = PersistentClass.of(Referring.class, Referring::new);
            for (int i = 0; i < FIELDS; i++) {
                builder.field("field" + i, FieldType.REFERENCE);
            }
            return builder.build();
        }

        Referring(Heap heap, byte[] field) {
            super(CLASS, heap);
            for (int i = 0; i < FIELDS; i++) {
                setReference(CLASS.offset("field" + i), new PersistentByteArray(heap, field));
            }
        }

        private Referring(Heap heap, long offset) {
            super(heap, offset);
        }
    }

    @Override
    public Integer call() throws IOException {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("fields in the object", overhead("inline.heap", Inline::new));
        result.put("fields as objects", overhead("referring.heap", Referring::new));
        PersistPrograms.print(result);
        return 0;
    }

    /** Returns the overhead as a fraction of the fields' bytes. */
    private double overhead(String name, BiFunction<Heap, byte[], PersistentObject> maker) throws IOException {
        Path file = folder.resolve(name);
        byte[] field = new byte[FIELD_BYTES];
        try (Heap heap = Heap.open(file, HeapOptions.defaults().maxSize(4L << 30).durability(Durability.PROCESS))) {
            @SuppressWarnings("unchecked")
            PersistentHashMap<Long, PersistentObject> map = heap.root("map", PersistentHashMap.class,
                    () -> new PersistentHashMap<Long, PersistentObject>(heap));
            for (int from = 0; from < records; from += BATCH) {
                int first = from;
                heap.atomic(() -> {
                    for (long i = first; i < Math.min(records, first + BATCH); i++) {
                        map.put(i, maker.apply(heap, field));
                    }
                });
            }
        }
        return (double) blocksInUse(file) * BLOCK_BYTES / ((double) records * FIELDS * FIELD_BYTES) - 1;
    }

    static long blocksInUse(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            channel.read(word, DATA_BYTES_AT);
            ByteBuffer bitmap = ByteBuffer.allocate((int) (word.getLong(0) / BLOCK_BYTES / Byte.SIZE));
            channel.read(bitmap, BITMAP_OFFSET);
            long used = 0;
            for (int i = 0; i < bitmap.position(); i++) {
                used += Integer.bitCount(bitmap.get(i) & 0xff);
            }
            return used;
        }
    }
}
