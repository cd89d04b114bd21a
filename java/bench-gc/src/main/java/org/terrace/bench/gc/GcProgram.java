package org.terrace.bench.gc;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.terrace.bench.harness.Iterations;
import org.terrace.bench.harness.Latencies;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Makes its input, and then works on it again and again. The result depends on the size alone. */
abstract class GcProgram implements Callable<Integer> {

    @Option(names = "--size", required = true, paramLabel = "N", description = "Amount of work in an iteration.")
    int size;

    @Option(names = "--threads", paramLabel = "N", description = "Threads at work; default: one per processor.")
    int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--dir", paramLabel = "DIR", description = "An empty folder for files.")
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));

    @Mixin
    private Iterations iterations;

    @Spec
    private CommandSpec spec;

    /** What comes once, before all iterations. */
    void prepare() throws Exception {
    }

    /** One iteration; returns its result. */
    abstract Object once(Latencies latencies) throws Exception;

    @Override
    public Integer call() throws Exception {
        prepare();
        iterations.run(spec.name(), Map.of("size", size), this::once);
        return 0;
    }
}
