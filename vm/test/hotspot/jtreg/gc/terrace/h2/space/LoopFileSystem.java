// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.space;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A file system in a file, mounted for a test and unmounted by {@code close}. */
final class LoopFileSystem implements AutoCloseable {

    private final Path image;
    private final Path mountPoint;

    private LoopFileSystem(Path image, Path mountPoint) {
        this.image = image;
        this.mountPoint = mountPoint;
    }

    /**
     * @param options options of {@code mount -o}
     * @param mkfs the command that makes the file system, without the name of the file
     * @return null without the right to mount, or if the system does not support the file system
     */
    static LoopFileSystem mount(Path mountPoint, int megabytes, String options, String... mkfs) throws Exception {
        Path image = Path.of(mountPoint.getFileName() + ".img");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength((long) megabytes << 20);
        }
        List<String> make = new ArrayList<>(Arrays.asList(mkfs));
        make.add(image.toString());
        Files.createDirectories(mountPoint);
        if (run(make.toArray(String[]::new)) && run("mount", "-o", "loop," + options, image.toString(), mountPoint.toString())) {
            return new LoopFileSystem(image, mountPoint);
        }
        Files.delete(image);
        return null;
    }

    /** Runs a command, and returns whether it succeeded. */
    static boolean run(String... command) throws InterruptedException {
        System.out.println(String.join(" ", command));
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            System.out.println(e.getMessage());
            return false;
        }
    }

    @Override
    public void close() throws Exception {
        run("umount", mountPoint.toString());
        Files.delete(image);
    }
}
