// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** Base class for tests of programs that all run simultaneously. */
abstract class ProgramsInProcesses {

    @TempDir
    static Path folder;

    static Processes processes;

    static void startAll(int scale, int supersteps, String home, List<String> vm, String... options) throws IOException {
        processes = new Processes(folder, scale);
        for (Program program : Program.values()) {
            processes.start(program, supersteps, home, vm, options);
        }
    }

    @AfterAll
    static void endAll() {
        processes.close();
    }
}
