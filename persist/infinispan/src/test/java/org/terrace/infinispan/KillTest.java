// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.infinispan.Cache;
import org.infinispan.manager.DefaultCacheManager;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.terrace.infinispan.configuration.DurabilityLevel;

/**
 * Repeatedly kills a program with a cache by SIGKILL, after which it continues with its store. {@code -Dinfinispan.kills=N} sets
 * the number.
 */
class KillTest {
    private static final int THREADS = 3;
    private static final int KILLS = Integer.getInteger("infinispan.kills", 3);

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(DurabilityLevel.class)
    void whatWasAcknowledgedSurvivesTheKill(DurabilityLevel level) throws Exception {
        long seed = Long.getLong("infinispan.seed", System.nanoTime());
        Random random = new Random(seed);
        int[] done = new int[THREADS];
        for (int kill = 0; kill < KILLS; kill++) {
            int[] acknowledged = runAndKill(level, done, 1 + random.nextInt(900));
            try (DefaultCacheManager manager = CacheManagers.local()) {
                Cache<String, String> cache = manager.createCache(CacheManagers.CACHE,
                        KilledCache.configuration(directory, level).build());
                Map<String, String> found = new HashMap<>(cache);
                assertEquals(found.size(), cache.size());
                for (int t = 0; t < THREADS; t++) {
                    done[t] = check(found, t, acknowledged[t], level + ", seed " + seed + ", kill " + kill);
                }
            }
        }
    }

    /** Returns the number of changes. These are the acknowledged ones, and possibly one whose acknowledgement was not read. */
    private static int check(Map<String, String> found, int thread, int acknowledged, String where) {
        Map<String, String> mine = new HashMap<>(found);
        mine.keySet().removeIf(key -> !key.startsWith(thread + "-"));
        if (mine.equals(KilledCache.after(thread, acknowledged + 1))) {
            return acknowledged + 1;
        }
        assertEquals(KilledCache.after(thread, acknowledged), mine, where + ", thread " + thread);
        return acknowledged;
    }

    private int[] runAndKill(DurabilityLevel level, int[] done, int lines) throws IOException, InterruptedException {
        int[] acknowledged = done.clone();
        String[] arguments = Stream.concat(Stream.of(directory.toString(), level.name(), "" + THREADS),
                Arrays.stream(done).mapToObj(n -> "" + (n + 1))).toArray(String[]::new);
        try (Program program = new Program(directory.resolve("stderr"), List.of(), KilledCache.class, arguments)) {
            for (int i = 0; i < lines; i++) {
                note(program.expect(), acknowledged);
            }
            program.kill();
            for (String line = program.read(); line != null && line.matches("\\d \\d+"); line = program.read()) {
                note(line, acknowledged);
            }
        }
        assertTrue(Arrays.stream(acknowledged).sum() >= Arrays.stream(done).sum() + lines);
        return acknowledged;
    }

    private static void note(String line, int[] acknowledged) {
        String[] words = line.split(" ");
        acknowledged[Integer.parseInt(words[0])] = Integer.parseInt(words[1]);
    }
}
