// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.Map;
import picocli.CommandLine.Option;

/** The common options of the programs that query generated records. */
final class RecordOptions {

    @Option(names = "--records", paramLabel = "N", description = "Number of records.")
    int records;

    @Option(names = "--rounds", paramLabel = "N", description = "Number of times that each query runs.")
    int rounds;

    @Option(names = "--partitions", paramLabel = "N", description = "Number of partitions of the records.")
    int partitions = 32;

    @Option(names = "--seed", paramLabel = "N", description = "Random seed of the records.")
    long seed = 42;

    /** Creates options with the program's own defaults. */
    RecordOptions(int records, int rounds) {
        this.records = records;
        this.rounds = rounds;
    }

    void report(Map<String, Object> parameters) {
        parameters.put("records", records);
        parameters.put("rounds", rounds);
        parameters.put("partitions", partitions);
        parameters.put("seed", seed);
    }
}
