package org.terrace.persist.heap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;

/**
 * Marks what the roots reach, with explicit stacks and several threads (J-NVM, section 4.1.3). No proxy is made: references
 * are found by class descriptors, so classes that are missing do not matter. Nothing else may change the heap meanwhile.
 */
final class Marker {
    private static final int GRANULE_SHIFT = 4;
    private static final int SEGMENT_SHIFT = 16;
    private static final int SHARE_AT = 1024;

    private final Space space;
    private final Map<Integer, ClassDescriptor> classes;
    private final int[][] referenceOffsets = new int[Layout.MAX_CLASS + 1][];
    private final AtomicReferenceArray<AtomicLongArray> marks;
    private final ArrayDeque<LongStack> shared = new ArrayDeque<>();
    private final List<Long> deadReferences = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong objects = new AtomicLong();
    private final int threads;
    private int idle;
    private RuntimeException failure;

    Marker(Space space, Map<Integer, ClassDescriptor> classes, int threads) {
        this.space = space;
        this.classes = classes;
        this.threads = threads;
        this.marks = new AtomicReferenceArray<>((int) (space.size() >>> GRANULE_SHIFT + SEGMENT_SHIFT) + 1);
        classes.forEach((number, descriptor) -> referenceOffsets[number] = descriptor.referenceOffsets());
        referenceOffsets[Layout.CLASS_DIRECTORY] = ClassDescriptor.DIRECTORY.referenceOffsets();
        referenceOffsets[Layout.CLASS_DESCRIPTOR] = ClassDescriptor.DESCRIPTOR.referenceOffsets();
        referenceOffsets[Layout.CLASS_FREE_SLOTS] = ClassDescriptor.FREE_SLOTS.referenceOffsets();
        referenceOffsets[Layout.CLASS_ROOT] = ClassDescriptor.ROOT.referenceOffsets();
    }

    void mark() {
        LongStack first = new LongStack();
        long directory = space.layout().dataOffset();
        checkHeader(directory, 0);
        setMark(directory);
        first.push(directory);
        shared.add(first);
        List<Thread> helpers = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            Thread helper = new Thread(this::work, "terrace-persist-mark-" + i);
            helper.setDaemon(true);
            helper.start();
            helpers.add(helper);
        }
        work();
        for (Thread helper : helpers) {
            joinUninterruptibly(helper);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void joinUninterruptibly(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        LongStack stack = new LongStack();
        long marked = 0;
        try {
            while (takeShared(stack)) {
                while (!stack.isEmpty()) {
                    scan(stack.pop(), stack);
                    marked++;
                    if (stack.size() > SHARE_AT && threads > 1) {
                        share(stack);
                    }
                }
            }
        } catch (Throwable e) {
            synchronized (shared) {
                failure = e instanceof RuntimeException known ? known : new HeapException("marking failed: " + e, e);
                shared.notifyAll();
            }
        }
        objects.addAndGet(marked);
    }

    private void share(LongStack stack) {
        synchronized (shared) {
            if (idle > 0 && shared.size() < threads) {
                LongStack half = new LongStack();
                stack.moveTo(half, stack.size() / 2);
                shared.add(half);
                shared.notify();
            }
        }
    }

    /** False when every thread has run out of work, or one has failed. */
    private boolean takeShared(LongStack stack) {
        synchronized (shared) {
            idle++;
            while (shared.isEmpty() && idle < threads && failure == null) {
                try {
                    shared.wait();
                } catch (InterruptedException e) {
                    failure = new HeapException("interrupted while the heap " + space.file().path()
                            + " was recovered: open it again");
                }
            }
            if (shared.isEmpty() || failure != null) {
                shared.notifyAll();
                return false;
            }
            idle--;
            LongStack taken = shared.poll();
            taken.moveTo(stack, taken.size());
            return true;
        }
    }

    private void scan(long offset, LongStack stack) {
        long header = space.getLong(offset);
        int classId = ObjectHeader.classId(header);
        long payload = offset + Layout.HEADER_BYTES;
        ClassDescriptor descriptor = classes.get(classId);
        if (descriptor != null && descriptor.kind() == ClassDescriptor.Kind.REFERENCES) {
            long length = space.getLong(payload);
            if (length < 0 || length > (ObjectHeader.footprint(header) - 2 * Long.BYTES) / Long.BYTES) {
                throw new CorruptHeapException(space.file().path() + ": the array at offset " + offset + " has length " + length);
            }
            for (long i = 1; i <= length; i++) {
                follow(payload + i * Long.BYTES, stack);
            }
        } else if (referenceOffsets[classId] != null) {
            for (int reference : referenceOffsets[classId]) {
                follow(payload + reference, stack);
            }
        } else {
            throw new CorruptHeapException(space.file().path() + ": the object at offset " + offset + " has class number "
                    + classId + ", which no descriptor has");
        }
    }

    private void follow(long field, LongStack stack) {
        long target = space.getLong(field);
        if (target == 0) {
            return;
        }
        long header = checkHeader(target, field);
        if (!ObjectHeader.isValid(header)) {
            deadReferences.add(field);
        } else if (setMark(target)) {
            stack.push(target);
        }
    }

    /** The header of a referenced object; a free one counts as invalid. */
    private long checkHeader(long target, long field) {
        if (target % Long.BYTES != 0 || !space.layout().isData(target, space.size() - Layout.HEADER_BYTES)) {
            throw new CorruptHeapException(space.file().path() + ": the reference at offset " + field + " points to " + target
                    + ", where no object can be");
        }
        long header = space.getLong(target);
        if (header != 0 && !ObjectHeader.isIntact(header)
                || ObjectHeader.isValid(header) && target + ObjectHeader.footprint(header) > space.size()) {
            throw new CorruptHeapException(space.file().path() + ": the header at offset " + target + " is damaged: "
                    + Long.toHexString(header));
        }
        return header;
    }

    private boolean setMark(long offset) {
        long granule = offset >>> GRANULE_SHIFT;
        AtomicLongArray segment = segment((int) (granule >>> SEGMENT_SHIFT));
        int index = (int) (granule & (1 << SEGMENT_SHIFT) - 1);
        long bit = 1L << index;
        if ((segment.get(index >>> 6) & bit) != 0) {
            return false;
        }
        return (segment.getAndUpdate(index >>> 6, word -> word | bit) & bit) == 0;
    }

    private AtomicLongArray segment(int number) {
        AtomicLongArray segment = marks.get(number);
        if (segment == null) {
            marks.compareAndSet(number, null, new AtomicLongArray(1 << SEGMENT_SHIFT - 6));
            segment = marks.get(number);
        }
        return segment;
    }

    boolean isMarked(long offset) {
        long granule = offset >>> GRANULE_SHIFT;
        AtomicLongArray segment = marks.get((int) (granule >>> SEGMENT_SHIFT));
        int index = (int) (granule & (1 << SEGMENT_SHIFT) - 1);
        return segment != null && (segment.get(index >>> 6) & 1L << index) != 0;
    }

    /** Fields that refer to objects which were never validated, or were freed. */
    List<Long> deadReferences() {
        return deadReferences;
    }

    long objects() {
        return objects.get();
    }
}
