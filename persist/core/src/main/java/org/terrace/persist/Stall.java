// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.stream.Collectors;

/**
 * What a thread that waits for a {@link BlockLock} has seen of those that hold it. A holder that waits at one place for long is
 * taken to wait for this thread, or for one behind it: then none of them would ever go on. What waits in this library, for a
 * checkpoint for example, goes on.
 */
final class Stall {
    /** Packages of what waits for the device, or for another thread of the heap. */
    private static final List<String> OWN_WAITS = List.of("org.terrace.persist.log.", "org.terrace.persist.heap.",
            "org.terrace.persist.fa.", "org.terrace.persist.medium.");
    private static final int FRAMES_SHOWN = 12;
    /** Of a thread of a pool for a thread that waits for such a pool: the one's task is, most likely, what the other waits for. */
    private static final long POOL_LIMIT_NANOS = 1_000_000_000;
    private static final System.Logger LOGGER = System.getLogger("org.terrace.persist");
    /** So often is it known whether a holder has moved; a look at a stack costs some ten microseconds, and stops its thread. */
    private static final int LOOKS = 5;
    private static final long TELL_AFTER_LIMITS = 4;

    private record Place(BlockLock.Holder holder, List<StackTraceElement> stack, long since) {
    }

    private final Path heap;
    private final long limitNanos;
    private final long start = System.nanoTime();
    private long lastLook = start;
    private boolean told;
    private List<Place> places = List.of();

    Stall(Path heap, long limitNanos) {
        this.heap = heap;
        this.limitNanos = limitNanos;
    }

    /** Whether it waits for another thread, or for time to pass. */
    static boolean isWaiting(Thread thread) {
        return thread != null && switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            default -> false;
        };
    }

    /**
     * @param holders of the lock that this thread waits for
     * @throws HeapException if one has waited too long
     */
    void look(List<BlockLock.Holder> holders, boolean exclusively) {
        long now = System.nanoTime();
        if (now - lastLook < Math.min(limitNanos, POOL_LIMIT_NANOS) / LOOKS) {
            return;
        }
        lastLook = now;
        List<Place> seen = new ArrayList<>();
        for (BlockLock.Holder holder : holders) {
            Thread thread = holder.thread();
            if (isWaiting(thread) && thread != Thread.currentThread()) {
                List<StackTraceElement> stack = Arrays.asList(thread.getStackTrace());
                long since = places.stream().filter(p -> p.holder == holder && p.stack.equals(stack)).mapToLong(Place::since)
                        .findFirst().orElse(now);
                seen.add(new Place(holder, stack, since));
                if (now - since >= limitFor(stack) && thread.getState() != Thread.State.TIMED_WAITING && !isOwnWait(stack)) {
                    throw new HeapException(message(thread, stack, now - since, exclusively));
                }
            }
        }
        places = seen;
        tell(holders, now);
    }

    private long limitFor(List<StackTraceElement> stack) {
        boolean both = Thread.currentThread() instanceof ForkJoinWorkerThread
                && stack.stream().anyMatch(frame -> frame.getClassName().startsWith(ForkJoinTask.class.getName())
                        || frame.getClassName().startsWith(CompletableFuture.class.getName()));
        return both ? Math.min(limitNanos, POOL_LIMIT_NANOS) : limitNanos;
    }

    /** The program's code that waits is this library's. */
    private static boolean isOwnWait(List<StackTraceElement> stack) {
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            if (!name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("sun.")) {
                return OWN_WAITS.stream().anyMatch(name::startsWith);
            }
        }
        return false;
    }

    private String message(Thread holder, List<StackTraceElement> stack, long nanos, boolean exclusively) {
        return "thread " + Thread.currentThread().getName() + " gives up " + (exclusively ? "a block" : "a read or block") + " of "
                + heap + ": thread " + holder.getName() + " is in a failure-atomic block or Heap.read, and has been waiting there for "
                + Duration.ofNanos(nanos).toMillis() + " ms. If it waits for this thread, neither could go on: let a block use its"
                + " own thread only, or start other threads outside. If it waits for something else, raise HeapOptions.stallLimit."
                + " It is at " + shown(stack);
    }

    private static String shown(List<StackTraceElement> stack) {
        return stack.stream().limit(FRAMES_SHOWN).map(StackTraceElement::toString).collect(Collectors.joining(", "));
    }

    /** A thread that polls or sleeps may wait for this one, too; that is no more than a suspicion. */
    private void tell(List<BlockLock.Holder> holders, long now) {
        if (told || now - start < TELL_AFTER_LIMITS * limitNanos) {
            return;
        }
        told = true;
        for (BlockLock.Holder holder : holders) {
            Thread thread = holder.thread();
            if (thread != null) {
                LOGGER.log(System.Logger.Level.WARNING, "thread " + Thread.currentThread().getName() + " has waited for "
                        + Duration.ofNanos(now - start).toMillis() + " ms for a block or read of " + heap + " in thread "
                        + thread.getName() + ", " + thread.getState() + " at " + shown(Arrays.asList(thread.getStackTrace())));
            }
        }
    }
}
