// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

import java.util.ArrayList;
import java.util.List;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

/** Runs the programs of a test in separate VMs. Each prints "the end" when it has succeeded. */
public final class Child {

    private Child() {
    }

    public static OutputAnalyzer run(Class<?> program, List<String> options, String... more) throws Exception {
        List<String> command = new ArrayList<>(options);
        command.addAll(List.of(more));
        command.add(program.getName());
        System.out.println(String.join(" ", command));
        OutputAnalyzer output = ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(command));
        output.reportDiagnosticSummary();
        output.shouldHaveExitValue(0);
        output.shouldContain("the end");
        return output;
    }
}
