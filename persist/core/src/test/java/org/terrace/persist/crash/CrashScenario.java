// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Internals;
import org.terrace.persist.medium.CrashStates;
import org.terrace.persist.medium.Disk;
import org.terrace.persist.medium.Site;

/**
 * Runs operations on a heap of a simulated disk. Then it opens every state that a crash could leave at each moment of the run. Each
 * heap must open without inconsistencies. It must contain the state after some operation, not earlier than the last acknowledged
 * one and not later than the last begun one. The same must hold after a second opening, or after a crash during the opening.
 */
public final class CrashScenario {
    public static final HeapOptions TINY = Internals.withoutBackground(
            HeapOptions.defaults().maxSize(128 << 10).logSize(16 << 10).threads(1));
    private static final String HEAP = "test.heap";
    private static final int RECOVERY_SHARE = 8;

    /** Notes of the test in the recording. */
    private enum Step { BEGUN, ACKNOWLEDGED }

    private record Note(Step step, int operation) {
    }

    private final HeapOptions options;
    private final Function<Heap, String> dump;
    private final List<Consumer<Heap>> operations = new ArrayList<>();
    private final List<String> expected = new ArrayList<>();
    private final List<Consumer<Disk>> mutations = new ArrayList<>();
    private final Set<Long> seen = new HashSet<>();
    private Consumer<Heap> preparation = heap -> { };
    private Disk disk = new Disk();
    private boolean losing;
    private boolean onlyLast;
    private int states;
    private int budget = Integer.getInteger("persist.states", 400);
    private long seed = Long.getLong("persist.seed", 20211026);
    private String description = "";

    /** @param dump returns a text with everything that the operations change */
    public CrashScenario(HeapOptions options, Function<Heap, String> dump) {
        this.options = options;
        this.dump = dump;
    }

    public CrashScenario prepare(Consumer<Heap> before) {
        preparation = before;
        return this;
    }

    /** The disk on which the operations run. */
    public Disk disk() {
        return disk;
    }

    public CrashScenario then(Consumer<Heap> operation) {
        operations.add(operation);
        return this;
    }

    /** Allows that a crash of the machine loses acknowledged operations, but not their order. */
    public CrashScenario losingAcknowledged() {
        losing = true;
        return this;
    }

    /** Uses a disk of persistent memory. */
    CrashScenario onLines() {
        disk.dispose();
        disk = Disk.ofLines();
        return this;
    }

    /** Allows crashes only after the last operation has begun. */
    CrashScenario inLastOperation() {
        onlyLast = true;
        return this;
    }

    public CrashScenario delete(Site site) {
        mutations.add(disk -> disk.delete(site));
        return this;
    }

    CrashScenario deleteWriteBack(Site site) {
        mutations.add(disk -> disk.deleteWriteBack(site));
        return this;
    }

    public CrashScenario budget(int states) {
        budget = states;
        return this;
    }

    CrashScenario seed(long value) {
        seed = value;
        return this;
    }

    public CrashScenario describe(String text) {
        description = text;
        return this;
    }

    /** Opens all states and returns their number without duplicates. */
    public int run() {
        try (Heap heap = Heap.open(disk.path(HEAP), options)) {
            preparation.accept(heap);
            heap.checkpoint();
        }
        Disk base = disk.copy();
        mutations.forEach(mutation -> mutation.accept(disk));
        mutations.forEach(mutation -> mutation.accept(base));
        disk.record();
        try (Heap heap = Heap.open(disk.path(HEAP), options)) {
            expected.add(dump.apply(heap));
            for (int i = 0; i < operations.size(); i++) {
                disk.note(new Note(Step.BEGUN, i));
                operations.get(i).accept(heap);
                disk.note(new Note(Step.ACKNOWLEDGED, i));
                expected.add(dump.apply(heap));
            }
        }
        List<Disk.Event> events = disk.events();
        int first = onlyLast ? events.indexOf(new Disk.Event(Disk.Event.Kind.NOTE, null, 0, null, null,
                new Note(Step.BEGUN, operations.size() - 1))) : 0;
        Window window = new Window(0, 0);
        for (Disk.Event event : events.subList(0, first)) {
            base.apply(event);
            window = window.after(event);
        }
        crashEverywhere(base, events.subList(first, events.size()), window, budget, true);
        base.dispose();
        disk.dispose();
        return states;
    }

    /** Number of acknowledged operations and of operations that have begun. */
    private record Window(int acknowledged, int begun) {
        Window after(Disk.Event event) {
            if (!(event.note() instanceof Note note)) {
                return this;
            }
            return note.step == Step.BEGUN ? new Window(acknowledged, note.operation + 1)
                    : new Window(note.operation + 1, note.operation + 1);
        }
    }

    private void crashEverywhere(Disk disk, List<Disk.Event> events, Window start, int share, boolean outermost) {
        int perMoment = Math.max(4, share / Math.max(1, events.size()));
        Window window = start;
        crash(disk, window, perMoment, outermost, "at the start");
        for (int i = 0; i < events.size(); i++) {
            Disk.Event event = events.get(i);
            disk.apply(event);
            window = window.after(event);
            crash(disk, window, perMoment, outermost, "after event " + i + ", " + event);
        }
    }

    private void crash(Disk disk, Window window, int share, boolean outermost, String moment) {
        String where = description + " seed " + seed + ", crash " + moment;
        Random random = new Random(seed ^ moment.hashCode());
        Window ofMachine = losing ? new Window(0, window.begun) : window;
        new CrashStates(disk).forEach(share, random, crashed -> open(crashed, ofMachine, outermost, where));
        if (outermost) {
            // Only the process crashes. The page cache survives, but a crash during the following recovery may lose it.
            open(disk, window, true, where + " of the process");
        }
    }

    private void open(Disk crashed, Window window, boolean crashAgain, String where) {
        if (!seen.add(hash(crashed, window))) {
            return;
        }
        states++;
        Disk before = crashed.copy();
        Disk recovered = crashed.copy();
        try {
            mutations.forEach(mutation -> mutation.accept(recovered));
            recovered.record();
            String first = openOnce(recovered, window, where);
            List<Disk.Event> events = recovered.events();
            String second = openOnce(recovered, window, where + ", opened a second time");
            if (!first.equals(second)) {
                throw new AssertionError(where + ": opened twice, it is\n" + first + "and then\n" + second);
            }
            if (crashAgain) {
                crashEverywhere(before, events, window, Math.max(8, budget / RECOVERY_SHARE / 8), false);
            }
        } finally {
            before.dispose();
            recovered.dispose();
        }
    }

    private String openOnce(Disk disk, Window window, String where) {
        try (Heap heap = Heap.open(disk.path(HEAP), options)) {
            List<String> problems = heap.check();
            if (!problems.isEmpty()) {
                throw new AssertionError(where + ": " + problems);
            }
            String found = dump.apply(heap);
            for (int i = window.acknowledged; i <= window.begun; i++) {
                if (expected.get(i).equals(found)) {
                    return found;
                }
            }
            throw new AssertionError(where + ": " + window + " of operations, but the heap is\n" + found + "instead of\n"
                    + expected.subList(window.acknowledged, window.begun + 1));
        } catch (HeapException e) {
            throw new AssertionError(where + ": " + e.getMessage(), e);
        }
    }

    private long hash(Disk disk, Window window) {
        // The data behind the end of the log has another meaning before and after a crash of the machine.
        long hash = 31 * window.hashCode() + disk.boots();
        for (String file : List.of(HEAP, HEAP + ".log")) {
            hash = 31 * hash + disk.hashOf(file);
        }
        return hash;
    }
}
