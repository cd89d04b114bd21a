// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.damage.DamageMap.Part;
import org.terrace.persist.tools.Fsck;
import org.terrace.persist.tools.HeapToolOutput;
import org.terrace.persist.tools.Stat;

/**
 * The program that opens damaged heaps. It runs in a separate JVM, which may crash. {@code build DIRECTORY} creates the heaps.
 * {@code open DIRECTORY SEED...} damages a copy of one heap for each seed. It prints the seed before and the result afterwards.
 */
final class DamageWorker {
    static final List<String> SUBJECTS = List.of("closed", "killed at SYNC", "killed at PROCESS");
    private static final long BUILD_SEED = 17;
    /** Parts in which changes cannot be detected. Values have no checksums, and a reference may lead to any object of its class. */
    private static final Set<Part> VALUES = EnumSet.of(Part.VALUE, Part.UNUSED);

    enum Outcome {
        /** Detected by the opening. */
        REFUSED,
        /** Detected by fsck or by a check of the open heap. */
        CHECK,
        /** Detected by an error of the library during a read. */
        ACCESS,
        /** All contents match the model. */
        HARMLESS,
        /** Values differ, and only values were changed in the file. */
        VALUES,
        /** The contents are ones that a program could have stored. */
        PLAUSIBLE,
        /** The opening lost acknowledged commits without an error. Must never happen. */
        DROPPED,
        /** An exception without an explanation, such as {@link NullPointerException}. Must never happen. */
        ERROR,
        /** A crash of the JVM. Must never happen. */
        CRASHED,
        /** No end within two minutes. Must never happen. */
        HUNG
    }

    /** The result of an opening. */
    private static final class Sight {
        private String refused;
        private final List<String> problems = new ArrayList<>();
        private final List<String> errors = new ArrayList<>();
        private final Map<String, String> state = new TreeMap<>();
    }

    private final Path directory;
    private final Map<String, DamageMap> maps = new HashMap<>();
    private final Map<String, List<Map<String, String>>> states = new HashMap<>();
    private String unexpected;

    private DamageWorker(Path directory) {
        this.directory = directory;
    }

    public static void main(String[] args) throws Exception {
        DamageWorker worker = new DamageWorker(Path.of(args[1]));
        if (args[0].equals("build")) {
            worker.build();
            return;
        }
        for (int i = 2; i < args.length; i++) {
            long seed = Long.parseLong(args[i]);
            System.out.println("BEGIN " + seed);
            System.out.println("END " + seed + "\t" + worker.damage(seed).replaceAll("\\R", "|"));
        }
    }

    static String subject(long seed) {
        return SUBJECTS.get((int) Math.floorMod(seed, (long) SUBJECTS.size()));
    }

    private Path path(String name) {
        return directory.resolve(name.replace(' ', '-') + ".heap");
    }

    private void build() throws Exception {
        // Makes the random priorities and levels of sorted maps repeatable, and with them the layout of the file.
        ThreadLocalRandom.current();
        Field random = Thread.class.getDeclaredField("threadLocalRandomSeed");
        Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) field.get(null);
        unsafe.putLong(Thread.currentThread(), unsafe.objectFieldOffset(random), BUILD_SEED);
        for (String subject : SUBJECTS) {
            Durability level = subject.endsWith("SYNC") ? Durability.SYNC : Durability.PROCESS;
            DamageSubject.save(subject.equals("closed") ? DamageSubject.close(path(subject), BUILD_SEED)
                    : DamageSubject.kill(path(subject), level, BUILD_SEED), states(subject));
        }
    }

    private Path states(String subject) {
        return path(subject).resolveSibling(subject + ".states");
    }

    private String damage(long seed) throws IOException {
        String subject = subject(seed);
        if (!maps.containsKey(subject)) {
            maps.put(subject, new DamageMap(path(subject), new HeapBytes(path(subject))));
            states.put(subject, DamageSubject.load(states(subject)));
        }
        unexpected = null;
        HeapBytes bytes = new HeapBytes(path(subject));
        Damage damage = new Damage(bytes, maps.get(subject), seed);
        Path file = path("damaged");
        bytes.writeTo(file);
        Sight fsck = new Sight();
        sight(fsck, "fsck", () -> fsck.problems.addAll(Fsck.check(file, 2)));
        Sight reading = open(file, DamageSubject.OPTIONS.readOnly(), subject, seed);
        tools(file);
        Sight writing = open(file, DamageSubject.OPTIONS.durability(Durability.PROCESS), subject, seed);
        String detail = "";
        Outcome outcome;
        if (unexpected != null) {
            outcome = Outcome.ERROR;
            detail = unexpected;
        } else if (writing.refused != null) {
            outcome = Outcome.REFUSED;
            detail = writing.refused;
        } else if (!fsck.problems.isEmpty() || fsck.refused != null || !writing.problems.isEmpty()) {
            outcome = Outcome.CHECK;
            detail = fsck.refused + " " + fsck.problems + writing.problems;
        } else if (reading.refused != null || !reading.errors.isEmpty() || !writing.errors.isEmpty()) {
            outcome = Outcome.ACCESS;
            detail = reading.refused + " " + reading.errors + writing.errors;
        } else {
            outcome = compare(damage, subject, writing.state);
            Outcome whenRead = compare(damage, subject, reading.state);
            outcome = whenRead.compareTo(outcome) > 0 ? whenRead : outcome;
            detail = outcome == Outcome.HARMLESS ? "" : difference(subject, writing.state);
        }
        boolean untold = writing.refused == null && writing.problems.isEmpty() && writing.errors.isEmpty();
        if (outcome == Outcome.CHECK && untold && reading.refused == null
                && compare(damage, subject, writing.state).compareTo(Outcome.HARMLESS) > 0
                && compare(damage, subject, reading.state).compareTo(Outcome.HARMLESS) == 0) {
            outcome = Outcome.DROPPED;
            detail = "by the opening for writing: " + difference(subject, writing.state) + " " + detail;
        }
        if (outcome.compareTo(Outcome.PLAUSIBLE) > 0) {
            bytes.writeTo(path("failed " + seed));
        }
        return damage.row + "\t" + outcome + "\t" + subject + ": " + damage.what + "\t"
                + detail.substring(0, Math.min(1500, detail.length()));
    }

    private Outcome compare(Damage damage, String subject, Map<String, String> state) {
        List<Map<String, String>> acknowledged = states.get(subject);
        int last = acknowledged.size() - 1;
        if (state.equals(acknowledged.get(last))) {
            return Outcome.HARMLESS;
        }
        int at = acknowledged.lastIndexOf(state);
        if (at >= 0) {
            // An incomplete record at the end looks like the record of a commit that had not returned.
            return damage.sealed || damage.lastRecordsTouched() >= last - at ? Outcome.PLAUSIBLE : Outcome.DROPPED;
        }
        Set<Part> touched = damage.touched();
        return !touched.isEmpty() && VALUES.containsAll(touched) ? Outcome.VALUES : Outcome.PLAUSIBLE;
    }

    private String difference(String subject, Map<String, String> state) {
        List<Map<String, String>> acknowledged = states.get(subject);
        StringBuilder text = new StringBuilder();
        acknowledged.get(acknowledged.size() - 1).forEach((root, value) -> {
            String now = String.valueOf(state.get(root));
            if (!now.equals(value)) {
                int from = 0;
                while (from < Math.min(now.length(), value.length()) && now.charAt(from) == value.charAt(from)) {
                    from++;
                }
                from = Math.max(0, from - 20);
                text.append(root).append(": ").append(value, from, Math.min(value.length(), from + 90)).append(" -> ")
                        .append(now, from, Math.min(now.length(), from + 90)).append("; ");
            }
        });
        return text.toString();
    }

    /** Errors of the library report the damage, and so does a failed cast in the program. */
    private void sight(Sight sight, String what, Runnable code) {
        try {
            code.run();
        } catch (HeapException | ClassCastException | ConcurrentModificationException e) {
            if (String.valueOf(e.getMessage()).contains("is open in another process")) {
                unexpected = what + ": a lock was left: " + e.getMessage();
            }
            if (what.equals("fsck") || what.equals("open")) {
                sight.refused = e.getMessage();
            } else {
                sight.errors.add(what + ": " + e.getMessage());
            }
        } catch (Throwable e) {
            if (unexpected == null) {
                int frames = Math.min(8, e.getStackTrace().length);
                unexpected = what + ": " + e + " at " + List.of(e.getStackTrace()).subList(0, frames);
            }
        }
    }

    private Sight open(Path file, HeapOptions options, String subject, long seed) {
        Sight sight = new Sight();
        Heap[] opened = new Heap[1];
        sight(sight, "open", () -> opened[0] = Heap.open(file, options));
        Heap heap = opened[0];
        if (heap == null) {
            return sight;
        }
        sight(sight, "check", () -> sight.problems.addAll(heap.check()));
        for (String root : states.get(subject).get(0).keySet()) {
            sight(sight, root, () -> sight.state.putAll(DamageSubject.read(heap, Set.of(root))));
        }
        if (!options.isReadOnly()) {
            // The results of further use are not compared. It must end, and only with errors of the library.
            Sight further = new Sight();
            DamageSubject.uses(heap, seed).forEach(use -> sight(further, "use", use));
        }
        sight(options.isReadOnly() ? sight : new Sight(), "close", heap::close);
        return sight;
    }

    private void tools(Path file) throws IOException {
        Sight ignored = new Sight();
        sight(ignored, "stat", () -> {
            try {
                Stat.of(file);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        Path exported = path("exported");
        for (Object[] tool : new Object[][] {{"dump", file}, {"export", "-o", exported, file}}) {
            HeapToolOutput output = HeapToolOutput.of(tool);
            if (output.text().contains("\tat ") && unexpected == null) {
                int trace = output.text().indexOf("\tat ");
                unexpected = tool[0] + ": " + output.text().substring(Math.max(0, trace - 200), Math.min(trace + 600,
                        output.text().length()));
            }
        }
        Files.deleteIfExists(exported);
    }
}
