// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import java.util.List;
import java.util.Map;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;

/**
 * The objects that roots reach, found by a marking without damage, so that a collection can rely on them. A damaged reference hides
 * the object it led to. Therefore nothing is freed until all marked and all unmarked objects have been checked.
 *
 * <p>Without any damage, a reference of a program may lead to no object if the program freed the object. If the target is free
 * space, this is accepted, unless an unreached object begins at an offset that differs in one bit. If the space was reused for
 * something else, it is accepted only if there are no unreached objects at all.
 */
public final class Reachable {
    private static final int MAX_OFFSET_BITS = 48;

    private final Space space;
    private final Marker marker;

    private Reachable(Space space, Marker marker) {
        this.space = space;
        this.marker = marker;
    }

    /**
     * Marks. The heap must not change until the result has been used.
     *
     * @param lostAreFreed whether references without an object are references to freed objects, and references to invalid objects
     *     become null
     * @throws CorruptHeapException if something is damaged or may be
     */
    public static Reachable find(Space space, Map<Integer, ClassDescriptor> classes, int threads, boolean lostAreFreed) {
        try {
            Marker marker = new Marker(space, classes, threads);
            marker.mark();
            Reachable found = new Reachable(space, marker);
            boolean anyUnreached = found.checkUnreached(classes);
            if (!lostAreFreed) {
                found.checkValid();
                found.checkLost(anyUnreached);
            }
            return found;
        } catch (CorruptHeapException e) {
            throw new CorruptHeapException(e.getMessage() + ". Nothing was freed. The tools fsck, dump and export read the heap as"
                    + " it is, as does a program with HeapOptions.readOnly()");
        }
    }

    /** Whether there are valid objects that no root reaches. */
    private boolean checkUnreached(Map<Integer, ClassDescriptor> classes) {
        ObjectCheck check = new ObjectCheck(space, classes);
        boolean[] any = new boolean[1];
        HeapWalk.walk(space, new HeapWalk.Visitor() {
            @Override
            public void extent(long offset, long header, long blocks) {
                if (!marker.isMarked(offset)) {
                    unreached(offset, header, 0);
                }
            }

            @Override
            public void poolPage(long page, int slotBytes) {
                for (int i = 0; i < (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / slotBytes; i++) {
                    long slot = HeapWalk.slotAt(page, slotBytes, i);
                    if (!marker.isMarked(slot)) {
                        unreached(slot, space.getLong(slot), slotBytes);
                    }
                }
            }

            /** Checks an object. {@code slotBytes} is 0 for an extent. */
            private void unreached(long offset, long header, int slotBytes) {
                any[0] |= ObjectHeader.isValid(header);
                if (!isForwarded(header)) {
                    refuse(slotBytes == 0 ? check.problem(offset, header, false) : check.problemOfSlot(offset, slotBytes, false));
                    marker.checkOwnsNothingMarked(offset, header);
                }
            }
        });
        return any[0];
    }

    /** Whether a conversion has moved the object and updated all references to it. */
    private static boolean isForwarded(long header) {
        return ObjectHeader.classId(header) == Layout.CLASS_FORWARD && ObjectHeader.isIntact(header);
    }

    private void refuse(String problem) {
        if (problem != null) {
            throw new CorruptHeapException(space.file().path() + ": " + problem);
        }
    }

    /** Objects referenced by a valid object were made valid together with the reference. */
    private void checkValid() {
        for (long field : marker.unvalidated()) {
            refuse(marker.unvalidated(field));
        }
    }

    private void checkLost(boolean anyUnreached) {
        for (long field : marker.lost()) {
            long target = space.getLong(field);
            if (!isFree(target)) {
                refuse(anyUnreached ? lost(field, target) + ", but into something else, and there are objects that nothing"
                        + " reaches" : null);
            } else if (looksLikeExtent(target)) {
                refuse(lost(field, target) + ", but the bitmap calls its block free");
            } else if (anyUnreached) {
                long other = unreachedOneBitFrom(target);
                refuse(other == 0 ? null : lost(field, target) + ", and nothing reaches the object at offset " + other
                        + ", which is one bit away");
            }
        }
    }

    private String lost(long field, long target) {
        return "the reference at offset " + field + " leads to no object at offset " + target
                + " (if it is one to an object that the program freed, open with HeapOptions.clearingLostReferences())";
    }

    /** Whether the target is a free slot or a free block. */
    private boolean isFree(long target) {
        if (marker.isStart(target)) {
            return space.getLong(target) == 0;
        }
        long block = space.layout().blockOf(target);
        return target % Layout.BLOCK_BYTES == 0 && (space.getLong(Layout.bitmapWordOf(block)) & 1L << block) == 0;
    }

    /** Whether there is an intact header in a free block, although the commit that freed an object would have cleared it. */
    private boolean looksLikeExtent(long target) {
        long header = space.getLong(target);
        return !marker.isStart(target) && ObjectHeader.isIntact(header) && ObjectHeader.isValid(header)
                && !ObjectHeader.isSlot(header) && ObjectHeader.classId(header) >= Layout.FIRST_USER_CLASS
                && ObjectHeader.footprint(header) > 0 && ObjectHeader.footprint(header) <= space.size() - target;
    }

    /** An unreached object whose offset differs in one bit, or 0 if there is none. */
    private long unreachedOneBitFrom(long target) {
        for (int bit = 3; bit < MAX_OFFSET_BITS; bit++) {
            long other = target ^ 1L << bit;
            if (space.layout().isData(other, space.size() - Layout.HEADER_BYTES) && marker.isStart(other)
                    && ObjectHeader.isValid(space.getLong(other)) && !marker.isMarked(other)) {
                return other;
            }
        }
        return 0;
    }

    boolean isMarked(long offset) {
        return marker.isMarked(offset);
    }

    /** Fields whose references must become null. */
    Iterable<Long> dead() {
        return () -> java.util.stream.Stream.of(marker.unvalidated(), marker.lost()).flatMap(List::stream).iterator();
    }

    long deadReferences() {
        return (long) marker.unvalidated().size() + marker.lost().size();
    }

    long objects() {
        return marker.objects();
    }
}
