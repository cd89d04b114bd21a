// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The main class, with the benchmark programs as subcommands. */
@Command(name = "bench", mixinStandardHelpOptions = true,
        description = {
            "Plain Spark programs, and programs that make their input from data at hand.",
            "Each prints one line of JSON to standard output; everything else goes to standard error."},
        footer = {"",
            "With the second heap: start the JVM with -XX:AllocateH2At=<dir> and add",
            "--conf spark.plugins=org.terrace.spark.TerracePlugin. The JVM flags that Spark needs are in jvm.args."},
        subcommands = {
            PageRank.class, ConnectedComponents.class, ShortestPaths.class, SvdPlusPlus.class, TriangleCount.class,
            TransitiveClosure.class,
            LinearRegression.class, LogisticRegression.class, SupportVectorMachine.class, NaiveBayes.class,
            KMeans.class, Relation.class, NestedRecords.class, Repeat.class,
            CallGraph.class, PackageGraph.class, RandomGraph.class})
public final class Main {

    private Main() {
    }

    public static void main(String[] args) {
        System.exit(run(args));
    }

    static int run(String... args) {
        CommandLine commandLine = new CommandLine(new Main());
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        return commandLine.execute(args);
    }
}
