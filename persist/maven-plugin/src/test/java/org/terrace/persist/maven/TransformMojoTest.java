// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.maven;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.tools.ToolProvider;
import org.apache.maven.plugin.MojoFailureException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.PersistentObject;

/** Tests the goals on folders like those of a build. */
class TransformMojoTest {
    @TempDir
    Path folder;

    private TransformMojo mojo(TransformMojo mojo) {
        List<String> classPath = Arrays.asList(System.getProperty("java.class.path").split(":"));
        mojo.classesDirectory = folder.toFile();
        mojo.classPath = classPath;
        if (mojo instanceof TransformTestsMojo tests) {
            mojo.classesDirectory = null;
            tests.testClassesDirectory = folder.toFile();
            tests.testClassPath = classPath;
        }
        return mojo;
    }

    private void compile(String source) throws IOException {
        Path file = Files.writeString(folder.resolve("Sample.java"), source);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp", System.getProperty("java.class.path"),
                "-d",
                folder.toString(), file.toString()));
    }

    private boolean isPersistent(String name) throws IOException, ClassNotFoundException {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            return PersistentObject.class.isAssignableFrom(loader.loadClass(name));
        }
    }

    @Test
    void annotatedAndListedClassesAreTransformedOnce() throws Exception {
        for (TransformMojo mojo : List.of(mojo(new TransformMojo()), mojo(new TransformTestsMojo()))) {
            compile("@org.terrace.persist.Persistent class Sample { int x; } class Listed { long y; } class Plain { int z; }");
            mojo.classes = List.of("Listed");
            mojo.skip = true;
            mojo.execute();
            assertFalse(isPersistent("Sample"));
            mojo.skip = false;
            mojo.execute();
            assertEquals(List.of(true, true, false), List.of(isPersistent("Sample"), isPersistent("Listed"),
                    isPersistent("Plain")));
            byte[] once = Files.readAllBytes(folder.resolve("Sample.class"));
            mojo.execute();
            assertArrayEquals(once, Files.readAllBytes(folder.resolve("Sample.class")));
        }
    }

    @Test
    void aRefusalFailsTheBuildWithFileAndLine() throws Exception {
        compile("@org.terrace.persist.Persistent\nclass Sample {\n Thread x;\n}");
        MojoFailureException failure = assertThrows(MojoFailureException.class, () -> mojo(new TransformMojo()).execute());
        assertTrue(failure.getMessage().contains("\nSample.java:2: error: Sample.x cannot be persistent: "),
                failure.getMessage());
    }

    @Test
    void aProjectWithoutClassesIsFine() throws Exception {
        TransformMojo mojo = mojo(new TransformMojo());
        mojo.classesDirectory = folder.resolve("missing").toFile();
        mojo.execute();
        assertFalse(Files.exists(folder.resolve("missing")));
    }
}
