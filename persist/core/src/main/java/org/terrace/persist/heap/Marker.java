// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;

/**
 * Marks what the roots reach, with explicit stacks and several threads (J-NVM, section 4.1.3). No proxy is made: references
 * are found by class descriptors, so classes that are missing do not matter. Nothing else may change the heap meanwhile.
 */
final class Marker {
    private static final int SHARE_AT = 1024;

    private final Space space;
    private final ObjectStarts starts;
    private final Consumer<CorruptHeapException> damaged;
    private final ReferenceFields fields;
    private final ReferenceFields.Visitor follow = this::follow;
    private final Marks marks;
    private final ArrayDeque<LongStack> shared = new ArrayDeque<>();
    private final List<Long> deadReferences = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong objects = new AtomicLong();
    private final int threads;
    private int idle;
    private RuntimeException failure;

    /** Contradictions end the marking. */
    Marker(Space space, Map<Integer, ClassDescriptor> classes, int threads) {
        this(space, classes, threads, problem -> {
            throw problem;
        }, problem -> {
            throw problem;
        });
    }

    /**
     * @param misplaced is told of contradictions between bitmap and headers
     * @param damaged is told of others by several threads; the marking goes on if neither throws
     */
    Marker(Space space, Map<Integer, ClassDescriptor> classes, int threads, Consumer<CorruptHeapException> misplaced,
            Consumer<CorruptHeapException> damaged) {
        this.space = space;
        this.damaged = damaged;
        this.starts = new ObjectStarts(space, misplaced);
        this.fields = new ReferenceFields(space, classes);
        this.threads = threads;
        this.marks = new Marks(space.size());
    }

    void mark() {
        LongStack first = new LongStack();
        long directory = space.layout().dataOffset();
        checkedHeader(directory);
        marks.set(directory);
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
                    followAll(stack);
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

    private void followAll(LongStack stack) {
        try {
            fields.visit(stack.pop(), stack, follow);
        } catch (CorruptHeapException e) {
            damaged.accept(e);
        }
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

    private void follow(long field, LongStack stack) {
        long target = space.getLong(field);
        if (target == 0) {
            return;
        }
        try {
            checkPlace(target, field);
            // Room of a freed object may be inside of another one by now.
            if (!starts.contains(target) || !ObjectHeader.isValid(checkedHeader(target))) {
                deadReferences.add(field);
            } else if (marks.set(target)) {
                stack.push(target);
            }
        } catch (CorruptHeapException e) {
            damaged.accept(e);
        }
    }

    private void checkPlace(long target, long field) {
        if (target % Long.BYTES != 0 || !space.layout().isData(target, space.size() - Layout.HEADER_BYTES)) {
            throw new CorruptHeapException(space.file().path() + ": the reference at offset " + field + " points to " + target
                    + ", where no object can be");
        }
    }

    /** A free one counts as invalid. */
    private long checkedHeader(long target) {
        long header = space.getLong(target);
        if (header != 0 && !ObjectHeader.isIntact(header)
                || ObjectHeader.isValid(header) && target + ObjectHeader.footprint(header) > space.size()) {
            throw new CorruptHeapException(space.file().path() + ": the header at offset " + target + " is damaged: "
                    + Long.toHexString(header));
        }
        return header;
    }

    boolean isMarked(long offset) {
        return marks.isSet(offset);
    }

    /** Fields that refer to objects which were never validated, or were freed, or to where none begins any more. */
    List<Long> deadReferences() {
        return deadReferences;
    }

    /** Whether an object may begin here. */
    boolean isStart(long offset) {
        return starts.contains(offset);
    }

    long objects() {
        return objects.get();
    }
}
