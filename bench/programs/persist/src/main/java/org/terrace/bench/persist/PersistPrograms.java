// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.terrace.bench.persist.bank.BankBenchmark;
import org.terrace.bench.persist.ycsb.Ycsb;
import org.terrace.bench.persist.ycsb.YcsbList;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The programs of this package, as subcommands. */
@Command(name = "persist", mixinStandardHelpOptions = true,
        description = {
            "Programs that measure the persistent heap. ./terrace bench persist starts them.",
            "Each prints one line of JSON to standard output. All other output goes to standard error."},
        subcommands = {Commits.class, Blocks.class, Recovery.class, SpaceOverhead.class, BankBenchmark.class, Ycsb.class,
            YcsbList.class})
public final class PersistPrograms {

    private PersistPrograms() {
    }

    public static void main(String[] arguments) {
        int status = 1;
        try {
            status = run(arguments);
        } catch (Error e) { // picocli reports exceptions only
            e.printStackTrace();
        }
        System.exit(status);
    }

    static int run(String... arguments) {
        return new CommandLine(new PersistPrograms()).execute(arguments);
    }

    /** Prints a result. */
    public static void print(Map<String, ?> result) {
        try {
            System.out.println(new ObjectMapper().writeValueAsString(result));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
