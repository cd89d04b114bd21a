// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

/*
 * @test TestFileSystems
 * @summary A full file system and a quota abandon transfers, and scheduled structures move when there is space again. Objects in H2
 *          can be changed although the file system is full. The VM warns of a directory in memory, and of file systems that
 *          need space for a change
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.space.TestFileSystems
 */

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;
import jtreg.SkippedException;
import gc.terrace.h2.Tmpfs;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestFileSystems {

    private static final List<String> LEFT_OUT = new ArrayList<>();
    private static final String IN_MEMORY = "lies in memory (tmpfs)";
    private static final String NEEDS_SPACE = "space for each changed page";
    // Random data, because the file system may compress.
    private static final String FILL = "sync; dd if=/dev/urandom of=other bs=1M 2>/dev/null; "
        + "dd if=/dev/urandom of=other2 bs=128k 2>/dev/null; sync";
    private static final String CLEAR = "rm other other2; sync";

    public static void main(String[] args) throws Exception {
        inMemory();
        fullExt4();
        fullXfs();
        fullBtrfs();
        fullOverlay();
        copyOnWrite();
        btrfsQuota();
        projectQuota();
        turnedReadOnly();
        if (!LEFT_OUT.isEmpty()) {
            throw new SkippedException("all passed but what cannot be had here: " + LEFT_OUT);
        }
    }

    private static void inMemory() throws Exception {
        Path mountPoint = mountPoint("memory");
        try (Tmpfs tmpfs = new Tmpfs(mountPoint, "size=200m")) {
            run(Moves.class, mountPoint, "").shouldContain("AllocateH2At=" + mountPoint + " " + IN_MEMORY);
        }
        run(Moves.class, Path.of("."), "").shouldNotContain(IN_MEMORY);
    }

    private static void fullExt4() throws Exception {
        Path mountPoint = mountPoint("ext4");
        try (LoopFileSystem disk = LoopFileSystem.mount(mountPoint, 96, "rw", "mkfs.ext4", "-q", "-m", "0")) {
            if (present(disk, "ext4")) {
                full(mountPoint);
            }
        }
    }

    private static void fullXfs() throws Exception {
        Path mountPoint = mountPoint("xfs");
        try (LoopFileSystem disk = LoopFileSystem.mount(mountPoint, 320, "rw", "mkfs.xfs", "-q")) {
            if (present(disk, "XFS")) {
                full(mountPoint);
            }
        }
    }

    private static void full(Path directory) throws Exception {
        OutputAnalyzer output = run(LosesSpace.class, directory, "dd if=/dev/zero of=other bs=64k 2>/dev/null; true",
                                    "rm other");
        output.shouldContain("H2 transfer abandoned: No space left on device; objects stay in H1");
    }

    /** Tests the options with which btrfs could write to another place. */
    private static void fullBtrfs() throws Exception {
        Path mountPoint = mountPoint("full-btrfs");
        for (String options : new String[] { "rw", "compress-force=zstd" }) {
            try (LoopFileSystem disk = LoopFileSystem.mount(mountPoint, 300, options, "mkfs.btrfs", "-q")) {
                if (!presentBtrfs(disk)) {
                    return;
                }
                run(ChangesWhenFull.class, mountPoint, FILL, CLEAR).shouldNotContain(NEEDS_SPACE);
                Path compressed = Files.createDirectory(mountPoint.resolve("compressed"));
                if (present(LoopFileSystem.run("chattr", "+c", compressed.toString()) ? disk : null, "chattr +c")) {
                    run(ChangesWhenFull.class, compressed, FILL, CLEAR).shouldNotContain(NEEDS_SPACE);
                }
            }
        }
    }

    private static void fullOverlay() throws Exception {
        Path mountPoint = mountPoint("under-overlay");
        try (LoopFileSystem disk = LoopFileSystem.mount(mountPoint, 300, "rw", "mkfs.btrfs", "-q")) {
            if (!presentBtrfs(disk)) {
                return;
            }
            Path merged = mountPoint("overlay");
            for (String directory : new String[] { "lower", "upper", "work" }) {
                Files.createDirectory(mountPoint.resolve(directory));
            }
            String layers = "lowerdir=lower,upperdir=upper,workdir=work".replace("=", "=" + mountPoint + "/");
            boolean isMounted = LoopFileSystem.run("mount", "-t", "overlay", "overlay", "-o", layers, merged.toString());
            if (!present(isMounted ? disk : null, "overlay")) {
                return;
            }
            try {
                run(ChangesWhenFull.class, merged, FILL, CLEAR).shouldNotContain(NEEDS_SPACE);
            } finally {
                LoopFileSystem.run("umount", merged.toString());
            }
        }
    }

    /** btrfs without the attribute represents all file systems that write changed pages to another place. */
    private static void copyOnWrite() throws Exception {
        Path mountPoint = mountPoint("copy-on-write");
        try (LoopFileSystem disk = LoopFileSystem.mount(mountPoint, 300, "rw", "mkfs.btrfs", "-q")) {
            if (present(disk, "btrfs")) {
                failing("file_flags:1+", mountPoint).shouldContain(mountPoint + " lies on a file system that allocates " + NEEDS_SPACE);
                failing("fiemap:1", mountPoint).shouldContain(mountPoint + " lies on a file system that may allocate " + NEEDS_SPACE);
                failing("trial_tmpfile:1", mountPoint).shouldContain("may allocate " + NEEDS_SPACE);
            }
        }
    }

    private static OutputAnalyzer failing(String call, Path directory) throws Exception {
        return start(List.of("-Dterrace.h2.failCall=" + call), Moves.class, directory).shouldHaveExitValue(0).shouldContain("the end");
    }

    /** Earlier versions of Linux need space for a store to a mapped page, whatever the attributes of the file. */
    private static boolean presentBtrfs(LoopFileSystem disk) {
        String[] version = System.getProperty("os.version").split("[.-]");
        boolean isNew = Integer.parseInt(version[0]) * 1000 + Integer.parseInt(version[1]) >= 6017;
        return present(disk, "btrfs") && present(isNew ? disk : null, "btrfs of Linux 6.17");
    }

    private static void btrfsQuota() throws Exception {
        Path mountPoint = mountPoint("btrfs");
        try (LoopFileSystem disk = LoopFileSystem.mount(mountPoint, 300, "rw", "mkfs.btrfs", "-q")) {
            Path directory = mountPoint.resolve("limited");
            if (!present(disk, "btrfs") || !present(LoopFileSystem.run("btrfs", "quota", "enable", mountPoint.toString())
                    && LoopFileSystem.run("btrfs", "subvolume", "create", directory.toString()) ? disk : null, "its quotas")) {
                return;
            }
            OutputAnalyzer output = run(LosesSpace.class, directory, "btrfs qgroup limit 12M .", "btrfs qgroup limit none .");
            output.shouldContain("H2 transfer abandoned: Disk quota exceeded; objects stay in H1");
        }
    }

    private static void projectQuota() throws Exception {
        Path mountPoint = mountPoint("project");
        try (LoopFileSystem disk = LoopFileSystem.mount(mountPoint, 128, "prjquota", "mkfs.ext4", "-q", "-O", "quota,project")) {
            Path directory = mountPoint.resolve("limited");
            if (!present(disk, "ext4 with project quotas") || !present(LoopFileSystem.run("mkdir", directory.toString())
                    && LoopFileSystem.run("chattr", "+P", "-p", "7", directory.toString()) ? disk : null, "chattr -p")) {
                return;
            }
            OutputAnalyzer output = run(LosesSpace.class, directory, "setquota -P 7 0 12M 0 0 " + mountPoint,
                                        "setquota -P 7 0 0 0 0 " + mountPoint);
            output.shouldContain("H2 transfer abandoned: Disk quota exceeded; objects stay in H1");
        }
    }

    /** ext4 becomes read-only after an error. */
    private static void turnedReadOnly() throws Exception {
        Path mountPoint = mountPoint("error");
        try (LoopFileSystem disk = LoopFileSystem.mount(mountPoint, 96, "errors=remount-ro", "mkfs.ext4", "-q", "-m", "0")) {
            String error = "/sys/fs/ext4/$(basename $(findmnt -n -o SOURCE " + mountPoint + "))/trigger_fs_error";
            if (!present(disk, "ext4") || !present(LoopFileSystem.run("sh", "-c", "test -w " + error) ? disk : null, error)) {
                return;
            }
            OutputAnalyzer output = start(TurnsReadOnly.class, mountPoint, "echo test >" + error);
            output.shouldContain("H2 transfer abandoned: Read-only file system; objects stay in H1").shouldContain("all is right");
            // The file system decides whether a store fails. If it does, the VM must not treat it as successful.
            output.shouldContain(output.getExitValue() == 0
                ? "the end" : "AllocateH2At=" + mountPoint + ": the device could not deliver or store a page");
        }
    }

    private static boolean present(LoopFileSystem disk, String what) {
        if (disk == null) {
            LEFT_OUT.add(what);
        }
        return disk != null;
    }

    private static Path mountPoint(String name) throws Exception {
        return Files.createDirectories(Path.of(name)).toAbsolutePath();
    }

    private static OutputAnalyzer run(Class<?> program, Path directory, String... arguments) throws Exception {
        return start(program, directory, arguments).shouldHaveExitValue(0).shouldContain("the end");
    }

    private static OutputAnalyzer start(Class<?> program, Path directory, String... arguments) throws Exception {
        return start(List.of(), program, directory, arguments);
    }

    private static OutputAnalyzer start(List<String> options, Class<?> program, Path directory, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
            "-Xmx160m", "-XX:AllocateH2At=" + directory, "-XX:H2Size=64m", "-XX:H2RegionSize=2m", "-Xlog:gc+h2",
            "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-XX:-CreateCoredumpOnCrash",
            "-Ddirectory=" + directory));
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(arguments));
        OutputAnalyzer output = ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(command));
        output.reportDiagnosticSummary();
        return output;
    }

    public static final class Moves {
        public static void main(String[] args) {
            requireH2();
            Tree tree = moveToH2(Tree.make(1000, 1));
            majorGC();
            tree.check(1000, 1);
            System.out.println("the end");
        }
    }

    /** Runs a command that takes the remaining free space, and then another one that frees it. */
    public static final class LosesSpace {
        public static void main(String[] args) throws Exception {
            requireH2();
            Tree first = moveToH2(Tree.make(1000, 1));
            shell(args[0]);
            Tree[] trees = { Tree.make(120_000, 2), Tree.make(120_000, 3) };
            long label = freshLabel();
            SecondHeap.tagRoot(trees, label);
            SecondHeap.move(label);
            for (int round = 0; round < 3; round++) {
                SecondHeap.transfer();
                assertState(State.DUE, trees, "what there is no space for");
                first.check(1000, 1);
                trees[0].check(120_000, 2);
                trees[1].check(120_000, 3);
                first.extra = Tree.make(10, round);
                minorGC();
                ((Tree) first.extra).check(10, round);
            }
            shell(args[1]);
            SecondHeap.transfer();
            assertInH2(trees, "what there is space for again");
            trees[0].check(120_000, 2);
            trees[1].check(120_000, 3);
            first.check(1000, 1);
            System.out.println("the end");
        }

    }

    /** Runs a command that takes all free space. Then changes pages of moved objects, which are written to the device. */
    public static final class ChangesWhenFull {
        private static final int ROUNDS = 2;
        // On a full btrfs, the first store to a page takes some milliseconds, because the system searches for space.
        private static final int STRIDE = 4096;

        public static void main(String[] args) throws Exception {
            requireH2();
            long[][] chunks = new long[16][];
            for (int i = 0; i < chunks.length; i++) {
                chunks[i] = new long[64 * 1024];
                chunks[i][0] = i;
            }
            moveToH2(chunks);
            shell(args[0]);
            for (int round = 0; round < ROUNDS; round++) {
                for (long[] chunk : chunks) {
                    for (int k = 1; k < chunk.length; k += STRIDE) {
                        chunk[k]++;
                    }
                }
                shell("sync");
            }
            shell(args[1]);
            for (int i = 0; i < chunks.length; i++) {
                assertEquals(chunks[i][0], (long) i, "a value that was not changed");
                for (int k = 1; k < chunks[i].length; k += STRIDE) {
                    assertEquals(chunks[i][k], (long) ROUNDS, "a value that was changed in each round");
                }
            }
            System.out.println("the end");
        }
    }

    /** Runs a command that makes the file system fail. Nothing moves any more, and data remain correct. */
    public static final class TurnsReadOnly {
        public static void main(String[] args) throws Exception {
            requireH2();
            Tree first = moveToH2(Tree.make(1000, 1));
            shell("sync; " + args[0]);
            Tree second = Tree.make(120_000, 2);
            long label = freshLabel();
            SecondHeap.tagRoot(second, label);
            SecondHeap.move(label);
            SecondHeap.transfer();
            assertState(State.DUE, second, "what cannot be written");
            first.check(1000, 1);
            second.check(120_000, 2);
            System.out.println("all is right");
            first.extra = second;
            shell("sync");
            minorGC();
            majorGC();
            first.check(1000, 1);
            ((Tree) first.extra).check(120_000, 2);
            System.out.println("the end");
        }
    }

    private static void shell(String command) throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", command).directory(Path.of(System.getProperty("directory")).toFile())
            .inheritIO().start();
        assertEquals(shell.waitFor(), 0, "status of " + command);
    }
}
