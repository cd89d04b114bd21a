// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.terrace.bench.harness.Iterations;
import org.terrace.bench.harness.Latencies;
import org.terrace.bench.harness.Parallel;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A program that creates its input, and then processes it repeatedly. The result depends only on the options, not on
 * the number of processors.
 */
abstract class GcProgram implements Callable<Integer> {

    @Option(names = "--size", required = true, paramLabel = "N",
            description = "Amount of work in each iteration. Its unit depends on the program.")
    int size;

    @Option(names = "--threads", paramLabel = "N", description = "Number of worker threads.")
    int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--dir", paramLabel = "DIR", description = "An empty folder for the program's files.")
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));

    @Mixin
    private Iterations iterations;

    @Spec
    private CommandSpec spec;

    /** Prepares the input once, before all iterations. */
    void prepare() throws Exception {
    }

    /** Runs one iteration and returns its result. */
    abstract Object once(Latencies latencies) throws Exception;

    /** Returns the sum of an operation over the numbers from 0 to the size, which are distributed over the threads. */
    final long sum(Parallel.Share operation) throws Exception {
        return Parallel.sum(threads, share -> {
            long sum = 0;
            for (int number = share; number < size; number += threads) {
                sum += operation.work(number);
            }
            return sum;
        });
    }

    /** Returns the same sum, and records the duration of each operation as a latency of this kind. */
    final long sum(Latencies latencies, String kind, Parallel.Share operation) throws Exception {
        return sum(number -> {
            long start = System.nanoTime();
            long result = operation.work(number);
            latencies.record(kind, System.nanoTime() - start);
            return result;
        });
    }

    @Override
    public Integer call() throws Exception {
        prepare();
        iterations.run(spec.name(), Map.of("size", size), this::once);
        return 0;
    }
}
