// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Memory;

/** Changes the directory's list of class descriptors. */
public final class ClassEntries {
    private final Journal journal;
    private final Allocator allocator;
    private final Space space;
    private final LogRecord record = new LogRecord();
    /** Pairs of offset and footprint. */
    private final LongStack allocated = new LongStack();
    private final LongStack freed = new LongStack();

    public ClassEntries(Journal journal, Allocator allocator) {
        this.journal = journal;
        this.allocator = allocator;
        this.space = journal.space();
    }

    /**
     * Removes the descriptors with some numbers and adds others, in one commit.
     *
     * @return the position up to which the log must be durable
     * @throws org.terrace.persist.HeapFullException if there is no space. Nothing is changed
     */
    public long change(Set<Integer> removed, Map<Integer, ClassDescriptor> added) {
        try {
            long head = remove(removed);
            for (Map.Entry<Integer, ClassDescriptor> entry : new HashMap<>(added).entrySet()) {
                head = add(entry.getKey(), entry.getValue(), head);
            }
            record.writeLong(firstField(), head);
            long position = journal.commit(record);
            giveBack(freed);
            return position;
        } catch (RuntimeException e) {
            giveBack(allocated);
            throw e;
        }
    }

    private long firstField() {
        return Directory.payload(space.layout()) + Directory.FIRST_CLASS;
    }

    /** Removes entries and returns the first remaining one. */
    private long remove(Set<Integer> numbers) {
        long head = space.getLong(firstField());
        long fieldBefore = firstField();
        for (long at = head, next; at != 0; at = next) {
            long payload = at + Layout.HEADER_BYTES;
            next = space.getLong(payload + Directory.NEXT);
            if (!numbers.contains(Memory.getInt(space.base() + payload + Directory.CLASS_NUMBER))) {
                fieldBefore = payload + Directory.NEXT;
                continue;
            }
            if (fieldBefore == firstField()) {
                head = next;
            } else {
                record.writeLong(fieldBefore, next);
            }
            long footprint = ObjectHeader.footprint(space.getLong(at));
            record.writeLong(at, 0);
            if (!Allocator.isSlot(footprint)) {
                record.free(space.layout().blockOf(at), footprint / Layout.BLOCK_BYTES);
            }
            freed.push(Room.of(at));
            freed.push(footprint);
        }
        return head;
    }

    private long add(int number, ClassDescriptor descriptor, long next) {
        byte[] text = descriptor.encode().getBytes(StandardCharsets.UTF_8);
        long footprint = Allocator.footprint(Directory.CLASS_TEXT + text.length);
        long room = allocator.allocate(footprint);
        long offset = Room.offset(room);
        allocated.push(room);
        allocated.push(footprint);
        ByteBuffer object = ByteBuffer.allocate((int) footprint).order(ByteOrder.LITTLE_ENDIAN);
        object.putLong(ObjectHeader.of(Layout.CLASS_DESCRIPTOR, true, Room.generation(room), footprint));
        object.putLong(next).putInt(number).putInt(text.length).putInt(Directory.crc(text)).putInt(0).put(text);
        if (!Allocator.isSlot(footprint)) {
            record.allocate(space.layout().blockOf(offset), footprint / Layout.BLOCK_BYTES);
        }
        record.write(offset, object.array(), 0, object.capacity());
        return offset;
    }

    private void giveBack(LongStack list) {
        for (int i = 0; i < list.size(); i += 2) {
            allocator.giveBack(list.get(i), list.get(i + 1));
        }
    }
}
