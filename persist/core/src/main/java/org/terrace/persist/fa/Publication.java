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
import org.terrace.persist.heap.ObjectStarts;
import org.terrace.persist.heap.Space;
import org.terrace.persist.log.LogRecord;

/**
 * Persistence by reachability: makes objects valid that were made outside of blocks, before something that is valid refers to them,
 * and with them all that they reach. Their content was stored to the pages only, so it goes to the log too, in records before that
 * of the store. A crash between these records leaves garbage. The work grows with the objects that become valid: valid ones end it.
 *
 * <p>Thread-safe. Publications exclude each other, as one may refer to what another has made valid so far.
 */
public final class Publication {
    private static final int RECORD_SHARE = 8;
    /** At most, of a piece and a header in a record. */
    private static final int OVERHEAD_BYTES = 48;

    private final Journal journal;
    private final Space space;
    private final Map<Integer, ClassDescriptor> classes;
    private final int recordBytes;
    private volatile boolean running;

    /**
     * @param classes of the heap by number; others may be added
     * @param logBytes capacity of the log's ring
     */
    public Publication(Journal journal, Map<Integer, ClassDescriptor> classes, long logBytes) {
        this.journal = journal;
        this.space = journal.space();
        this.classes = classes;
        this.recordBytes = (int) Math.min(1 << 20, logBytes / RECORD_SHARE);
    }

    /** Whether an object of the program's is at this offset that is not valid, by what a function loads. */
    private boolean isUnpublished(long offset, LongUnaryOperator load) {
        if (offset % Long.BYTES != 0 || !space.layout().isData(offset, space.size() - Layout.MIN_SLOT_BYTES)) {
            return false;
        }
        long header = load.applyAsLong(offset);
        return !ObjectHeader.isValid(header) && ObjectHeader.classId(header) >= Layout.FIRST_USER_CLASS
                && ObjectHeader.fits(header, space.size() - offset) && ObjectStarts.fitsRoom(space, offset, header);
    }

    /** Objects that an object refers to and that are not valid, as the thread's block sees it. */
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

    /** Waits for the publications of others that have begun: what the thread has found valid is then in the log. */
    public void await() {
        VarHandle.loadLoadFence();
        if (running) {
            synchronized (this) {
                return;
            }
        }
    }

    /**
     * Stores a word to an object outside of blocks, if that is not valid. No publication comes between the look and the store: what
     * makes the object valid sees the word.
     *
     * @return false if the object is valid: nothing is stored
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
     * @param found gets objects that it refers to and that are not valid; then it stays as it is
     */
    public synchronized void validate(long object, LongStack found) {
        unpublishedReferences(object, space::getLong, found::push);
        if (found.isEmpty()) {
            space.putLong(object, ObjectHeader.validated(space.getLong(object)));
        }
    }

    /**
     * Makes objects valid, and what they reach.
     *
     * @param entries offsets of objects; those that are valid, or were freed, are left out
     * @param load loads words as the block sees them
     * @return the position up to which the log must be durable for that
     */
    synchronized long publish(LongStack entries, LongUnaryOperator load) {
        // Its pieces cannot be taken back.
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
            // The content of the pages is made valid, also where the block has changed it.
            unpublishedReferences(found.get(i), space::getLong, meet);
        }
        return found;
    }

    /** In pieces, so that a record is as long as the log allows. The header of an object comes behind its content. */
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
                // Objects that are valid refer to others that are not. A later publication would not look behind the valid ones.
                journal.fail("objects could be made valid in part only", e);
            }
            throw e;
        }
    }

    /** @param pieces offset and length of content; a length of 0 stands for the header of an object that is then valid */
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
