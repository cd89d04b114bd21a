// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestPath
 * @summary The VM rejects a path that cannot hold H2 with a message that names it, and does not change the files there
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestPath
 */

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import gc.terrace.h2.Tmpfs;

import static gc.terrace.h2.options.VM.*;

public class TestPath {

    public static void main(String[] args) throws Exception {
        missing();
        aFileInItsPlace();
        danglingLink();
        noDisk();
        unwritable();
        empty();
        readOnlyFileSystem();
    }

    private static void missing() throws Exception {
        Path missing = Path.of("missing").toAbsolutePath();
        assertRefused(run("-XX:AllocateH2At=" + missing), "AllocateH2At", missing.toString());
        assertRefused(run("-XX:AllocateH2At=" + missing + "/below"), "AllocateH2At");
        if (Files.exists(missing)) {
            throw new RuntimeException("the VM made " + missing);
        }
    }

    private static void aFileInItsPlace() throws Exception {
        Path file = Path.of("precious").toAbsolutePath();
        byte[] content = "do not truncate me".getBytes();
        Files.write(file, content);
        Object modified = Files.getLastModifiedTime(file);
        assertRefused(run("-XX:AllocateH2At=" + file), "AllocateH2At", file.toString(), "directory");
        assertRefused(run("-XX:AllocateH2At=" + file + "/"), "AllocateH2At");
        if (!java.util.Arrays.equals(Files.readAllBytes(file), content)
                || !Files.getLastModifiedTime(file).equals(modified)) {
            throw new RuntimeException("the VM changed " + file);
        }
    }

    private static void danglingLink() throws Exception {
        Path link = Files.createSymbolicLink(Path.of("dangling").toAbsolutePath(), Path.of("nowhere"));
        assertRefused(run("-XX:AllocateH2At=" + link), "AllocateH2At");
    }

    // No user can create files there, not even root. Only root passes the check of permissions.
    private static void noDisk() throws Exception {
        String reason = Files.isWritable(Path.of("/proc")) ? "AllocateH2At=/proc: this file system stores no data" : "AllocateH2At=/proc";
        assertRefused(run("-XX:AllocateH2At=/proc"), reason);
        assertRefused(run("-XX:AllocateH2At=/proc", "-XX:H2Size=64m"), reason);
    }

    private static void unwritable() throws Exception {
        Path directory = freshDirectory("unwritable");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
        if (!Files.isWritable(directory)) {
            assertRefused(run("-XX:AllocateH2At=" + directory), "AllocateH2At", directory.toString());
        }
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    // Root may write to every writable file system.
    private static void readOnlyFileSystem() throws Exception {
        Path mountPoint = freshDirectory("readonly");
        try (Tmpfs tmpfs = new Tmpfs(mountPoint, "ro")) {
            assertRefused(run("-XX:AllocateH2At=" + mountPoint), "AllocateH2At=" + mountPoint, "Read-only");
        }
    }

    private static void empty() throws Exception {
        assertRefused(run("-XX:AllocateH2At="), "AllocateH2At");
    }
}
