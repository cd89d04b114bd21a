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
 * Tests of the JDK that make collections of {@code java.util}: a copy of their sources in which they make persistent ones is compiled
 * and loaded. The sources are those of the JDK that the repository builds, and are no part of the repository.
 */
final class Upstream {
    private static final Pattern IMPORT = Pattern.compile("^import ", Pattern.MULTILINE);
    private static final String IMPORTS = "import org.terrace.persist.suites.*;\nimport org.terrace.persist.types.*;\n";
    /** Also of a library that the JDK's tests add to its own packages. All files go to one folder. */
    private static final Pattern PACKAGE = Pattern.compile("^package (java|org)\\..*$", Pattern.MULTILINE);
    private static final Pattern BOOT_IMPORT = Pattern.compile("^import java\\.util\\.(stream\\.)?(Spliterator|Lambda|Stream)\\w*"
            + "(Helpers?|Builder);$", Pattern.MULTILINE);
    private static final Pattern RANDOM = Pattern.compile("\\bnew (java\\.util\\.)?Random\\(\\)");
    /** No comparator, and no class that extends the collection. */
    private static final String ARGUMENTS = "\\((?!(?:\\w+\\.)*(?:<.*?>)?"
            + "(?:cmp|reverseOrder|CASE_INSENSITIVE_ORDER|\\w*[cC]omparator)\\b|\\)\\s*\\{)";
    private final Path folder;
    private final List<String> files = new ArrayList<>();

    /** In a folder of this name, which stays for one who looks for an error. */
    Upstream(String name) throws IOException {
        folder = Path.of(System.getProperty("java.io.tmpdir"), "upstream", name);
        if (Files.exists(folder)) {
            try (Stream<Path> old = Files.walk(folder)) {
                old.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
            }
        }
        Files.createDirectories(folder);
    }

    /** Where there are no sources, one test that says so and is skipped. */
    static Stream<DynamicTest> tests(Callable<Stream<DynamicTest>> tests) throws Exception {
        return Files.isDirectory(root()) ? tests.call() : Stream.of(DynamicTest.dynamicTest("sources", () ->
                assumeTrue(false, "no sources of the JDK: ./terrace build fetches them, and -Dpersist.upstream=FOLDER names their folder"
                        + " (build/upstream/src)")));
    }

    /** None but in thorough runs. */
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

    /** A test that draws random numbers draws the same ones again. */
    private static String seeded(String path, String text) {
        Matcher random = RANDOM.matcher(text);
        if (!random.find()) {
            return text;
        }
        System.out.println("random numbers of " + path + ": -Dpersist.seed=" + Suites.SEED);
        return random.replaceAll("new java.util.Random(" + Suites.SEED + "L)");
    }

    /** The loader of the classes. */
    ClassLoader compiled() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-nowarn", "-Xlint:none", "-proc:none", "-implicit:none", "-encoding",
                "UTF-8", "-d", folder.toString(), "-cp", System.getProperty("java.class.path")));
        arguments.addAll(files);
        if (ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("the adapted sources in " + folder + " do not compile; the errors are above");
        }
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, Upstream.class.getClassLoader());
    }

    /** The text of a file. Each change of it throws if it finds nothing to change, as then the file has become another. */
    static final class Source {
        private final String path;
        private String text;

        Source(String path, String text) {
            this.path = path;
            this.text = text;
        }

        /** The class. */
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

        /** Where there is something to change. */
        Source everywhere(String regex, String replacement) {
            text = text.replaceAll(regex, replacement);
            return this;
        }

        /** Makes persistent collections in place of others, unless they have a comparator, by the methods of {@link Made}. */
        Source made(String type, String maker) {
            String name = "(?:java\\.util\\.(?:concurrent\\.)?)?\\b" + type;
            text = text.replaceAll("\\bnew " + name + "(?:<>)?" + ARGUMENTS, "Made." + maker + "(")
                    .replaceAll("\\bnew " + name + "(<[^()]*?>)" + ARGUMENTS, "Made.$1" + maker + "(");
            return reference(type, maker);
        }

        /** The same for references to constructors only. */
        Source reference(String type, String maker) {
            text = text.replaceAll("(?:java\\.util\\.(?:concurrent\\.)?)?\\b" + type + "(?:<\\w+>)?::new", "Made::" + maker);
            return this;
        }

        /** Uses a persistent class: its constructors are methods of {@link Made}. */
        Source persistent(String type, String persistent) {
            String maker = "Made." + Character.toLowerCase(persistent.charAt(0)) + persistent.substring(1);
            text = text.replaceAll("\\bnew " + type + "(<>)?\\(", maker + "(")
                    .replaceAll("\\bnew " + type + "(<[^()]*>)\\(", maker.replace("Made.", "Made.$1") + "(");
            return replace("(?<![.\\w])" + type + "\\b(?!\\()", "Persistent" + persistent);
        }

        /** Without some methods. */
        Source without(String... methods) {
            for (String method : methods) {
                replace("(?ms)(?:^    @[^\\n]*\\n)?^    (?:\\w+ )*(?:<.*?> )?[\\w<>]+ " + method + "\\([^;{]*\\{.*?^    \\}", "");
            }
            return this;
        }
    }
}
