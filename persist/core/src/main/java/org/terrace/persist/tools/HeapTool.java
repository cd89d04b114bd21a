// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line for heap files: {@code java -cp ... org.terrace.persist.tools.HeapTool fsck FILE}. */
@Command(name = "heap", description = "Checks, shows and copies persistent heaps. No program may have the heap open.",
        mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        subcommands = {Fsck.class, Stat.class, Dump.class, Export.class, Backup.class, Restore.class},
        footerHeading = "%n",
        footer = {
            "  prints   what each command says it prints",
            "  takes    a second, and what the command takes",
            "  example  ./terrace heap fsck app.heap"})
public final class HeapTool {
    static final int DAMAGED = 1;
    static final int UNREADABLE = 2;

    private HeapTool() {
    }

    /**
     * Runs a command line and returns the exit status. 0 means success, 1 a damaged heap. 2 means an unreadable heap, a failed
     * output, or a wrong command line.
     */
    public static int run(String... arguments) {
        return commandLine().execute(arguments);
    }

    static CommandLine commandLine() {
        CommandLine heap = new CommandLine(new HeapTool()).setExecutionExceptionHandler((e, line, parsed) -> {
            if (!(e instanceof HeapException)) {
                throw e;
            }
            line.getErr().println(e.getMessage());
            line.getErr().flush();
            return e instanceof CorruptHeapException ? DAMAGED : UNREADABLE;
        });
        String version = "Terrace " + HeapTool.class.getPackage().getImplementationVersion();
        heap.getCommandSpec().version(version);
        heap.getSubcommands().values().forEach(command -> command.getCommandSpec().version(version));
        return heap;
    }

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }
}
