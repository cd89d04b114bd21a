// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import dotty.tools.dotc.Main;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** A program that runs the Scala 3 compiler, "dotty". */
@Command(name = "scala", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "The Scala 3 compiler compiles a library.")
final class ScalaCompiler extends CompilerProgram {

    ScalaCompiler() {
        super(".scala");
    }

    @Override
    void compile(List<String> sources, Path classes) {
        List<String> words = new ArrayList<>(List.of("-d", classes.toString(), "-classpath", standardLibrary(),
                "-sourceroot", folder.toString(), "-nowarn"));
        words.addAll(sources);
        if (Main.process(words.toArray(String[]::new)).hasErrors()) {
            throw new IllegalStateException("the sources do not compile");
        }
    }

    private static String standardLibrary() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(jar -> new File(jar).getName().matches("scala3?-library.*\\.jar"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
