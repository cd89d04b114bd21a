// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the programs of the tests, into a separate folder for each compiler. */
final class Compilers {

    static final Path PROGRAMS = Path.of("src/test/resources/programs");
    private static final Path OLDEST = Path.of(System.getProperty("compilers"), "2.12");
    private static final List<String> CLASS_PATH = List.of(System.getProperty("java.class.path").split(File.pathSeparator));

    private Compilers() {
    }

    static List<Path> sources(String extension) throws IOException {
        try (Stream<Path> files = Files.list(PROGRAMS)) {
            return files.filter(file -> file.toString().endsWith(extension)).sorted().toList();
        }
    }

    static Path javac(List<Path> sources, Path folder, String... options) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> all = new ArrayList<>(List.of("-d", folder.toString(), "-proc:none", "-nowarn", "-Xlint:none", "-cp",
                    String.join(File.pathSeparator, CLASS_PATH)));
            all.addAll(List.of(options));
            boolean done = compiler.getTask(messages, files, null, all, null, files.getJavaFileObjectsFromPaths(sources)).call();
            assertTrue(done, messages.toString());
        }
        return folder;
    }

    /** Compiles with Scala 2.13, which is on the class path. */
    static Path newestScala(List<Path> sources, Path folder, String... options) throws Exception {
        return scalac(Compilers.class.getClassLoader(), String.join(File.pathSeparator, CLASS_PATH), sources, folder, options);
    }

    static Path oldestScala(List<Path> sources, Path folder, String... options) throws Exception {
        List<Path> jars;
        try (Stream<Path> files = Files.list(OLDEST)) {
            jars = files.toList();
        }
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = jars.get(i).toUri().toURL();
        }
        String classPath = Stream.concat(jars.stream().map(Path::toString),
                        CLASS_PATH.stream().filter(jar -> !jar.contains("_2.13") && !jar.contains("scala-")))
                .collect(Collectors.joining(File.pathSeparator));
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            return scalac(loader, classPath, sources, folder, options);
        }
    }

    private static Path scalac(ClassLoader loader, String classPath, List<Path> sources, Path folder, String... options)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-d", folder.toString(), "-nowarn", "-classpath", classPath));
        arguments.addAll(Arrays.asList(options));
        sources.forEach(source -> arguments.add(source.toString()));
        Class<?> main = loader.loadClass("scala.tools.nsc.Main");
        main.getMethod("process", String[].class).invoke(null, (Object) arguments.toArray(String[]::new));
        Object reporter = main.getMethod("reporter").invoke(null);
        assertEquals(false, reporter.getClass().getMethod("hasErrors").invoke(reporter), "scalac");
        return folder;
    }
}
