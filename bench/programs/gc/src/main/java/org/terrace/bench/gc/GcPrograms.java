// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The programs of this package, as subcommands. */
@Command(name = "gc", mixinStandardHelpOptions = true,
        description = {
            "Programs that use real libraries to measure garbage collectors. ./terrace bench gc starts them.",
            "Each prints one line of JSON to standard output. All other output goes to standard error."},
        subcommands = {
            LuceneIndex.class, LuceneSearch.class, Database.class, JavaCompiler.class, ScalaCompiler.class, Python.class,
            Stylesheets.class, GraphScience.class, Cassandra.class, KeyValue.class})
public final class GcPrograms {

    private GcPrograms() {
    }

    public static void main(String[] arguments) {
        int status = 1;
        try {
            status = run(arguments);
        } catch (Error e) { // picocli reports exceptions only
            e.printStackTrace();
        }
        // Servers leave threads running.
        System.exit(status);
    }

    static int run(String... arguments) {
        return new CommandLine(new GcPrograms()).execute(arguments);
    }
}
