// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.liveness;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.LongStack;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.ReferenceFields;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.Structure;

/**
 * Marks the objects that roots reach, with explicit stacks and several threads (J-NVM, section 4.1.3). It creates no proxies.
 * References are found by class descriptors, so missing classes do not matter. The heap must not change meanwhile.
 */
final class Marker {
    private static final int SHARE_AT = 1024;
    /** Kinds of array elements. Stack entries encode the kind in the low bits of the offset. */
    private static final Structure.Elements[] ELEMENTS = Structure.Elements.values();

    private final Space space;
    private final ObjectStarts starts;
    private final Consumer<CorruptHeapException> damaged;
    private final ReferenceFields fields;
    private final ReferenceFields.Visitor follow = this::follow;
    private final Marks marks;
    private final ArrayDeque<LongStack> shared = new ArrayDeque<>();
    private final List<Long> unvalidated = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> lost = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong objects = new AtomicLong();
    private final int threads;
    private int idle;
    private RuntimeException failure;

    /** Creates a marker that fails at the first inconsistency. */
    Marker(Space space, Map<Integer, ClassDescriptor> classes, int threads) {
        this(space, classes, threads, problem -> {
            throw problem;
        }, problem -> {
            throw problem;
        });
    }

    /**
     * @param misplaced receives inconsistencies between bitmap and headers
     * @param damaged receives other inconsistencies from several threads. Marking continues unless it throws
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
        Directory.checkedPayload(space);
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
                if (failure == null) {
                    failure = e instanceof RuntimeException known ? known : new HeapException("marking failed: " + e, e);
                }
                shared.notifyAll();
            }
        }
        objects.addAndGet(marked);
    }

    private void followAll(LongStack stack) {
        try {
            long next = stack.pop();
            fields.visit(next & -Long.BYTES, ELEMENTS[(int) (next & Long.BYTES - 1)], stack, follow);
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

    /** Returns false when all threads have run out of work or one has failed. */
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

    private void follow(long field, Structure.Target wanted, LongStack stack) {
        long target = space.getLong(field);
        if (target == 0) {
            return;
        }
        try {
            checkPlace(target, field);
            long header = starts.contains(target) ? checkedHeader(target) : 0;
            if (header != 0 && !ObjectHeader.isValid(header)) {
                unvalidated.add(field);
            } else if (fields.isA(header, wanted)) {
                mark(field, target, wanted, stack);
            } else if (wanted.isOfProgram()) {
                lost.add(field);
            } else {
                throw damaged(field, target, "where no object of its class begins");
            }
        } catch (CorruptHeapException e) {
            damaged.accept(e);
        }
    }

    private void mark(long field, long target, Structure.Target wanted, LongStack stack) {
        long length = wanted.length() < 0 ? wanted.length() : space.getLong(target + Layout.HEADER_BYTES);
        if (length != wanted.length()) {
            throw new CorruptHeapException(space.file().path() + ": the array at offset " + target + " has length " + length
                    + ", and the reference at offset " + field + " is to one of " + wanted.length());
        }
        if (wanted.hold() == Structure.Hold.WEAK) {
            return;
        } else if (marks.set(target)) {
            stack.push(target | wanted.elements().ordinal());
        } else if (wanted.hold() == Structure.Hold.OWNED) {
            throw damaged(field, target, "as another reference does, and only one of them can");
        }
    }

    /**
     * Checks an object that was not marked. Garbage of the library never owns an object that roots reach. If this one does, a
     * reference to it was damaged and now skips it, like one in a list of entries.
     *
     * @param header its header, which is intact or 0
     * @throws CorruptHeapException if it owns a marked object
     */
    void checkOwnsNothingMarked(long offset, long header) {
        if (ObjectHeader.isValid(header) && fields.hasOwned(header)) {
            fields.visit(offset, Structure.Elements.ANY, null, (field, wanted, stack) -> {
                long target = space.getLong(field);
                if (wanted.hold() == Structure.Hold.OWNED && space.layout().isData(target, space.size()) && marks.isSet(target)) {
                    throw new CorruptHeapException(space.file().path() + ": no reference leads to the object at offset " + offset
                            + ", but it owns the object at offset " + target + ", which is in use");
                }
            });
        }
    }

    private CorruptHeapException damaged(long field, long target, String how) {
        return new CorruptHeapException(space.file().path() + ": the reference at offset " + field + " leads to offset " + target
                + ", " + how);
    }

    private void checkPlace(long target, long field) {
        if (target % Long.BYTES != 0 || !space.layout().isData(target, space.size() - Layout.HEADER_BYTES)) {
            throw new CorruptHeapException(space.file().path() + ": the reference at offset " + field + " points to " + target
                    + ", where no object can be");
        }
    }

    /** The header of a target. A free slot is treated as an invalid object. */
    private long checkedHeader(long target) {
        long header = space.getLong(target);
        if (header != 0 && !starts.fits(target, header)) {
            throw new CorruptHeapException(space.file().path() + ": the header at offset " + target + " is damaged: "
                    + Long.toHexString(header));
        }
        return header;
    }

    boolean isMarked(long offset) {
        return marks.isSet(offset);
    }

    /** Fields that refer to invalid objects. */
    List<Long> unvalidated() {
        return unvalidated;
    }

    /** Describes such a field and the possible remedies. */
    String unvalidated(long field) {
        return "the reference at offset " + field + " leads to offset " + space.getLong(field)
                + ", where no valid object begins: the object there was made outside of blocks and never made valid, so that stores"
                + " to it may be missing (an older version of the library did so, and setReferenceByHand without validate). To"
                + " keep it, open the heap with HeapOptions.collectAfterCrash(false) and store the reference again; to make the"
                + " reference null, open it with HeapOptions.clearingLostReferences()";
    }

    /**
     * Fields of the program's objects whose target is not an object. Either the target was freed and its space may be reused, or
     * the field is damaged.
     */
    List<Long> lost() {
        return lost;
    }

    /** Whether an object or a slot, which may be free, begins here. */
    boolean isStart(long offset) {
        return starts.contains(offset);
    }

    long objects() {
        return objects.get();
    }
}
