// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Tests all sequences of up to {@code -Dpersist.length=N} operations. With {@code -Dpersist.share=K/N}, it tests only the sequences
 * whose number is K modulo N. A sequence crashes in its last operation and while the heap closes. Crashes in earlier operations are
 * covered by shorter sequences.
 */
class SequencesCrashTest {
    private static final long SEED = Long.getLong("persist.seed", 20211026);
    private static final int STATES_FOR_EACH = Integer.getInteger("persist.statesOfSequence", 60);

    @Test
    void everySequenceOfOperationsSurvivesACrashAtEveryMoment() throws InterruptedException, ExecutionException {
        List<List<String>> all = sequences(Integer.getInteger("persist.length", 2));
        String[] share = System.getProperty("persist.share", "1/25").split("/");
        int every = Integer.parseInt(share[1]);
        ExecutorService threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = Integer.parseInt(share[0]) - 1; i < all.size(); i += every) {
                List<String> sequence = all.get(i);
                String where = "share " + (i + 1) + "/" + all.size() + " " + sequence;
                results.add(threads.submit(() -> CrashTest.scenario(CrashScenario.TINY, sequence).describe(where).seed(SEED)
                        .inLastOperation().budget(STATES_FOR_EACH).run()));
            }
            int states = 0;
            for (Future<Integer> result : results) {
                states += result.get();
            }
            System.out.println("sequences: " + results.size() + " of " + all.size());
            CrashTest.report("sequences", states);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void sharesTogetherAreAllSequences() {
        int operations = CrashTest.OPERATIONS.size();
        assertEquals(operations + operations * operations, sequences(2).stream().distinct().count());
        assertEquals(List.copyOf(CrashTest.OPERATIONS.keySet()), sequences(1).stream().map(s -> s.get(0)).toList());
    }

    private static List<List<String>> sequences(int length) {
        List<List<String>> all = new ArrayList<>();
        List<List<String>> longest = List.of(List.of());
        for (int n = 1; n <= length; n++) {
            List<List<String>> longer = new ArrayList<>();
            for (List<String> sequence : longest) {
                for (String operation : CrashTest.OPERATIONS.keySet()) {
                    List<String> with = new ArrayList<>(sequence);
                    with.add(operation);
                    longer.add(with);
                }
            }
            all.addAll(longer);
            longest = longer;
        }
        return all;
    }
}
