// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Callable;
import org.terrace.persist.HeapException;
import org.terrace.persist.heap.files.HeapImage;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.Site;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Exports the objects that roots reach for other programs. */
@Command(name = "export", mixinStandardHelpOptions = true,
        description = "Writes all that roots reach as lines of JSON, which need neither this library nor the program's classes.",
        footerHeading = "%n",
        footer = {
            "  prints   lines of JSON, or nothing with --output",
            "  takes    a second, and as long as it takes to read what the roots reach",
            "  example  ./terrace heap export -o app.json app.heap"})
public final class Export implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the heap; its log is in the same folder")
    private Path file;

    @Option(names = "--root", paramLabel = "NAME", description = "only what this root reaches (may be repeated; default: all)")
    private List<String> roots = List.of();

    @Option(names = {"-o", "--output"}, paramLabel = "TO",
            description = "a file that does not exist: it appears whole or not at all (default: standard output)")
    private Path to;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        try (HeapImage image = HeapImage.openIntact(file)) {
            long dead = to == null ? print(image) : write(image);
            if (dead > 0) {
                spec.commandLine().getErr().println(file + ": " + dead + (dead == 1 ? " reference leads to an object" :
                        " references lead to objects") + " that was freed or never validated, and null in the export");
            }
        }
        return 0;
    }

    private long print(HeapImage image) {
        try {
            return new Exporter(image, new Checked(System.out)).export(roots);
        } catch (IOException e) {
            throw new HeapException("standard output cannot be written: " + e.getMessage(), e);
        }
    }

    private long write(HeapImage image) {
        if (Files.exists(to)) {
            throw new HeapException(to + " exists: remove it, or choose another name for the export");
        }
        Path whole = to.toAbsolutePath();
        Path temporary = null;
        try {
            // Only the owner may read it, because the heap may be private.
            temporary = Files.createTempFile(whole.getParent(), whole.getFileName() + ".", ".new");
            long dead;
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE);
                    OutputStream out = Channels.newOutputStream(channel)) {
                dead = new Exporter(image, out).export(roots);
                channel.force(true);
            }
            Files.move(temporary, whole);
            temporary = null;
            Medium.MEDIUM.syncNames(whole, Site.NAME_SYNC);
            return dead;
        } catch (NoSuchFileException e) {
            throw new HeapException(to + " cannot be written: there is no folder " + whole.getParent(), e);
        } catch (AccessDeniedException e) {
            throw new HeapException(to + " cannot be written: permission denied in " + whole.getParent(), e);
        } catch (IOException e) {
            throw new HeapException(to + " cannot be written: " + e.getMessage(), e);
        } finally {
            delete(temporary);
        }
    }

    private void delete(Path temporary) {
        if (temporary != null) {
            try {
                Files.deleteIfExists(temporary);
            } catch (IOException e) {
                // The exception being thrown says why the file is incomplete.
                spec.commandLine().getErr().println(temporary + " is no whole export, and could not be removed: " + e);
            }
        }
    }

    /** Reports write errors, which a print stream hides. */
    private static final class Checked extends OutputStream {
        private final PrintStream out;

        Checked(PrintStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            check();
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
            check();
        }

        @Override
        public void flush() throws IOException {
            check();
        }

        private void check() throws IOException {
            if (out.checkError()) {
                throw new IOException("the device is full, or nobody reads any more");
            }
        }
    }
}
