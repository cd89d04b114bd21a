// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.terrace.persist.heap.files.HeapCopy;
import org.terrace.persist.heap.files.HeapImage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks a backup and copies it to the path of the heap. */
@Command(name = "restore", mixinStandardHelpOptions = true,
        description = "Checks a backup as fsck does, and puts a copy of it where the heap is to be: whole, or not at all.",
        footerHeading = "%n",
        footer = {
            "  prints   nothing, or the problems of the backup",
            "  takes    a second, and as long as it takes to check and copy the heap",
            "  example  ./terrace heap restore --replace app.backup app.heap"})
public final class Restore implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "BACKUP", description = "what backup or Heap.backup wrote, or any heap")
    private Path backup;

    @Parameters(index = "1", paramLabel = "FILE", description = "where the heap is to be")
    private Path file;

    @Option(names = "--replace", description = "take the place of the heap that is there, which no program has open")
    private boolean replace;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        List<String> problems = Fsck.check(backup, Runtime.getRuntime().availableProcessors());
        if (!problems.isEmpty()) {
            problems.forEach(spec.commandLine().getErr()::println);
            spec.commandLine().getErr().println(file + " is as it was, as the backup is damaged");
            return HeapTool.DAMAGED;
        }
        try (HeapImage image = HeapImage.openIntact(backup)) {
            if (replace && Files.exists(file)) {
                HeapCopy.replace(image, file);
            } else {
                HeapCopy.write(image, file);
            }
        }
        return 0;
    }
}
