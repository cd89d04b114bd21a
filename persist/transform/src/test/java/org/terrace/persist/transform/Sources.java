// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.tools.ToolProvider;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentObject;

/** Compiles Java sources into a folder and transforms the folder. */
final class Sources {
    static final Path LIBRARY = Path.of(PersistentObject.class.getProtectionDomain().getCodeSource().getLocation().getPath());

    final Path folder;
    final List<String> warnings = new ArrayList<>();

    Sources(Path folder) {
        this.folder = folder;
    }

    /** @param source source of the class Sample */
    Sources compile(String source, String... options) {
        return compileAlone("import org.terrace.persist.*;\nimport java.util.*;\n" + source, options);
    }

    /** Compiles a source without additional imports. */
    Sources compileAlone(String source, String... options) {
        try {
            Path file = Files.writeString(folder.resolve("Sample.java"), source);
            List<String> arguments = new ArrayList<>(List.of("-g", "-nowarn", "-cp", LIBRARY + ":" + folder, "-d",
                    folder.toString()));
            arguments.addAll(List.of(options));
            arguments.add(file.toString());
            ByteArrayOutputStream errors = new ByteArrayOutputStream();
            int code = ToolProvider.getSystemJavaCompiler().run(null, null, new PrintStream(errors),
                    arguments.toArray(String[]::new));
            assertEquals(0, code, () -> errors.toString(StandardCharsets.UTF_8));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs {@code static String run(Heap)} of the class Sample in a separate class loader. */
    String run(Heap heap) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            Method run = loader.loadClass("Sample").getDeclaredMethod("run", Heap.class);
            run.setAccessible(true);
            return (String) run.invoke(null, heap);
        }
    }

    List<String> transform(String... listed) throws TransformException {
        try {
            return new FolderTransformer(List.of(folder), List.of(LIBRARY), Set.of(listed), warnings::add).transform();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
