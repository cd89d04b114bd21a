// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.terrace.persist.heap.files.HeapCopy;
import org.terrace.persist.heap.files.HeapImage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies a heap that is not open. */
@Command(name = "backup", mixinStandardHelpOptions = true,
        description = "Copies a heap that no program has open into one file that needs no log. A program that has a heap open"
                + " makes copies of it with Heap.backup.",
        footerHeading = "%n",
        footer = {
            "  prints   nothing, or what was wrong with a heap that it salvaged",
            "  takes    a second, and as long as it takes to copy the heap",
            "  example  ./terrace heap backup app.heap app.backup"})
public final class Backup implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FILE", description = "the heap; its log is in the same folder")
    private Path file;

    @Parameters(index = "1", paramLabel = "TO", description = "the copy; there is no file of this name yet")
    private Path to;

    @Option(names = "--salvage", description = "if the log is damaged in its middle, copy what was committed before that. The copy may"
            + " have contradictions: check it with fsck")
    private boolean salvage;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        try (HeapImage image = salvage ? HeapImage.salvage(file) : HeapImage.openIntact(file)) {
            HeapCopy.write(image, to);
            image.problems().forEach(spec.commandLine().getErr()::println);
        }
        return 0;
    }
}
