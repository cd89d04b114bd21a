// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.options;

/*
 * @test TestCommandsOff
 * @summary The diagnostic commands of a disabled feature name the flag that enables it
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.management
 * @run driver gc.terrace.h2.options.TestCommandsOff
 */

import java.util.List;

import jdk.test.lib.dcmd.JMXExecutor;
import jdk.test.lib.process.OutputAnalyzer;

import static gc.terrace.h2.options.VM.*;

public class TestCommandsOff {

    private static final String H2_IS_OFF = "H2 is off: start with -XX:AllocateH2At=DIR";
    private static final String FAR_IS_OFF = "Far memory is off: start with -XX:+UseFarMemory";

    public static final class Commands {
        public static void main(String[] args) {
            for (String command : new String[] { "Terrace.h2", "Terrace.h2 -objects", "Terrace.far" }) {
                System.out.println(command + " -> " + new JMXExecutor().execute(command, true).getOutput());
            }
        }
    }

    private static OutputAnalyzer commands(String... flags) throws Exception {
        return run(List.of(flags), Commands.class).shouldHaveExitValue(0);
    }

    public static void main(String[] args) throws Exception {
        for (String collector : new String[] { "Serial", "Parallel" }) {
            OutputAnalyzer output = commands("-XX:+Use" + collector + "GC");
            output.shouldContain("Terrace.h2 -> " + H2_IS_OFF).shouldContain("Terrace.h2 -objects -> " + H2_IS_OFF);
            output.shouldContain("Terrace.far -> " + FAR_IS_OFF);
        }
        commands("-XX:+UseG1GC").shouldContain("Terrace.h2 -> " + H2_IS_OFF).shouldContain("Terrace.far -> Far memory");
        commands("-XX:+UseG1GC", "-XX:-UseFarMemory").shouldContain("Terrace.far -> " + FAR_IS_OFF);
        Object directory = freshDirectory("on");
        commands("-XX:AllocateH2At=" + directory, "-XX:H2Size=64m").shouldNotContain(H2_IS_OFF).shouldContain(directory.toString())
            .shouldContain("Terrace.far -> " + FAR_IS_OFF);
    }
}
