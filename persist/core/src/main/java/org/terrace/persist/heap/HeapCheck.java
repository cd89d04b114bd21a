// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.terrace.persist.CorruptHeapException;

/** Looks for contradictions: between bitmap and headers, references and objects, directory and checksums. */
public final class HeapCheck {
    private static final int MAX_PROBLEMS = 100;

    private final Space space;
    private final Layout layout;
    private final boolean crashed;
    private final Set<String> problems = new LinkedHashSet<>();

    private HeapCheck(Space space, boolean crashed) {
        this.space = space;
        this.layout = space.layout();
        this.crashed = crashed;
    }

    /**
     * Problems, as sentences that name the offset in the file; at most 100. Nothing else may change the heap meanwhile.
     *
     * @param crashed references to objects that were never validated are no problem: a recovery is still to clear them
     */
    public static List<String> check(Space space, int threads, boolean crashed) {
        HeapCheck check = new HeapCheck(space, crashed);
        check.run(threads);
        return new ArrayList<>(check.problems);
    }

    /** Offsets of what the roots reach, of some classes, in their order. Nothing else may change the heap meanwhile. */
    public static LongStack reachable(Space space, int threads, Predicate<ClassDescriptor> wanted) {
        Map<Integer, ClassDescriptor> classes = Directory.classes(space);
        Marker marker = new Marker(space, classes, threads);
        marker.mark();
        LongStack found = new LongStack();
        HeapWalk.objects(space, (offset, header) -> {
            ClassDescriptor descriptor = classes.get(ObjectHeader.classId(header));
            if (descriptor != null && marker.isMarked(offset) && wanted.test(descriptor)) {
                found.push(offset);
            }
        });
        return found;
    }

    private void run(int threads) {
        long header = space.getLong(layout.dataOffset());
        if (!ObjectHeader.isIntact(header) || ObjectHeader.classId(header) != Layout.CLASS_DIRECTORY
                || !ObjectHeader.isValid(header)) {
            add("offset " + layout.dataOffset() + " has no directory: its header is " + Long.toHexString(header)
                    + ", so neither roots nor classes are known");
            return;
        }
        attempt(() -> Directory.roots(space));
        attempt(() -> FreeSlots.check(space));
        checkBitmapBehindTheFile();
        try {
            Map<Integer, ClassDescriptor> classes = Directory.classes(space);
            int before = problems.size();
            classes.forEach(this::checkClass);
            if (problems.size() > before) {
                return;
            }
            Marker marker = new Marker(space, classes, threads, this::add, this::add);
            marker.mark();
            marker.deadReferences().forEach(field -> checkDead(field, marker));
            walk(marker, classes);
        } catch (CorruptHeapException e) {
            add(e);
        }
    }

    private void attempt(Runnable part) {
        try {
            part.run();
        } catch (CorruptHeapException e) {
            add(e);
        }
    }

    private void checkBitmapBehindTheFile() {
        long mapped = Math.min(layout.blocks(), layout.blockOf(space.size()));
        for (long block = mapped; block < layout.blocks(); block = (block | 63) + 1) {
            long word = space.getLong(Layout.bitmapWordOf(block)) >>> block;
            if (word != 0) {
                add("the bitmap at offset " + Layout.bitmapWordOf(block) + " says that a block is in use at offset "
                        + layout.offsetOf(block + Long.numberOfTrailingZeros(word)) + ", behind the file's end");
                return;
            }
        }
    }

    private void checkClass(int number, ClassDescriptor descriptor) {
        if (number < Layout.FIRST_USER_CLASS || number > Layout.MAX_CLASS) {
            add("class " + descriptor.name() + " has number " + number + ", which is no class's");
        }
        long used = 0;
        for (ClassDescriptor.Field field : descriptor.fields()) {
            if (field.offset() < 0 || field.end() > descriptor.payloadBytes() || field.offset() % field.type().bytes() != 0) {
                add("class " + descriptor.name() + ", number " + number + ", has field " + field.name() + " at " + field.offset()
                        + " of " + descriptor.payloadBytes() + " bytes, where it cannot be");
            }
            used += field.type().bytes();
        }
        if (used > descriptor.payloadBytes()) {
            add("class " + descriptor.name() + ", number " + number + ", has fields that overlap");
        }
    }

    private void checkDead(long field, Marker marker) {
        long target = space.getLong(field);
        boolean unvalidated = marker.isStart(target) && space.getLong(target) != 0;
        if (!(crashed && unvalidated)) {
            add("the reference at offset " + field + " leads to offset " + target + ", where no valid object begins");
        }
    }

    private void walk(Marker marker, Map<Integer, ClassDescriptor> classes) {
        long[] found = new long[1];
        HeapWalk.walk(space, new HeapWalk.Visitor() {
            @Override
            public void extent(long offset, long header, long blocks) {
                checkObject(offset, header, classes);
                found[0] += marker.isMarked(offset) ? 1 : 0;
            }

            @Override
            public void poolPage(long page, int slotBytes) {
                for (int i = 0; i < (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / slotBytes; i++) {
                    long slot = Collector.slotAt(page, slotBytes, i);
                    long header = space.getLong(slot);
                    if (header != 0 && (!ObjectHeader.isIntact(header) || ObjectHeader.footprint(header) != slotBytes)) {
                        add("the slot at offset " + slot + " has a damaged header " + Long.toHexString(header));
                    } else if (header != 0) {
                        checkObject(slot, header, classes);
                    }
                    found[0] += marker.isMarked(slot) ? 1 : 0;
                }
            }

            @Override
            public void damaged(CorruptHeapException problem) {
                add(problem);
            }
        });
        if (found[0] != marker.objects()) {
            add((marker.objects() - found[0]) + " objects that roots reach are where the bitmap has no object");
        }
    }

    private void checkObject(long offset, long header, Map<Integer, ClassDescriptor> classes) {
        int number = ObjectHeader.classId(header);
        ClassDescriptor descriptor = classes.get(number);
        boolean ofTheHeap = number == Layout.CLASS_DESCRIPTOR || number == Layout.CLASS_ROOT || number == Layout.CLASS_FREE_SLOTS
                || number == Layout.CLASS_DIRECTORY && offset == layout.dataOffset();
        if (descriptor == null && !ofTheHeap) {
            add("the object at offset " + offset + " has class number " + number + ", which no descriptor has");
        } else if (descriptor != null && ObjectHeader.footprint(header) < Layout.HEADER_BYTES + descriptor.payloadBytes()) {
            add("the object at offset " + offset + " has " + ObjectHeader.footprint(header) + " bytes, too few for its class "
                    + descriptor.name());
        }
    }

    private void add(CorruptHeapException problem) {
        add(problem.getMessage());
    }

    private synchronized void add(String problem) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        }
    }
}
