// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Divides work into shares, with a thread for each. */
public final class Parallel {

    private Parallel() {
    }

    /** Performs the work of a share, and returns its part of the result. */
    @FunctionalInterface
    public interface Share {
        long work(int number) throws Exception;
    }

    /** Runs all shares simultaneously. Returns the sum, which does not depend on the order of their ends. */
    public static long sum(int shares, Share share) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(shares);
        try {
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int i = 0; i < shares; i++) {
                int number = i;
                tasks.add(() -> share.work(number));
            }
            long sum = 0;
            for (Future<Long> part : pool.invokeAll(tasks)) {
                sum += part.get();
            }
            return sum;
        } finally {
            pool.shutdown();
        }
    }
}
