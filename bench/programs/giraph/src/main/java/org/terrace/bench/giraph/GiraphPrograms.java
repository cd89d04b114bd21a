// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.GiraphConstants;
import org.apache.giraph.utils.InternalVertexRunner;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The main class, which runs one program in this process, with a ZooKeeper of its own. */
@Command(name = "giraph", mixinStandardHelpOptions = true, description = {
    "Runs a Giraph program in this process on an R-MAT graph, which is generated as it is loaded.",
    "Prints one line of JSON to standard output. All other output goes to standard error."}, footer = {"",
        "To use the second heap, start the JVM with -XX:AllocateH2At=<dir> and add",
        "-D giraph.mapper.observers=org.terrace.giraph.TerracePlugin"})
public final class GiraphPrograms implements Callable<Integer> {

    @Parameters(description = "One of ${COMPLETION-CANDIDATES}.")
    private Program program;

    @Option(names = "--scale", defaultValue = "16", description = "Binary logarithm of the number of vertices (16).")
    private int scale;

    @Option(names = "--degree", defaultValue = "16", description = "Edges per vertex (16). WCC and CDLP use undirected edges.")
    private int degree;

    @Option(names = "--seed", defaultValue = "1", description = "Random seed of the graph (1).")
    private long seed;

    @Option(names = "--iterations", defaultValue = "10", description = "Iterations of PageRank and CDLP (10).")
    private int iterations;

    @Option(names = "--partitions", defaultValue = "16", description = "Number of Giraph partitions (16).")
    private int partitions;

    @Option(names = "--threads", defaultValue = "2", description = "Number of threads for loading and for computing (2).")
    private int threads;

    @Option(names = "--dir", required = true, description = "Folder for Giraph's files.")
    private File folder;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "A Giraph option. May be repeated.")
    private Map<String, String> options = new LinkedHashMap<>();

    public static void main(String[] arguments) {
        // Servers leave threads running.
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        return new CommandLine(new GiraphPrograms()).setCaseInsensitiveEnumValuesAllowed(true).execute(arguments);
    }

    @Override
    public Integer call() throws Exception {
        GiraphConfiguration conf = program.on(scale, degree, seed, iterations);
        GiraphConstants.USER_PARTITION_COUNT.set(conf, partitions);
        GiraphConstants.NUM_INPUT_THREADS.set(conf, threads);
        GiraphConstants.NUM_COMPUTE_THREADS.set(conf, threads);
        conf.set(GiraphConstants.PARTITIONS_DIRECTORY.getKey(), new File(folder, "partitions").getPath());
        options.forEach(conf::set);
        Digest digest = new Digest();
        ResultFormat.into(digest);
        long start = System.nanoTime();
        if (InternalVertexRunner.run(conf, null, new String[0], null, folder) == null) {
            System.err.println(program + " failed; Giraph's log above says why");
            return 1;
        }
        // Giraph's servers always take 8 seconds to end, which is not counted.
        System.out.printf("{\"program\": \"%s\", \"seconds\": %.3f, \"result\": %s}%n", program,
                (digest.completed() - start) / 1e9, digest.json());
        return 0;
    }
}
