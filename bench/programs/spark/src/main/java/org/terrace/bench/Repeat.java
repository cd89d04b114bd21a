// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.terrace.bench.harness.Iterations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs another program, including the start of Spark, repeatedly in one JVM. */
@Command(name = "repeat", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Runs another program several times, the first times as warmup. Example: repeat --iterations 5 -- pagerank EDGES")
final class Repeat implements Callable<Integer> {

    @Mixin
    private Iterations iterations;

    @Parameters(arity = "1..*", paramLabel = "PROGRAM", description = "The program and its arguments.")
    private List<String> words;

    @Override
    public Integer call() throws Exception {
        iterations.run(words.get(0), Map.of("words", words), latencies -> result());
        return 0;
    }

    /** Returns the result in the program's line of output. */
    private Object result() throws IOException {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        int status;
        try {
            status = Main.run(words.toArray(String[]::new));
        } finally {
            System.setOut(out);
        }
        if (status != 0) {
            throw new IllegalStateException(words.get(0) + " ended with status " + status);
        }
        return new ObjectMapper().readTree(printed.toByteArray()).get("result");
    }
}
