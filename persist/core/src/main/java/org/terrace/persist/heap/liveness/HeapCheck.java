// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.HeapWalk;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.Space;

/** Checks a heap for inconsistencies between bitmap and headers, references and objects, directory and checksums. */
public final class HeapCheck {
    private static final int CHUNK_BYTES = 1 << 16;
    private static final int MAX_PROBLEMS = 100;

    private final Space space;
    private final Layout layout;
    private final Set<String> problems = new LinkedHashSet<>();

    private HeapCheck(Space space) {
        this.space = space;
        this.layout = space.layout();
    }

    /** Describes at most 100 problems, as sentences that name the offset in the file. The heap must not change meanwhile. */
    public static List<String> check(Space space, int threads) {
        HeapCheck check = new HeapCheck(space);
        check.run(threads);
        return new ArrayList<>(check.problems);
    }

    /** Offsets of the reachable objects of some classes, in ascending order. The heap must not change meanwhile. */
    public static LongStack reachable(Space space, int threads, Predicate<ClassDescriptor> wanted) {
        return reachable(space, threads, wanted, false);
    }

    /**
     * Like {@link #reachable(Space, int, Predicate)}.
     *
     * @param all whether the caller needs all of them
     * @throws CorruptHeapException if a reference leads to an invalid object and is not followed, so that the result would be
     *     incomplete
     */
    public static LongStack reachable(Space space, int threads, Predicate<ClassDescriptor> wanted, boolean all) {
        Map<Integer, ClassDescriptor> classes = Directory.classes(space);
        Marker marker = new Marker(space, classes, threads);
        marker.mark();
        if (all && !marker.unvalidated().isEmpty()) {
            throw new CorruptHeapException(space.file().path() + ": " + marker.unvalidated(marker.unvalidated().get(0)));
        }
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
        try {
            Directory.checkedPayload(space);
        } catch (CorruptHeapException e) {
            add(e);
            return;
        }
        attempt(() -> Directory.roots(space));
        attempt(() -> FreeSlots.check(space));
        checkBitmapBehindTheFile();
        try {
            Map<Integer, ClassDescriptor> classes = Directory.classes(space);
            Marker marker = new Marker(space, classes, threads, this::add, this::add);
            marker.mark();
            marker.unvalidated().forEach(field -> add(marker.unvalidated(field)));
            marker.lost().forEach(this::addDead);
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
        long inPage = Math.min(layout.dataOffset(), Layout.roundUp(Layout.bitmapWordOf(mapped) + 1, Layout.PAGE_BYTES));
        for (long block = mapped; block < layout.blocks() && Layout.bitmapWordOf(block) < inPage; block = (block | 63) + 1) {
            if (isInUse(block, space.getLong(Layout.bitmapWordOf(block)) >>> block)) {
                return;
            }
        }
        checkBitmapInFile(inPage);
    }

    /** Reads the file directly. A load from a hole in a mapping would allocate file space, which a full device does not have. */
    private void checkBitmapInFile(long from) {
        byte[] bytes = new byte[CHUNK_BYTES];
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (long at = from; at < layout.dataOffset(); at += bytes.length) {
            int length = (int) Math.min(bytes.length, layout.dataOffset() - at);
            space.file().read(at, bytes, 0, length);
            for (int i = 0; i < length; i += Long.BYTES) {
                if (isInUse((at + i - Layout.BITMAP_OFFSET) * Byte.SIZE, words.getLong(i))) {
                    return;
                }
            }
        }
    }

    /** @param word word of the bitmap, shifted to start with the block's bit */
    private boolean isInUse(long block, long word) {
        if (word == 0) {
            return false;
        }
        add("the bitmap at offset " + Layout.bitmapWordOf(block) + " says that a block is in use at offset "
                + layout.offsetOf(block + Long.numberOfTrailingZeros(word)) + ", behind the file's end");
        return true;
    }

    private void addDead(long field) {
        add("the reference at offset " + field + " leads to offset " + space.getLong(field) + ", where no valid object begins");
    }

    private void walk(Marker marker, Map<Integer, ClassDescriptor> classes) {
        ObjectCheck check = new ObjectCheck(space, classes);
        long[] found = new long[1];
        HeapWalk.walk(space, new HeapWalk.Visitor() {
            @Override
            public void extent(long offset, long header, long blocks) {
                found(offset, header, check.problem(offset, header, marker.isMarked(offset)));
            }

            @Override
            public void poolPage(long page, int slotBytes) {
                for (int i = 0; i < (Layout.PAGE_BYTES - Layout.HEADER_BYTES) / slotBytes; i++) {
                    long slot = HeapWalk.slotAt(page, slotBytes, i);
                    found(slot, space.getLong(slot), check.problemOfSlot(slot, slotBytes, marker.isMarked(slot)));
                }
            }

            private void found(long offset, long header, String problem) {
                if (problem != null) {
                    add(problem);
                } else if (!marker.isMarked(offset)) {
                    attempt(() -> marker.checkOwnsNothingMarked(offset, header));
                }
                found[0] += marker.isMarked(offset) ? 1 : 0;
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

    private void add(CorruptHeapException problem) {
        add(problem.getMessage());
    }

    private synchronized void add(String problem) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        }
    }
}
