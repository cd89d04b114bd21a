// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.blocks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.stream.Collectors;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;

/**
 * The observations of a thread that waits for a {@link BlockLock} about the holders of the lock. A holder that waits at one place
 * for long is assumed to wait for this thread or for one behind it, so that none of them would ever continue. Waits inside this
 * library, such as for a checkpoint, always end.
 */
public final class Stall {
    /** Packages whose code waits for the device or for another thread of the heap. */
    private static final List<String> OWN_WAITS = List.of("org.terrace.persist.log.", "org.terrace.persist.heap.",
            "org.terrace.persist.fa.", "org.terrace.persist.medium.");
    private static final int FRAMES_SHOWN = 12;
    /** Limit between two pool threads. One most likely waits for the task that the other one runs. */
    private static final long POOL_LIMIT_NANOS = 1_000_000_000;
    private static final System.Logger LOGGER = System.getLogger("org.terrace.persist");
    /** Samples per limit. Sampling a stack costs about ten microseconds and stops the thread. */
    private static final int LOOKS = 5;
    private static final long TELL_AFTER_LIMITS = 4;

    /** @param waits how many waits the thread has begun, which distinguishes two waits at one place */
    private record Place(BlockLock.Holder holder, List<StackTraceElement> stack, long waits, long since) {
    }

    private final Path heap;
    private final long limitNanos;
    private final boolean givesUp;
    private final long start = System.nanoTime();
    private long lastLook = start;
    private boolean told;
    private List<Place> places = List.of();

    /** @param givesUp whether this thread ends its wait with an exception. Otherwise it only warns */
    public Stall(Path heap, long limitNanos, boolean givesUp) {
        this.heap = heap;
        this.limitNanos = limitNanos;
        this.givesUp = givesUp;
    }

    /** The minimum time between two samples of {@link #look}. */
    static long lookNanos(long limitNanos) {
        return Math.min(limitNanos, POOL_LIMIT_NANOS) / LOOKS;
    }

    /** Whether the thread waits for another thread or for a timeout. */
    public static boolean isWaiting(Thread thread) {
        return thread != null && switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            default -> false;
        };
    }

    /**
     * @param holders the holders of the lock that this thread waits for
     * @throws HeapException if one has waited for the limit
     */
    public void look(List<BlockLock.Holder> holders, boolean exclusively) {
        long now = System.nanoTime();
        if (now - lastLook < lookNanos(limitNanos)) {
            return;
        }
        lastLook = now;
        List<Place> seen = new ArrayList<>();
        boolean stalled = false;
        for (BlockLock.Holder holder : holders) {
            Thread thread = holder.thread();
            if (isWaiting(thread) && thread != Thread.currentThread()) {
                List<StackTraceElement> stack = Arrays.asList(thread.getStackTrace());
                long waits = waits(thread);
                long since = places.stream().filter(p -> p.holder == holder && p.waits == waits && p.stack.equals(stack))
                        .mapToLong(Place::since).findFirst().orElse(now);
                seen.add(new Place(holder, stack, waits, since));
                if (now - since >= limitFor(stack) && thread.getState() != Thread.State.TIMED_WAITING && !isOwnWait(stack)) {
                    if (givesUp) {
                        throw new HeapException(message(thread, stack, now - since, exclusively));
                    }
                    stalled = true;
                }
            }
        }
        places = seen;
        if (stalled || now - start >= TELL_AFTER_LIMITS * limitNanos) {
            tell(holders, now);
        }
    }

    private static long waits(Thread thread) {
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
        return info == null ? 0 : info.getWaitedCount() + info.getBlockedCount();
    }

    private long limitFor(List<StackTraceElement> stack) {
        boolean both = Thread.currentThread() instanceof ForkJoinWorkerThread
                && stack.stream().takeWhile(Stall::isOfJdk).map(StackTraceElement::getClassName).anyMatch(name ->
                        name.startsWith(ForkJoinTask.class.getName()) || name.startsWith(CompletableFuture.class.getName()));
        // A limit that the user has set is not reduced.
        return both && limitNanos == HeapOptions.DEFAULT_STALL_LIMIT.toNanos() ? POOL_LIMIT_NANOS : limitNanos;
    }

    private static boolean isOfJdk(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("sun.");
    }

    /** Whether the first frame outside the JDK belongs to this library. */
    private static boolean isOwnWait(List<StackTraceElement> stack) {
        for (StackTraceElement frame : stack) {
            if (!isOfJdk(frame)) {
                return OWN_WAITS.stream().anyMatch(frame.getClassName()::startsWith);
            }
        }
        return false;
    }

    private String message(Thread holder, List<StackTraceElement> stack, long nanos, boolean exclusively) {
        return "thread " + Thread.currentThread().getName() + " gives up to wait for "
                + (exclusively ? "the end of all blocks and reads" : "the end of a block") + " of "
                + heap + ": thread " + holder.getName() + " is in a failure-atomic block or Heap.read, and has been waiting there for "
                + Duration.ofNanos(nanos).toMillis() + " ms. If it waits for this thread, neither could go on: let a block use its"
                + " own thread only, or start other threads outside. If it waits for something else, raise HeapOptions.stallLimit."
                + " It is at " + shown(stack);
    }

    private static String shown(List<StackTraceElement> stack) {
        return stack.stream().limit(FRAMES_SHOWN).map(StackTraceElement::toString).collect(Collectors.joining(", "));
    }

    /** Warns that a thread that polls or sleeps may wait for this one. It is only a suspicion. */
    private void tell(List<BlockLock.Holder> holders, long now) {
        if (told) {
            return;
        }
        told = true;
        for (BlockLock.Holder holder : holders) {
            Thread thread = holder.thread();
            if (thread != null) {
                LOGGER.log(System.Logger.Level.WARNING, "thread " + Thread.currentThread().getName() + " has waited for "
                        + Duration.ofNanos(now - start).toMillis() + " ms for a block or read of " + heap + " in thread "
                        + thread.getName() + ". If that waits for this thread, neither will ever go on. It is " + thread.getState()
                        + " at " + shown(Arrays.asList(thread.getStackTrace())));
            }
        }
    }
}
