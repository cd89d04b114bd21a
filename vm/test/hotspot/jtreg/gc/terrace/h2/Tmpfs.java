// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

import java.io.IOException;
import java.nio.file.Path;

import jtreg.SkippedException;

/** A file system in memory, mounted for a test and unmounted by {@code close}. */
public final class Tmpfs implements AutoCloseable {

    private final Path mountPoint;

    /**
     * @param options options of {@code mount -o}
     * @throws SkippedException without the right to mount
     */
    public Tmpfs(Path mountPoint, String options) throws InterruptedException {
        this.mountPoint = mountPoint;
        if (!run("mount", "-t", "tmpfs", "-o", options, "tmpfs", mountPoint.toString())) {
            throw new SkippedException("all passed but what needs to mount a file system with " + options);
        }
    }

    @Override
    public void close() throws InterruptedException {
        run("umount", mountPoint.toString());
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
