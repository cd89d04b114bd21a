// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.suites;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;

/**
 * Adapts tests of the JDK that create collections of {@code java.util}. A copy of their sources is changed to create persistent
 * collections, compiled and loaded. The sources come from the JDK that the repository builds, and are not part of the repository.
 */
final class Upstream {
    private static final Pattern IMPORT = Pattern.compile("^import ", Pattern.MULTILINE);
    private static final String IMPORTS = "import org.terrace.persist.suites.*;\nimport org.terrace.persist.types.*;\n";
    /** Includes packages of a library that the JDK's tests add to the JDK's own packages. All files are written to one folder. */
    private static final Pattern PACKAGE = Pattern.compile("^package (java|org)\\..*$", Pattern.MULTILINE);
    private static final Pattern BOOT_IMPORT = Pattern.compile("^import java\\.util\\.(stream\\.)?(Spliterator|Lambda|Stream)\\w*"
            + "(Helpers?|Builder);$", Pattern.MULTILINE);
    private static final Pattern RANDOM = Pattern.compile("\\bnew (java\\.util\\.)?Random\\(\\)");
    /** Matches arguments without a comparator, and excludes classes that extend the collection. */
    private static final String ARGUMENTS = "\\((?!(?:\\w+\\.)*(?:<.*?>)?"
            + "(?:cmp|reverseOrder|CASE_INSENSITIVE_ORDER|\\w*[cC]omparator)\\b|\\)\\s*\\{)";
    private final Path folder;
    private final List<String> files = new ArrayList<>();

    /** Creates a folder of this name, which remains for the analysis of errors. */
    Upstream(String name) throws IOException {
        folder = Path.of(System.getProperty("java.io.tmpdir"), "upstream", name);
        if (Files.exists(folder)) {
            try (Stream<Path> old = Files.walk(folder)) {
                old.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
            }
        }
        Files.createDirectories(folder);
    }

    /** The tests, or one skipped test with an explanation if there are no sources. */
    static Stream<DynamicTest> tests(Callable<Stream<DynamicTest>> tests) throws Exception {
        return Files.isDirectory(root()) ? tests.call() : Stream.of(DynamicTest.dynamicTest("sources", () ->
                assumeTrue(false, "no sources of the JDK: ./terrace build fetches them, and -Dpersist.upstream=FOLDER names their folder"
                        + " (build/upstream/src)")));
    }

    /** The tests in thorough runs, otherwise none. */
    static Stream<DynamicTest> thorough(Callable<Stream<DynamicTest>> tests) throws Exception {
        return Suites.THOROUGH ? tests(tests) : Stream.empty();
    }

    private static Path root() {
        return Path.of(System.getProperty("persist.upstream", ""), "test/jdk/java/util");
    }

    static Source source(String path) throws IOException {
        return new Source(path, Files.readString(root().resolve(path).normalize()));
    }

    Upstream with(Source... sources) throws IOException {
        for (Source source : sources) {
            String name = source.name() + ".java";
            String text = PACKAGE.matcher(source.text).replaceFirst("import java.util.*;\nimport java.util.stream.*;");
            text = BOOT_IMPORT.matcher(text).replaceAll("");
            text = seeded(source.path, text);
            Files.writeString(folder.resolve(name), IMPORT.matcher(text).replaceFirst(IMPORTS + "$0"));
            files.add(folder.resolve(name).toString());
        }
        return this;
    }

    /** Replaces unseeded random numbers, so that a test can be repeated with the same ones. */
    private static String seeded(String path, String text) {
        Matcher random = RANDOM.matcher(text);
        if (!random.find()) {
            return text;
        }
        System.out.println("random numbers of " + path + ": -Dpersist.seed=" + Suites.SEED);
        return random.replaceAll("new java.util.Random(" + Suites.SEED + "L)");
    }

    /** Compiles the sources and returns the loader of the classes. */
    ClassLoader compiled() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-nowarn", "-Xlint:none", "-proc:none", "-implicit:none", "-encoding",
                "UTF-8", "-d", folder.toString(), "-cp", System.getProperty("java.class.path")));
        arguments.addAll(files);
        if (ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("the adapted sources in " + folder + " do not compile; the errors are above");
        }
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, Upstream.class.getClassLoader());
    }

    /** The text of a file. Each replacement throws if nothing matches, because then the file has changed. */
    static final class Source {
        private final String path;
        private String text;

        Source(String path, String text) {
            this.path = path;
            this.text = text;
        }

        /** Name of the class. */
        String name() {
            return Path.of(path).getFileName().toString().replace(".java", "");
        }

        Source replace(String regex, String replacement) {
            String changed = text.replaceAll(regex, replacement);
            if (changed.equals(text)) {
                throw new IllegalStateException(path + " has nothing that matches " + regex);
            }
            text = changed;
            return this;
        }

        /** Replaces all matches, if there are any. */
        Source everywhere(String regex, String replacement) {
            text = text.replaceAll(regex, replacement);
            return this;
        }

        /** Replaces the creation of collections by methods of {@link Made}, unless they have a comparator. */
        Source made(String type, String maker) {
            String name = "(?:java\\.util\\.(?:concurrent\\.)?)?\\b" + type;
            text = text.replaceAll("\\bnew " + name + "(?:<>)?" + ARGUMENTS, "Made." + maker + "(")
                    .replaceAll("\\bnew " + name + "(<[^()]*?>)" + ARGUMENTS, "Made.$1" + maker + "(");
            return reference(type, maker);
        }

        /** Replaces only references to constructors. */
        Source reference(String type, String maker) {
            text = text.replaceAll("(?:java\\.util\\.(?:concurrent\\.)?)?\\b" + type + "(?:<\\w+>)?::new", "Made::" + maker);
            return this;
        }

        /** Replaces a class by a persistent class, and its constructors by methods of {@link Made}. */
        Source persistent(String type, String persistent) {
            String maker = "Made." + Character.toLowerCase(persistent.charAt(0)) + persistent.substring(1);
            text = text.replaceAll("\\bnew " + type + "(<>)?\\(", maker + "(")
                    .replaceAll("\\bnew " + type + "(<[^()]*>)\\(", maker.replace("Made.", "Made.$1") + "(");
            return replace("(?<![.\\w])" + type + "\\b(?!\\()", "Persistent" + persistent);
        }

        /** Removes methods. */
        Source without(String... methods) {
            for (String method : methods) {
                replace("(?ms)(?:^    @[^\\n]*\\n)?^    (?:\\w+ )*(?:<.*?> )?[\\w<>]+ " + method + "\\([^;{]*\\{.*?^    \\}", "");
            }
            return this;
        }
    }
}
