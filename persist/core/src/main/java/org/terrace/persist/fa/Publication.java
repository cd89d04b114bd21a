// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.fa;

import java.lang.invoke.VarHandle;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import org.terrace.persist.FieldType;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Journal;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.liveness.ObjectStarts;
import org.terrace.persist.log.LogRecord;

/**
 * Persistence by reachability. Objects that were created outside of blocks become valid before a valid object refers to them,
 * together with all objects that they reach. Their contents were stored only to the pages. Therefore the contents are logged before
 * the record with the reference. A crash between these records leaves garbage. The search stops at valid objects, so its cost is
 * proportional to the objects that become valid.
 *
 * <p>Thread-safe. Publications exclude each other, because one may refer to objects that another has made valid.
 */
public final class Publication {
    private static final int RECORD_SHARE = 8;
    /** Maximum overhead of a piece and a header in a record. */
    private static final int OVERHEAD_BYTES = 48;

    private final Journal journal;
    private final Space space;
    private final Map<Integer, ClassDescriptor> classes;
    private final int recordBytes;
    private volatile boolean running;

    /**
     * @param classes classes of the heap by number. Others may be added later
     * @param logBytes capacity of the log's ring
     */
    public Publication(Journal journal, Map<Integer, ClassDescriptor> classes, long logBytes) {
        this.journal = journal;
        this.space = journal.space();
        this.classes = classes;
        this.recordBytes = (int) Math.min(1 << 20, logBytes / RECORD_SHARE);
    }

    /** Whether the offset contains an invalid object of the program, according to a load function. */
    private boolean isUnpublished(long offset, LongUnaryOperator load) {
        if (offset % Long.BYTES != 0 || !space.layout().isData(offset, space.size() - Layout.MIN_SLOT_BYTES)) {
            return false;
        }
        long header = load.applyAsLong(offset);
        return !ObjectHeader.isValid(header) && ObjectHeader.classId(header) >= Layout.FIRST_USER_CLASS
                && ObjectHeader.fits(header, space.size() - offset) && ObjectStarts.fitsRoom(space, offset, header);
    }

    /** Visits the invalid objects that an object refers to, as the thread's block sees it. */
    private void unpublishedReferences(long offset, LongUnaryOperator load, LongConsumer visitor) {
        long header = load.applyAsLong(offset);
        long payload = offset + Layout.HEADER_BYTES;
        long end = offset + ObjectHeader.footprint(header);
        ClassDescriptor descriptor = classes.get(ObjectHeader.classId(header));
        if (descriptor == null || descriptor.payloadBytes() > end - payload) {
            return;
        }
        if (descriptor.kind() == ClassDescriptor.Kind.REFERENCES) {
            long length = Math.min(load.applyAsLong(payload), (end - payload) / Long.BYTES - 1);
            for (long i = 1; i <= length; i++) {
                visit(load.applyAsLong(payload + i * Long.BYTES), load, visitor);
            }
        }
        for (ClassDescriptor.Field field : descriptor.fields()) {
            if (field.type() == FieldType.REFERENCE) {
                visit(load.applyAsLong(payload + field.offset()), load, visitor);
            }
        }
    }

    private void visit(long target, LongUnaryOperator load, LongConsumer visitor) {
        if (target != 0 && isUnpublished(target, load)) {
            visitor.accept(target);
        }
    }

    /** Waits for publications of other threads that have begun. Objects that this thread has found valid are then in the log. */
    public void await() {
        VarHandle.loadLoadFence();
        if (running) {
            synchronized (this) {
                return;
            }
        }
    }

    /**
     * Stores a word to an object outside of blocks if the object is not valid. No publication happens between the check and the
     * store, so the publication of the object sees the word.
     *
     * @return false if the object is valid. Nothing is stored then
     */
    public synchronized boolean storeIfUnpublished(long object, long place, long value) {
        if (ObjectHeader.isValid(space.getLong(object))) {
            return false;
        }
        space.putLong(place, value);
        return true;
    }

    /**
     * Makes an object valid in the pages, outside of blocks.
     *
     * @param found receives the invalid objects that it refers to. If there are any, the object is not changed
     */
    public synchronized void validate(long object, LongStack found) {
        unpublishedReferences(object, space::getLong, found::push);
        if (found.isEmpty()) {
            space.putLong(object, ObjectHeader.validated(space.getLong(object)));
        }
    }

    /**
     * Makes objects valid, and all objects that they reach.
     *
     * @param entries offsets of objects. Valid and freed objects are ignored
     * @param load loads words as the block sees them
     * @return the position up to which the log must be durable
     */
    synchronized long publish(LongStack entries, LongUnaryOperator load) {
        // Checked first, because the pieces of a publication cannot be undone.
        journal.checkRoom();
        LongStack found = find(entries, load);
        running = true;
        try {
            return write(found);
        } finally {
            running = false;
        }
    }

    private LongStack find(LongStack entries, LongUnaryOperator load) {
        LongStack found = new LongStack();
        Set<Long> met = new HashSet<>();
        LongConsumer meet = offset -> {
            if (met.add(offset)) {
                found.push(offset);
            }
        };
        for (int i = 0; i < entries.size(); i++) {
            visit(entries.get(i), load, meet);
        }
        for (int i = 0; i < found.size(); i++) {
            unpublishedReferences(found.get(i), load, meet);
            // The contents of the pages are published, even if the block has changed the object.
            unpublishedReferences(found.get(i), space::getLong, meet);
        }
        return found;
    }

    /** Writes the contents in pieces to respect the maximum length of a record. The header of an object follows its contents. */
    private long write(LongStack found) {
        long position = -1;
        LongStack pieces = new LongStack();
        long bytes = 0;
        try {
            for (int i = 0; i < found.size(); i++) {
                long payload = found.get(i) + Layout.HEADER_BYTES;
                long end = found.get(i) + ObjectHeader.footprint(space.getLong(found.get(i)));
                for (long from = payload; from < end; from += recordBytes) {
                    if (bytes > recordBytes) {
                        position = append(pieces);
                        bytes = 0;
                    }
                    long length = Math.min(recordBytes, end - from);
                    pieces.push(from);
                    pieces.push(length);
                    bytes += length + OVERHEAD_BYTES;
                }
                pieces.push(found.get(i));
                pieces.push(0);
            }
            return pieces.isEmpty() ? position : append(pieces);
        } catch (Throwable e) {
            if (position >= 0) {
                // Some valid objects now refer to invalid ones. A later publication would not search behind the valid ones.
                journal.fail("objects could be made valid in part only", e);
            }
            throw e;
        }
    }

    /** @param pieces pairs of offset and length of contents. A length of 0 is the header of an object that becomes valid */
    private long append(LongStack pieces) {
        LogRecord record = new LogRecord();
        long position = journal.commitSettled(record, () -> {
            for (int i = 0; i < pieces.size(); i += 2) {
                long offset = pieces.get(i);
                if (pieces.get(i + 1) == 0) {
                    record.writeLong(offset, ObjectHeader.validated(space.getLong(offset)));
                } else {
                    record.write(offset, space.base() + offset, (int) pieces.get(i + 1));
                }
            }
        }, () -> {
            for (int i = 0; i < pieces.size(); i += 2) {
                if (pieces.get(i + 1) == 0) {
                    space.putLong(pieces.get(i), ObjectHeader.validated(space.getLong(pieces.get(i))));
                }
            }
        });
        pieces.clear();
        return position;
    }
}
