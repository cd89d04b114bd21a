// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.evolution;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.terrace.persist.Heap;

/** Compiles programs of one VM, each with a separate class loader. Their classes have the same package, and can have the same names. */
public final class Programs implements AutoCloseable {
    private static final String ITEM = """
            package %1$s;
            import org.terrace.persist.*;
            import static org.terrace.persist.FieldType.LONG;
            public final class %2$s extends PersistentObject implements org.terrace.persist.evolution.Programs.Item {
                static final PersistentClass<%2$s> CLASS = PersistentClass.of(%2$s.class, %2$s::new)%3$s.build();
                public %2$s(Heap heap) { super(CLASS, heap); }
                private %2$s(Heap heap, long offset) { super(heap, offset); }
                @Override public long get(String field) { return getLong(CLASS.offset(field)); }
                @Override public void set(String field, long value) { setLong(CLASS.offset(field), value); }
            }
            """;

    private final Path directory;
    private final String inPackage;
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
    private int count;

    /** @param inPackage package of the classes. Tests have different ones, since a test may leave loaders behind */
    Programs(Path directory, String inPackage) {
        this.directory = directory;
        this.inPackage = inPackage;
    }

    /** An object of a program, with the fields that its program gives it. */
    public interface Item {
        long get(String field);

        void set(String field, long value);
    }

    /** The class loader of a program. */
    static final class Program extends URLClassLoader {
        private final String inPackage;
        /** Called with each name of a class that the parent lacks. */
        volatile Consumer<String> asked = name -> { };

        Program(String name, String inPackage, URL classes) {
            super(name, new URL[] {classes}, Programs.class.getClassLoader());
            this.inPackage = inPackage;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            asked.accept(name);
            return super.findClass(name);
        }

        String fullName(String name) {
            return inPackage + "." + name;
        }

        /** A class of this program, initialized. */
        @SuppressWarnings("unchecked")
        Class<Item> use(String name) {
            try {
                return (Class<Item>) Class.forName(fullName(name), true, this);
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }

        Item create(Heap heap, String name) {
            try {
                return use(name).getConstructor(Heap.class).newInstance(heap);
            } catch (java.lang.reflect.InvocationTargetException e) {
                throw (RuntimeException) e.getCause();
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public String toString() {
            return "the program " + getName();
        }
    }

    /** Throws an exception or an error. Initializers of programs call it. */
    public static String fail(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    /** An exception that is the cause of its cause. */
    public static RuntimeException circle() {
        RuntimeException cause = new IllegalStateException("cause");
        RuntimeException failure = new IllegalStateException("failure", cause);
        cause.initCause(failure);
        return failure;
    }

    String fullName(String name) {
        return inPackage + "." + name;
    }

    /** A program with a persistent class of this name. The definition is a part of a source text, such as {@code .field("a", LONG)}. */
    Program withItem(String program, String name, String definition) {
        return with(program, name, ITEM.formatted(inPackage, name, definition));
    }

    /** A program with an abstract class {@code Old} without a definition, and a class {@code Item} that extends it. */
    Program withItemOfAbstractOld(String program, String definition) {
        return with(program, "Item", ITEM.formatted(inPackage, "Item", definition).replace("extends PersistentObject", "extends Old") + """
                abstract class Old extends PersistentObject {
                    Old(PersistentClass<?> type, Heap heap) { super(type, heap); }
                    Old(Heap heap, long offset) { super(heap, offset); }
                }
                """);
    }

    /** A program with another class of this name. The declaration is a source text, such as {@code public class A { }}. */
    Program withOther(String program, String name, String declaration) {
        return with(program, name, "package " + inPackage + "; " + declaration);
    }

    private Program with(String program, String name, String source) {
        Path classes = directory.resolve(program + count++);
        try {
            Files.createDirectories(classes);
            compile(classes, name, source);
            return new Program(program, inPackage, classes.toUri().toURL());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Adds a persistent class to a program. */
    void addItem(Program program, String name, String definition) {
        compile(directoryOf(program), name, ITEM.formatted(inPackage, name, definition));
    }

    /** Removes the file of a class that the program has not loaded yet. */
    void remove(Program program, String name) {
        try {
            Files.delete(directoryOf(program).resolve(inPackage.replace('.', '/')).resolve(name + ".class"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Path directoryOf(Program program) {
        return Path.of(URI.create(program.getURLs()[0].toString()));
    }

    private void compile(Path classes, String name, String source) {
        try {
            files.setLocation(StandardLocation.CLASS_OUTPUT, List.of(classes.toFile()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        JavaFileObject unit = new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
        StringBuilder errors = new StringBuilder();
        boolean compiled = compiler.getTask(null, files, message -> errors.append(message).append('\n'),
                List.of("-proc:none", "-g:none", "-Xlint:none"), null, List.of(unit)).call();
        if (!compiled) {
            throw new AssertionError(errors);
        }
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
