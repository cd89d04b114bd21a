// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;
import picocli.CommandLine.Command;

/** A program that runs Eclipse's Java compiler. */
@Command(name = "ecj", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Eclipse's Java compiler compiles a library.")
final class JavaCompiler extends CompilerProgram {

    JavaCompiler() {
        super(".java");
    }

    @Override
    void compile(List<String> sources, Path classes) {
        List<String> words = new ArrayList<>(List.of("-17", "-nowarn", "-proc:none", "-g", "-d", classes.toString(),
                "-classpath", classes.toString()));
        words.addAll(sources);
        PrintWriter log = new PrintWriter(System.err, true);
        if (!BatchCompiler.compile(words.toArray(String[]::new), log, log, null)) {
            throw new IllegalStateException("the sources do not compile");
        }
    }
}
