// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

/*
 * @test TestFailedCalls
 * @summary Whichever call of the operating system fails, the VM does not start and prints the reason, or the program's data remain
 *          correct. Only the loss of data on the device ends the program
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver/timeout=600 gc.terrace.h2.space.TestFailedCalls
 */

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import gc.terrace.h2.Sample;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestFailedCalls {

    private static final Path LOG = Path.of("said.log");
    private static final int EINTR = 4, EIO = 5, EINVAL = 22, ENOSPC = 28, ENOSYS = 38, EOPNOTSUPP = 95, EDQUOT = 122;
    private static final String NOT_SUPPORTED = "1+:" + EOPNOTSUPP;

    /** A failing call and its outcome. The message is "" if the program continues without one. */
    private static final class Case {
        final List<String> rules;     // the last one is for the place
        final String says;
        final boolean starts;
        final boolean ends;

        Case(String says, boolean starts, boolean ends, String... rules) {
            this.rules = List.of(rules);
            this.says = says;
            this.starts = starts;
            this.ends = ends;
        }
    }

    private static final Map<String, List<Case>> CASES = new TreeMap<>();
    // Places that need locked memory (TestLockedMemory), or a machine with several nodes (./terrace nightly --only node).
    private static final Set<String> ELSEWHERE = Set.of("unlock", "set_policy", "move_pages");
    private static final String OF_A_NODE = "(memfd|node_open|node_read|get_policy|bind|populate|page_nodes):.*";

    private static void goesOn(String says, String... rules) {
        add(new Case(says, true, true, rules));
    }

    private static void refuses(String says, String... rules) {
        add(new Case(says, false, false, rules));
    }

    private static void dies(String says, String... rules) {
        add(new Case(says, true, false, rules));
    }

    private static void add(Case c) {
        String rule = c.rules.get(c.rules.size() - 1);
        CASES.computeIfAbsent(rule.substring(0, rule.indexOf(':')), place -> new ArrayList<>()).add(c);
    }

    static {
        refuses("AllocateH2At=.: Permission denied", "stat:1");
        refuses("AllocateH2At=.: Permission denied", "access:1");
        goesOn("", "statvfs:1");       // the size of the file system is then not checked
        refuses("AllocateH2At=. has 0M free", "statvfs:2");
        refuses("AllocateH2At=.: Too many open files", "tmpfile:1");
        goesOn("", "tmpfile:1:" + EOPNOTSUPP);
        refuses("AllocateH2At=.: Permission denied", "tmpfile:" + NOT_SUPPORTED, "mkostemp:1");
        refuses("AllocateH2At=.: Operation not permitted", "tmpfile:" + NOT_SUPPORTED, "unlink:1");
        refuses("ulimit -f", "ftruncate:1");
        refuses("AllocateH2At=.: I/O error", "ftruncate:1:" + EIO);
        refuses("AllocateH2At=.: Cannot allocate memory", "mmap:1");
        goesOn("A new mapping may be locked: Cannot allocate memory", "unlock_new:1+");
        goesOn("H2RandomAccess: Invalid argument", "random:1");
        goesOn("H2HugePages: Invalid argument", "hugepage:1");
        goesOn("Huge pages: off", "fstatfs:1");
        goesOn("does not get the attribute NOCOW: ", "file_flags:1+");
        String maybe = "AllocateH2At=. lies on a file system that may allocate space for each changed page";
        goesOn(maybe, "fstatfs:1", "trial_tmpfile:1");
        goesOn(maybe, "fstatfs:1", "fiemap:1");
        goesOn("Core dumps contain all of H2Size: Invalid argument", "out_of_core:1+");
        for (int i = 1; i <= 7; i++) {
            refuses("", "reserve:" + i);
        }
        for (String error : new String[] { "", ":" + EDQUOT, ":" + EIO }) {
            String says = "H2 transfer abandoned: "
                + (error.isEmpty() ? "No space left on device" : error.endsWith("122") ? "Disk quota exceeded" : "I/O error");
            for (String when : new String[] { "1", "2", "1+" }) {
                goesOn(says, "fallocate:" + when + error);
                goesOn(says, "pwrite:" + when + error);
            }
        }
        goesOn("", "fallocate:1:" + EINTR);
        goesOn("", "pwrite:1:" + EINTR);
        goesOn("", "fallocate:" + NOT_SUPPORTED);
        for (int i = 1; i <= 6; i++) {
            refuses("", "commit:" + i);
        }
        for (int i = 1; i <= 4; i++) {
            goesOn("Collections read the cards of all of H2: ", "watch_cards:" + i);
        }
        goesOn("Collections read the cards of all of H2 from now on: ", "watch_cards:5");
        goesOn("Collections read the cards of all of H2 from now on: ", "watch_cards:8");
        goesOn("H2 transfer abandoned: no memory for the cards of H2", "commit:7");
        goesOn("H2 transfer abandoned: no memory for the cards of H2", "commit:8");
        goesOn("H2 transfer abandoned: no memory for the cards of H2", "commit:7+");
        goesOn("Core dumps do not contain all of H2: Invalid argument", "into_core:1+");
        goesOn("Space of a freed region stays allocated", "punch:1+");
        goesOn("", "punch:1:" + EINTR);
        goesOn("H2 transfer abandoned: too many mappings", "allow:1");
        goesOn("H2 transfer abandoned: too many mappings", "allow:1+");
        goesOn("Freed regions stay accessible: too many mappings", "deny:1+");
        goesOn("H2 may be in locked memory", "status_open:1+");
        goesOn("H2 may be in locked memory", "status_read:1+");
        goesOn("", "zero:1+");
        for (int error : new int[] { EIO, ENOSPC, EDQUOT }) {
            dies("AllocateH2At=.: pages were lost when they were written back: ", "sync_file_range:1:" + error);
        }
        goesOn("", "sync_file_range:" + NOT_SUPPORTED);
        goesOn("", "prefetch:1+");
        goesOn("Paging out: Invalid argument", "pageout:1+");
        goesOn("Unmapping pages of a slow region: Invalid argument", "unmap_pages:1+");
        goesOn("Dropping pages of a slow region from memory: Invalid argument", "drop_pages:1+");
        goesOn("", "cache_state:1+");
        goesOn("", "mincore:1+");
        goesOn("accesses cannot be seen, as /proc/self/pagemap cannot be opened; tiers follow hints only", "pagemap_open:1");
        goesOn("accesses cannot be seen, as the system has no PAGEMAP_SCAN (Linux 6.7); tiers follow hints only", "scan_pages:1");
        goesOn("Tiers: accesses are not known: ", "scan_pages:2+");
        goesOn("Tiers: accesses are not watched: Invalid argument", "watch_pages:1+");
        String hintsOnly = "; tiers follow hints only";
        goesOn("the system refuses userfaultfd (Operation not permitted); a container needs a seccomp profile that allows it" + hintsOnly,
               "userfaultfd:1");
        goesOn("userfaultfd does not watch writes (Invalid argument); it needs Linux 6.7" + hintsOnly, "userfaultfd_api:1");
        goesOn("userfaultfd does not watch H2 (Invalid argument)" + hintsOnly, "userfaultfd_register:1");
        refuses("AllocateH2OnNode=0: Too many open files", "memfd:1");
        goesOn("; they are in memory", "memfd:2+");
        refuses("AllocateH2OnNode=0: /sys/devices/system/node cannot be read", "node_open:1");
        refuses("AllocateH2OnNode=0: /sys/devices/system/node cannot be read", "node_read:3");
        refuses("AllocateH2OnNode=0 has 0M", "node_read:4");
        // The free memory of the node is unknown, so the VM does not risk a transfer.
        goesOn("H2 transfer abandoned: No memory left on the node", "node_open:5+");
        goesOn("H2 transfer abandoned: No memory left on the node", "node_read:5");
        goesOn("H2 transfer abandoned: No memory left on the node", "node_read:5+");
        goesOn("", "node_read:6");
        refuses("AllocateH2OnNode=0: get_mempolicy: ", "get_policy:1");
        refuses("AllocateH2OnNode=0: get_mempolicy: ", "get_policy:2");
        refuses("the kernel was built without NUMA", "get_policy:1:" + ENOSYS);
        refuses("AllocateH2OnNode=0: mbind: ", "bind:1");
        goesOn("; they are in memory", "bind:2+");
        refuses("H2FastSize: pages cannot be moved", "populate:1");
        refuses("(Linux 5.14)", "populate:1:" + EINVAL);
        goesOn("Tiers: pages of a region cannot be moved: madvise: ", "populate:2+");
        refuses("H2FastSize: pages cannot be moved", "page_nodes:1");
        goesOn("Tiers: the nodes of pages are unknown: move_pages: ", "page_nodes:2+");
        goesOn("Waits for pages are not known", "wait_open:1+");
        goesOn("", "wait_open:2+");
        goesOn("Waits for pages are not known", "wait_read:1+");
        goesOn("", "wait_read:2+");
        String inMemory = "; they are in memory";
        goesOn(inMemory, "scratch_tmpfile:1+");
        goesOn(inMemory, "scratch_fallocate:1+");
        goesOn("", "scratch_fallocate:1:" + EINTR);
        goesOn("", "scratch_fallocate:" + NOT_SUPPORTED);
        goesOn(inMemory, "scratch_fallocate:" + NOT_SUPPORTED, "scratch_ftruncate:1");
        goesOn("Marks of H2 have no mappings of their own: Cannot allocate memory", "scratch_mmap:1");
        goesOn("", "scratch_mmap:5");
        goesOn(inMemory, "scratch_mmap:1+");
        goesOn("H2 is not marked through: ", "scratch_fallocate:1", "scratch_anonymous:1");
        goesOn("H2 is not marked through: ", "scratch_allow:1");
        for (int error : new int[] { EIO, ENOSPC, EDQUOT }) {
            dies("AllocateH2At=.: pages were lost when they were written back: ", "scratch_sync_file_range:1:" + error);
        }
        goesOn("", "scratch_sync_file_range:" + NOT_SUPPORTED);
        goesOn("The mapping of a table stays accessible: ", "scratch_deny:1");
        goesOn("The table of a marking through H2 keeps", "scratch_drop:1");
        goesOn("", "scratch_drop:1+");                       // after five failures, tables are mapped anew
        goesOn("Closing the file of a table", "scratch_mmap:1", "scratch_close:2");
        goesOn("The table of a marking through H2 keeps", "scratch_mmap:1", "scratch_munmap:1");
    }

    public static void main(String[] args) throws Exception {
        Set<String> places = new HashSet<>(places());
        places.removeAll(ELSEWHERE);
        assertEquals(CASES.keySet(), places, "places with a case here");
        List<String> failed = new ArrayList<>();
        for (List<Case> cases : CASES.values()) {
            // Each run tests every place with one of its errors and times.
            for (Case c : Sample.of(cases, 1)) {
                try {
                    check(c);
                } catch (RuntimeException e) {
                    System.out.println(e);
                    failed.add(String.join(",", c.rules) + ": " + e.getMessage().lines().findFirst().orElse(""));
                }
            }
        }
        assertEquals(failed, List.of(), "what failed");
    }

    /** Returns the places that the VM lists when it is started with an unknown one. */
    private static List<String> places() throws Exception {
        OutputAnalyzer output = run(List.of("nowhere:1"), List.of());
        output.shouldHaveExitValue(1);
        Matcher names = Pattern.compile("the names are ([a-z_ ]+)").matcher(output.getOutput());
        assertTrue(names.find(), "no list of names");
        return List.of(names.group(1).trim().split(" "));
    }

    private static void check(Case c) throws Exception {
        List<String> failures = new ArrayList<>();
        for (String rule : c.rules) {
            failures.add("Made to fail: " + rule.substring(0, rule.indexOf(':')) + System.lineSeparator());
        }
        OutputAnalyzer output = run(c.rules, c.ends ? failures : List.of("what ends this VM"));
        failures.forEach(output::shouldContain);
        output.shouldContain(c.says);
        if (c.ends) {
            output.shouldHaveExitValue(0).shouldContain("the end");
            return;
        }
        output.shouldNotHaveExitValue(0).shouldNotContain("the end");
        if (c.starts) {
            output.shouldContain("AllocateH2At=.").shouldContain("check the device");
        } else {
            output.shouldHaveExitValue(1).shouldContain("Error occurred during initialization of VM");
            output.shouldNotContain("A fatal error has been detected").shouldContain("H2");
        }
    }

    /** @param awaited messages that must appear in the log before the program ends */
    private static OutputAnalyzer run(List<String> rules, List<String> awaited) throws Exception {
        List<String> command = new ArrayList<>(List.of(
            "-Xmx64m", "-XX:AllocateH2At=.", "-XX:H2Size=64m", "-XX:H2RegionSize=2m", "-Xlog:gc+h2=debug",
            "-Xlog:gc+h2=debug:file=" + LOG + "::filecount=0", "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2",
            "-XX:H2DeepMarkingInterval=3", "-XX:H2ResidentLimit=1m",
            "-XX:-CreateCoredumpOnCrash", "-Dterrace.h2.failCall=" + String.join(",", rules)));
        String last = rules.get(rules.size() - 1);
        if (last.startsWith("random:")) {
            command.add("-XX:+H2RandomAccess");
        } else if (last.startsWith("hugepage:")) {
            command.add("-XX:+H2HugePages");
        } else if (last.matches("(unmap_pages|drop_pages|cache_state):.*")) {
            command.add("-XX:H2FastSize=4m");
        } else if (last.matches("(pagemap_open|scan_pages|watch_pages):.*")) {
            command.addAll(List.of("-XX:H2FastSize=4m", "-XX:H2TierPolicy=both", "-XX:H2SampleInterval=20"));
        } else if (last.startsWith("userfaultfd")) {
            command.addAll(List.of("-XX:H2FastSize=4m", "-XX:H2TierPolicy=writes"));
        } else if (last.startsWith("pageout:") || last.matches("wait_(open|read):2.*")) {
            // The first dismissed data stays in memory, so more is dismissed. Waits are sampled once a page had to be read.
            command.addAll(List.of("-XX:H2Size=256m", "-Dlarge=12"));
        }
        if (last.matches(OF_A_NODE)) {
            command.remove("-XX:AllocateH2At=.");
            command.add("-XX:AllocateH2OnNode=0");
        }
        if (last.matches("(populate|page_nodes):.*")) {
            command.add("-XX:H2FastSize=4m");
        }
        command.add(Program.class.getName());
        command.addAll(awaited);
        System.out.println(String.join(",", rules));
        return ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(command));
    }

    /** Moves, prefetches, dismisses, drops and queries structures. Structures that cannot move stay in place. */
    public static final class Program {
        private static final int TREES = 6, SIZE = 3000;

        public static void main(String[] args) throws Exception {
            requireH2();
            Tree[] trees = new Tree[TREES];
            for (int i = 0; i < TREES; i++) {
                trees[i] = Tree.make(SIZE, i);
                long label = freshLabel();
                SecondHeap.tagRoot(trees[i], label);
                SecondHeap.move(label);
                SecondHeap.place(label, i % 2 == 0 ? SecondHeap.Tier.SLOW : SecondHeap.Tier.FAST);
                SecondHeap.transfer();
                SecondHeap.prefetch(trees[i]);
                SecondHeap.dismiss(trees[i]);
            }
            List<byte[]> large = new ArrayList<>();
            for (int i = 0; i < Integer.getInteger("large", 0); i++) {
                large.add(moveToH2(new byte[8 << 20]));
                SecondHeap.dismiss(large.get(i));
            }
            trees[0] = null;
            trees[2].extra = new int[] { 2 };
            SecondHeap.labels();
            for (int i = 0; i < 4; i++) {
                majorGC();
                minorGC();
            }
            SecondHeap.labels();
            trees[0] = Tree.make(SIZE, 0);
            long label = freshLabel();
            SecondHeap.tagRoot(trees[0], label);
            SecondHeap.move(label);
            SecondHeap.transfer();
            SecondHeap.dismiss(trees[0]);
            waitFor(() -> {
                large.forEach(Program::readAgain);
                return hasSaid(args);
            });
            // About once a second the VM checks whether pages were lost, and twenty times a second which threads wait.
            Thread.sleep(1200);
            for (int i = 0; i < TREES; i++) {
                trees[i].check(SIZE, i);
                assertTrue(SecondHeap.state(trees[i]) != State.IN_H1, "what is due is due or moved");
            }
            assertEquals(((int[]) trees[2].extra)[0], 2, "what was stored");
            System.out.println("the end");
        }

        private static void readAgain(byte[] bytes) {
            SecondHeap.dismiss(bytes);
            for (int i = 0; i < bytes.length; i += 4096) {
                assertEquals(bytes[i], 0, "a byte");
            }
        }

        private static boolean hasSaid(String[] awaited) {
            try {
                String log = Files.readString(LOG);
                return Arrays.stream(awaited).allMatch(log::contains);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
