// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Programs that differ in the constants of an enumeration, each in a separate class loader. A record contains a constant. */
public final class EnumVersions implements AutoCloseable {
    public static final String ENUM = "versions.Color";
    private static final String RECORD = """
            public record Paint(Color color, int number) implements Comparable<Paint> {
                static { org.terrace.persist.types.Records.define(java.lang.invoke.MethodHandles.lookup()); }
                @Override public int compareTo(Paint other) {
                    int order = color.compareTo(other.color);
                    return order != 0 ? order : Integer.compare(number, other.number);
                }
            }
            """;

    private final Path directory;
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
    private final String inPackage;
    private String former = "";
    private int count;

    public EnumVersions(Path directory) {
        this(directory, "versions");
    }

    /**
     * @param inPackage package of enumeration and record. With a separate package, a test does not find the classes of other tests
     *     in their loaders
     */
    public EnumVersions(Path directory, String inPackage) {
        this.directory = directory;
        this.inPackage = inPackage;
    }

    /** Sets a former name of the enumeration for programs that are compiled afterwards. */
    EnumVersions formerly(String name) {
        former = "@Was(\"" + name + "\") ";
        return this;
    }

    /** One version of the program. */
    public static final class Version implements AutoCloseable {
        private final URLClassLoader loader;
        private final Constructor<?> paint;
        private final Map<String, Object> constants = new LinkedHashMap<>();

        Version(String inPackage, URL classes) {
            loader = new URLClassLoader(new URL[] {classes}, EnumVersions.class.getClassLoader());
            try {
                Class<?> type = loader.loadClass(inPackage + ".Color");
                for (Object constant : type.getEnumConstants()) {
                    constants.put(((Enum<?>) constant).name(), constant);
                }
                paint = loader.loadClass(inPackage + ".Paint").getConstructor(type, int.class);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        /** The constants by name, in their order. */
        public Map<String, Object> constants() {
            return constants;
        }

        public Object paint(String name, int number) {
            try {
                return paint.newInstance(constants.get(name), number);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        public Class<?> paintClass() {
            return paint.getDeclaringClass();
        }

        public ClassLoader loader() {
            return loader;
        }

        /** Sets the thread's context class loader to this program's loader. */
        public void use() {
            Thread.currentThread().setContextClassLoader(loader);
        }

        @Override
        public void close() throws IOException {
            loader.close();
        }
    }

    /** @param constants declarations of the constants, with annotations */
    public Version version(List<String> constants) {
        Path classes = directory.resolve(String.valueOf(count++));
        try {
            Files.createDirectories(classes);
            files.setLocation(StandardLocation.CLASS_OUTPUT, List.of(classes.toFile()));
            List<String> entries = Arrays.asList(System.getProperty("java.class.path").split(java.io.File.pathSeparator));
            files.setLocation(StandardLocation.CLASS_PATH, entries.stream().filter(e -> e.contains("classes"))
                    .map(java.io.File::new).collect(Collectors.toList()));
            compile(Map.of("Color", "package " + inPackage + "; import org.terrace.persist.Was; " + former + "public enum Color { "
                    + String.join(", ", constants) + " }", "Paint", "package " + inPackage + "; " + RECORD));
            return new Version(inPackage, classes.toUri().toURL());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compile(Map<String, String> sources) {
        List<JavaFileObject> units = sources.entrySet().stream().map(source -> (JavaFileObject) new SimpleJavaFileObject(
                URI.create("string:///" + inPackage + "/" + source.getKey() + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source.getValue();
            }
        }).collect(Collectors.toList());
        StringBuilder errors = new StringBuilder();
        boolean compiled = compiler.getTask(null, files, message -> errors.append(message).append('\n'),
                List.of("-proc:none", "-g:none", "-Xlint:none"), null, units).call();
        if (!compiled) {
            throw new AssertionError(errors);
        }
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
