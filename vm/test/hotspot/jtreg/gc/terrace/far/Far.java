// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

/** Starts VMs with far memory, and parses their output. */
final class Far {

    private static final Pattern MARKING = Pattern.compile(
        "Marking( aborted)?: (\\d+) pages absent; deferred (\\d+) objects and (\\d+) scans; (\\d+) pages became resident, "
        + "(\\d+) swept; prefetched (\\d+) pages, paged out (\\d+); (\\d+) objects reclaimed meanwhile");

    private static final Pattern FULL = Pattern.compile("Pause Full");

    /** Sums over all markings of a VM. */
    static final class Marked {
        int complete;
        int aborted;
        long absent;
        long deferred;
        long scans;
        long cameIn;
        long swept;
        long asked;
        long givenBack;
        long reclaimed;

        @Override
        public String toString() {
            return complete + " markings, " + aborted + " aborted; deferred " + deferred + " objects and " + scans + " scans; "
                + cameIn + " pages became resident, " + swept + " swept; prefetched " + asked + ", paged out " + givenBack
                + "; reclaimed " + reclaimed;
        }
    }

    private Far() {
    }

    /** Starts a VM without the flags of the test itself. */
    static OutputAnalyzer run(List<String> flags, String main, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("-Xlog:gc,gc+far=debug"));
        command.addAll(flags);
        command.add(main);
        command.addAll(List.of(arguments));
        return ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(command));
    }

    /** Returns flags for the torture mode, in which the VM treats one in so many pages as absent. */
    static List<String> tortured(int onePageIn, String... flags) {
        List<String> all = new ArrayList<>(List.of(
            "-XX:+UseFarMemory", "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyFarMemory", "-XX:FarMemoryTorture=" + onePageIn,
            "-XX:+FarMemorySummaries", "-XX:+ExplicitGCInvokesConcurrent"));
        all.addAll(List.of(flags));
        return all;
    }

    static Marked marked(OutputAnalyzer output) {
        Marked sum = new Marked();
        Matcher found = MARKING.matcher(output.getStdout());
        while (found.find()) {
            if (found.group(1) == null) {
                sum.complete++;
            } else {
                sum.aborted++;
            }
            sum.absent += Long.parseLong(found.group(2));
            sum.deferred += Long.parseLong(found.group(3));
            sum.scans += Long.parseLong(found.group(4));
            sum.cameIn += Long.parseLong(found.group(5));
            sum.swept += Long.parseLong(found.group(6));
            sum.asked += Long.parseLong(found.group(7));
            sum.givenBack += Long.parseLong(found.group(8));
            sum.reclaimed += Long.parseLong(found.group(9));
        }
        return sum;
    }

    /** Counts full collections. Each may abort a marking, and a VM with an exhausted heap runs them however few pages are absent. */
    static long fullCollections(OutputAnalyzer output) {
        return FULL.matcher(output.getStdout()).results().count();
    }

    static void check(boolean condition, String message, Object... details) {
        if (!condition) {
            throw new RuntimeException(String.format(message, details));
        }
    }
}
