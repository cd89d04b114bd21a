// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.heap.Allocator;
import org.terrace.persist.heap.ClassChange;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.ClassEntries;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.ReferenceFields;
import org.terrace.persist.heap.Room;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.Structure;
import org.terrace.persist.heap.liveness.Collector;
import org.terrace.persist.heap.liveness.FreeSlots;
import org.terrace.persist.heap.liveness.Reachable;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Memory;
import org.terrace.persist.medium.Site;

/**
 * Converts the objects of classes that have changed. It works on a copy of the closed heap. The copy takes the heap's name once it
 * is complete and on stable storage. A crash before that leaves the old heap, and a crash afterwards the new one. Nothing is
 * logged.
 *
 * <p>Objects stay in place if their space is large enough. Others are moved, and leave a forwarding address until all references
 * have been updated. Then nothing refers to the old place, and it is collected.
 */
public final class Conversion {
    private static final int RECORD_BYTES = 1 << 20;

    private final UnloggedJournal journal;
    private final Space space;
    private final Allocator allocator;
    private final Map<Integer, ClassChange> changes;
    private final Map<Integer, Integer> newNumbers = new HashMap<>();
    private final LogRecord record = new LogRecord();
    private long scratch;
    private long scratchBytes;
    private long converted;
    private long moved;

    private Conversion(Space space, Map<Integer, ClassChange> changes) {
        this.space = space;
        this.journal = new UnloggedJournal(space);
        this.allocator = new Allocator(journal);
        this.changes = changes;
    }

    /**
     * Converts a heap that was just closed with this superblock.
     *
     * @param path path of the heap file itself
     * @param changes changes by class number
     * @throws org.terrace.persist.HeapFullException if the heap or its device has no space. The heap is not changed
     */
    public static void run(Path path, Superblock closed, Map<Integer, ClassChange> changes, HeapOptions options) {
        // The lock on the old file excludes others until the new file has its name.
        try (MediumFile file = Medium.MEDIUM.open(path, Medium.Mode.WRITE)) {
            if (!Superblock.read(file).equals(closed)) {
                throw new HeapException(path + " was opened by another process while it was to be converted: open it again");
            }
            Path temporary = path.resolveSibling(path.getFileName() + ".new");
            Superblock.checkNoHeap(temporary, left -> !left.uuid().equals(closed.uuid()));
            try {
                convert(file, path, temporary, closed, changes, options);
            } catch (HeapFullException e) {
                HeapCopy.empty(temporary, e);
                throw new HeapFullException(path + " cannot be converted to the program's classes, and stays as it was: "
                        + e.getMessage());
            } catch (Throwable e) {
                HeapCopy.empty(temporary, e);
                throw e;
            }
        }
    }

    private static void convert(MediumFile file, Path path, Path temporary, Superblock closed, Map<Integer, ClassChange> changes,
            HeapOptions options) {
        HeapEvents.Conversion event = HeapEvents.conversion();
        Layout layout = new Layout(closed.dataBytes());
        try (MediumFile copy = Medium.MEDIUM.open(temporary, Medium.Mode.CREATE)) {
            Medium.MEDIUM.copyAccess(file, copy);
            HeapCopy.copyFile(file, copy, layout);
            try (Space space = new Space(copy, layout)) {
                Conversion conversion = new Conversion(space, changes);
                conversion.convert(options, closed.logBytes());
                HeapCopy.writeClosed(copy, closed, space.size(), closed.logPosition(), closed.recovering());
                copy.sync(Site.CONVERT_SYNC);
                Medium.MEDIUM.publish(temporary, path);
                if (event != null) {
                    event.classes = changes.values().stream().map(change -> change.after().name()).sorted()
                            .collect(Collectors.joining(", "));
                    event.objects = conversion.converted;
                    event.moved = conversion.moved;
                    event.size = copy.size();
                    event.end(path);
                }
            }
        }
    }

    private void convert(HeapOptions options, long logBytes) {
        FreeSlots.load(journal, allocator);
        Map<Integer, ClassDescriptor> classes = Directory.classes(space);
        // References in garbage may lead anywhere, and garbage need not be converted.
        collect(classes, options, logBytes);
        nameClasses(classes);
        try {
            HeapWalk.objects(space, this::convertObject);
            commit();
        } finally {
            Memory.free(scratch);
        }
        if (moved > 0) {
            ReferenceFields fields = new ReferenceFields(space, Directory.classes(space));
            HeapWalk.objects(space, (offset, header) -> redirect(fields, offset, header));
            commit();
        }
        // Moved objects have left forwarding addresses, and dropped fields may have left garbage.
        collect(Directory.classes(space), options, logBytes);
        FreeSlots.save(journal, allocator, logBytes);
        journal.writePages();
    }

    private void collect(Map<Integer, ClassDescriptor> classes, HeapOptions options, long logBytes) {
        new Collector(journal, allocator, logBytes)
                .collect(Reachable.find(space, classes, options.threads(), options.isClearingLostReferences()));
    }

    /** Converted objects get another class number, so that none is converted twice. */
    private void nameClasses(Map<Integer, ClassDescriptor> classes) {
        Map<Integer, ClassDescriptor> added = new HashMap<>();
        changes.forEach((number, change) -> {
            int newNumber = number;
            if (!change.keepsObjects()) {
                newNumber = Layout.FIRST_USER_CLASS;
                while (classes.containsKey(newNumber) || added.containsKey(newNumber)) {
                    newNumber++;
                }
                if (newNumber > Layout.MAX_CLASS) {
                    throw new HeapException(space.file().path() + " has too many classes to convert one");
                }
                newNumbers.put(number, newNumber);
            }
            added.put(newNumber, change.after());
        });
        new ClassEntries(journal, allocator).change(changes.keySet(), added);
    }

    private void convertObject(long offset, long header) {
        Integer number = newNumbers.get(ObjectHeader.classId(header));
        if (number == null) {
            return;
        }
        ClassChange change = changes.get(ObjectHeader.classId(header));
        long room = ObjectHeader.footprint(header);
        long needed = Allocator.footprint(change.after().payloadBytes());
        converted++;
        boolean moves = needed > room;
        long footprint = moves ? needed : room;
        long payload = zeroScratch(footprint) + Layout.HEADER_BYTES;
        Memory.putLong(scratch, ObjectHeader.of(number, true, 0, footprint));
        change.convert(space.base() + offset + Layout.HEADER_BYTES, payload);
        if (moves) {
            move(offset, room, footprint, payload + change.identityOffset());
        } else {
            record.write(offset, scratch, (int) footprint);
        }
        commitIfLarge();
    }

    private void move(long offset, long room, long footprint, long identity) {
        moved++;
        if (Memory.getLong(identity) == 0) {
            Memory.putLong(identity, offset);
        }
        long target = Room.offset(allocator.allocate(footprint));
        if (!Allocator.isSlot(footprint)) {
            record.allocate(space.layout().blockOf(target), footprint / Layout.BLOCK_BYTES);
        }
        record.write(target, scratch, (int) footprint);
        record.writeLong(offset, ObjectHeader.of(Layout.CLASS_FORWARD, true, 0, room));
        record.writeLong(offset + Layout.HEADER_BYTES, target);
    }

    private long zeroScratch(long bytes) {
        if (bytes > scratchBytes) {
            Memory.free(scratch);
            scratch = 0;
            scratch = Memory.allocate(bytes);
            scratchBytes = bytes;
        }
        Memory.zero(scratch, bytes);
        return scratch;
    }

    private void redirect(ReferenceFields fields, long object, long header) {
        if (ObjectHeader.classId(header) == Layout.CLASS_FORWARD) {
            return;
        }
        fields.visit(object, Structure.Elements.ANY, null, (field, ofAnyClass, none) -> {
            long target = space.getLong(field);
            if (target != 0 && ObjectHeader.classId(space.getLong(target)) == Layout.CLASS_FORWARD) {
                record.writeLong(field, space.getLong(target + Layout.HEADER_BYTES));
                commitIfLarge();
            }
        });
    }

    private void commitIfLarge() {
        if (record.length() > RECORD_BYTES) {
            commit();
        }
    }

    private void commit() {
        journal.commit(record);
        record.clear();
    }
}
