// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.terrace.bench.harness.Latencies;
import picocli.CommandLine.Option;

/** A program that compiles the sources of a published library. */
abstract class CompilerProgram extends GcProgram {

    @Option(names = "--sources", required = true, paramLabel = "JAR",
            description = "The jar of sources to compile, --size times in each iteration.")
    private Path jar;

    private final String suffix;
    private List<String> sources;

    CompilerProgram(String suffix) {
        this.suffix = suffix;
    }

    abstract void compile(List<String> sources, Path classes);

    @Override
    void prepare() throws IOException {
        Path target = folder.resolve("sources");
        try (FileSystem archive = FileSystems.newFileSystem(jar); Stream<Path> files = Files.walk(archive.getPath("/"))) {
            sources = files.filter(file -> file.toString().endsWith(suffix)).sorted()
                    .map(file -> copied(file, target.resolve(file.toString().substring(1)))).collect(Collectors.toList());
        }
    }

    private static String copied(Path file, Path target) {
        try {
            Files.createDirectories(target.getParent());
            return Files.copy(file, target).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    Object once(Latencies latencies) throws IOException {
        long sum = 0;
        for (int i = 0; i < size; i++) {
            Path classes = Files.createTempDirectory(folder, "classes");
            long start = System.nanoTime();
            compile(sources, classes);
            latencies.record("compilation", System.nanoTime() - start);
            sum += checksumAndDelete(classes);
        }
        return sum;
    }

    /** Deletes the compiled files, and returns a checksum of their names and contents. */
    private static long checksumAndDelete(Path classes) throws IOException {
        long sum = 0;
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                if (Files.isRegularFile(file)) {
                    CRC32 content = new CRC32();
                    content.update(Files.readAllBytes(file));
                    sum += content.getValue() * (1 | classes.relativize(file).toString().hashCode());
                }
                Files.delete(file);
            }
        }
        return sum;
    }
}
