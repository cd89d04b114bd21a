// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.terrace.persist.FieldType;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.medium.Memory;

/** The meaning of each byte in a heap's two files. For a heap that was not closed, this is the state after the replay. */
final class DamageMap {
    enum Part {
        SUPERBLOCK, BITMAP, DIRECTORY, FREE_SLOTS, CLASS, ROOT, POOL_PAGE, HEADER, LENGTH, STRUCTURE, REFERENCE, VALUE, UNUSED,
        LOG_HEADER, LOG_RECORD, LOG_REST
    }

    private static final String TYPES = "org.terrace.persist.types.";
    private static final Part[] PARTS = Part.values();

    final byte[] heap;
    final byte[] log;
    /** Offsets in the log file of the records that a replay reads, in order. */
    final List<Integer> records = new ArrayList<>();
    /** Offsets of references and of objects, including the heap's own objects. */
    final List<Integer> references = new ArrayList<>();
    final List<Integer> objects = new ArrayList<>();
    /** Word offsets in the heap file by kind. */
    final Map<Part, List<Integer>> words = new EnumMap<>(Part.class);
    private final Map<Integer, ClassDescriptor> classes;

    DamageMap(Path file, HeapBytes bytes) {
        heap = filled(bytes.heap.capacity(), Part.UNUSED);
        log = filled(bytes.log.capacity(), Part.LOG_REST);
        try (HeapImage image = HeapImage.openIntact(file)) {
            Space space = image.space();
            classes = Directory.classes(space);
            mark(0, 512, Part.SUPERBLOCK);
            mark(Layout.PAGE_BYTES, 512, Part.SUPERBLOCK);
            mark((int) Layout.BITMAP_OFFSET, (bytes.heap.capacity() - HeapBytes.DATA) / Layout.BLOCK_BYTES / 8, Part.BITMAP);
            HeapWalk.objects(space, (offset, header) -> object(space, (int) offset, header));
            if (!image.superblock().clean()) {
                records(bytes, image.replayedTo());
            }
        }
        Arrays.fill(log, 0, 44, (byte) Part.LOG_HEADER.ordinal());
        for (int at = 0; at < heap.length; at += Long.BYTES) {
            words.computeIfAbsent(PARTS[heap[at]], p -> new ArrayList<>()).add(at);
        }
    }

    private static byte[] filled(int length, Part part) {
        byte[] parts = new byte[length];
        Arrays.fill(parts, (byte) part.ordinal());
        return parts;
    }

    static Part part(byte[] parts, int at) {
        return at < parts.length ? PARTS[parts[at]] : Part.UNUSED;
    }

    private void mark(int from, int length, Part part) {
        Arrays.fill(heap, Math.min(heap.length, from), Math.min(heap.length, from + length), (byte) part.ordinal());
    }

    private void records(HeapBytes bytes, long end) {
        for (long position = bytes.logPosition(); position < end;) {
            int at = (int) (HeapBytes.RING + position % (bytes.log.capacity() - HeapBytes.RING));
            int length = bytes.log.getInt(at + 4);
            records.add(at);
            Arrays.fill(log, at, Math.min(log.length, at + length), (byte) Part.LOG_RECORD.ordinal());
            position += length;
        }
    }

    private void object(Space space, int offset, long header) {
        objects.add(offset);
        int payload = offset + Layout.HEADER_BYTES;
        int room = (int) ObjectHeader.footprint(header) - Layout.HEADER_BYTES;
        mark(offset, Layout.HEADER_BYTES, Part.HEADER);
        if (ObjectHeader.isSlot(header)) {
            mark(offset & -Layout.PAGE_BYTES, Layout.HEADER_BYTES, Part.POOL_PAGE);
        }
        ClassDescriptor descriptor = classes.get(ObjectHeader.classId(header));
        if (descriptor == null) {
            mark(payload, room, switch (ObjectHeader.classId(header)) {
                case Layout.CLASS_DIRECTORY -> Part.DIRECTORY;
                case Layout.CLASS_DESCRIPTOR -> Part.CLASS;
                case Layout.CLASS_ROOT -> Part.ROOT;
                default -> Part.FREE_SLOTS;
            });
            return;
        }
        switch (descriptor.kind()) {
            case OBJECT -> descriptor.fields().forEach(field -> {
                boolean reference = field.type() == FieldType.REFERENCE;
                boolean own = descriptor.name().startsWith(TYPES) && !field.name().equals("key") && !field.name().equals("value");
                Part part = reference ? Part.REFERENCE : own ? Part.STRUCTURE : Part.VALUE;
                mark(payload + field.offset(), field.type().bytes(), part);
                if (reference) {
                    references.add(payload + field.offset());
                }
            });
            case REFERENCES -> {
                mark(payload, Long.BYTES, Part.LENGTH);
                int length = (int) space.getLong(payload);
                mark(payload + Long.BYTES, Long.BYTES * length, Part.REFERENCE);
                for (int i = 1; i <= length; i++) {
                    references.add(payload + i * Long.BYTES);
                }
            }
            case BYTES -> {
                mark(payload, Integer.BYTES, Part.LENGTH);
                int length = Memory.getInt(space.base() + payload);
                String name = descriptor.name();
                int start = name.endsWith("ByteArray") ? 4 : name.endsWith("Array") ? 8 : 5;
                int wide = name.endsWith("IntArray") ? 4 : name.endsWith("Array") && start == 8 ? 8
                        : name.endsWith("String") && Memory.getByte(space.base() + payload + 4) != 0 ? 2 : 1;
                mark(payload + start - (start == 5 ? 1 : 0), length * wide + (start == 5 ? 1 : 0), Part.VALUE);
            }
        }
    }

    static ByteBuffer wrap(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
