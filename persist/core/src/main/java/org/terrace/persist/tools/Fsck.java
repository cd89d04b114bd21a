// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.heap.liveness.HeapCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs all checks of the format on a heap that is not open. It changes nothing. An unread log is replayed in memory. */
@Command(name = "fsck", mixinStandardHelpOptions = true,
        description = "Checks all of a heap and changes nothing. After a crash, the state that an opening would find is checked."
                + " The exit status is 0 if all is well, 1 if something is wrong, 2 if the heap cannot be read.",
        footerHeading = "%n",
        footer = {
            "  prints   a sentence for each problem, with the file and the offset",
            "  takes    a second, and as long as it takes to read the heap",
            "  example  ./terrace heap fsck app.heap"})
public final class Fsck implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the heap; its log is in the same folder")
    private Path file;

    @Option(names = "--threads", paramLabel = "N", description = "threads that follow references (default: processors)")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Spec
    private CommandSpec spec;

    /**
     * The problems of a heap, as sentences that name the file and the offset. Empty if there are none.
     *
     * @throws HeapException if it cannot be read because it is missing, open elsewhere, or has another version
     */
    public static List<String> check(Path file, int threads) {
        try (HeapImage image = HeapImage.open(file)) {
            List<String> problems = new ArrayList<>(image.problems());
            if (image.space() == null) {
                return problems;
            }
            for (String problem : HeapCheck.check(image.space(), threads)) {
                problems.add(problem.startsWith(file.toString()) ? problem : file + ": " + problem);
            }
            if (problems.isEmpty()) {
                problems.addAll(CollectionCheck.check(image.space(), threads));
            }
            return problems;
        }
    }

    @Override
    public Integer call() {
        List<String> problems = check(file, threads);
        problems.forEach(spec.commandLine().getOut()::println);
        spec.commandLine().getOut().println(problems.isEmpty() ? file + ": nothing is wrong"
                : file + ": " + problems.size() + (problems.size() == 1 ? " problem" : " problems"));
        return problems.isEmpty() ? 0 : HeapTool.DAMAGED;
    }
}
