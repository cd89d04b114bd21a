// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.terrace.persist.damage.DamageWorker.Outcome;

/**
 * Damages or forges heaps at random. A separate program opens, checks, reads and uses them, and its results are compared with a
 * model. {@code -Dpersist.damages=N} sets the number and {@code -Dpersist.seed=N} the first seed.
 * {@code -Dpersist.damages=1 -Dpersist.seed=N} replays one. {@code target/damages} contains the result of each, and the heaps of
 * failures.
 */
class DamageCampaignTest {
    private static final int DAMAGES = Integer.getInteger("persist.damages", 100);
    private static final long SEED = Long.getLong("persist.seed", 1);
    private static final int BATCH = 200;
    private static final long LIMIT_SECONDS = 120;

    private final Path directory = Path.of("target", "damages");
    private final Map<String, Map<Outcome, Integer>> table = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();

    @Test
    void damageIsToldOrHarmless() throws IOException, InterruptedException {
        clear();
        Process build = start("build", List.of());
        assertEquals(0, build.waitFor(), Files.readString(stderr()));
        List<Long> left = new ArrayList<>();
        for (long i = 0; i < DAMAGES; i++) {
            left.add(SEED + i);
        }
        while (!left.isEmpty()) {
            open(left);
        }
        print();
        assertEquals(List.of(), failures, () -> failures.size() + " damages are not told of:\n" + String.join("\n", failures));
    }

    private void clear() throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
        Files.createDirectories(directory);
    }

    private Path stderr() {
        return directory.resolve("stderr");
    }

    private Process start(String command, List<String> seeds) throws IOException {
        List<String> line = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:ErrorFile=" + directory.resolve("hs_err_%p.log"), "-XX:-CreateCoredumpOnCrash",
                "-cp", System.getProperty("java.class.path"), DamageWorker.class.getName(), command, directory.toString()));
        line.addAll(seeds);
        return new ProcessBuilder(line).redirectError(stderr().toFile()).start();
    }

    /** Opens some of the heaps, and removes the finished ones from the list, including those that crashed their JVM. */
    private void open(List<Long> left) throws IOException, InterruptedException {
        Process process = start("open", left.stream().limit(BATCH).map(String::valueOf).toList());
        long[] begun = {0, System.nanoTime()};
        boolean[] hung = new boolean[1];
        Thread watchdog = new Thread(() -> {
            try {
                while (!process.waitFor(1, TimeUnit.SECONDS)) {
                    synchronized (begun) {
                        if (System.nanoTime() - begun[1] > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
                            hung[0] = true;
                            process.destroyForcibly();
                        }
                    }
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
            }
        });
        watchdog.start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                synchronized (begun) {
                    begun[1] = System.nanoTime();
                }
                if (line.startsWith("BEGIN ")) {
                    begun[0] = Long.parseLong(line.substring(6));
                } else if (line.startsWith("END ")) {
                    String[] parts = line.substring(4).split("\t", 5);
                    left.remove(Long.valueOf(begun[0]));
                    begun[0] = 0;
                    count(parts[0], parts[1], Outcome.valueOf(parts[2]), parts[3] + ": " + parts[4]);
                }
            }
        }
        watchdog.join();
        if (begun[0] != 0) {
            left.remove(Long.valueOf(begun[0]));
            count(begun[0] + "", "(no end)", hung[0] ? Outcome.HUNG : Outcome.CRASHED, Files.readString(stderr()));
        } else if (process.exitValue() != 0) {
            throw new AssertionError("the program ended: " + Files.readString(stderr()));
        }
    }

    private void count(String seed, String row, Outcome outcome, String detail) {
        table.computeIfAbsent(row, r -> new EnumMap<>(Outcome.class)).merge(outcome, 1, Integer::sum);
        String line = "seed " + seed + ", " + outcome + ", " + row + ", " + detail;
        lines.add(line);
        if (outcome.compareTo(Outcome.PLAUSIBLE) > 0) {
            failures.add(line);
        }
    }

    private void print() throws IOException {
        StringBuilder text = new StringBuilder("damages: " + DAMAGES + ", seed " + SEED + "\n| damage |");
        for (Outcome outcome : Outcome.values()) {
            text.append(' ').append(outcome.name().toLowerCase(java.util.Locale.ROOT)).append(" |");
        }
        text.append('\n');
        Map<Outcome, Integer> all = new EnumMap<>(Outcome.class);
        table.forEach((row, counts) -> {
            append(text, row, counts);
            counts.forEach((outcome, count) -> all.merge(outcome, count, Integer::sum));
        });
        append(text, "all", all);
        System.out.print(text);
        Files.write(directory.resolve("outcomes"), lines);
    }

    private static void append(StringBuilder text, String row, Map<Outcome, Integer> counts) {
        text.append("| ").append(row).append(" |");
        for (Outcome outcome : Outcome.values()) {
            text.append(' ').append(counts.getOrDefault(outcome, 0)).append(" |");
        }
        text.append('\n');
    }
}
