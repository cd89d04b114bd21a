// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.liveness;

/*
 * @test TestEmptyH2
 * @summary A major collection searches for objects that static fields refer to only if H2 contains objects
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @run driver gc.terrace.h2.liveness.TestEmptyH2
 */

import java.util.List;
import java.util.stream.Collectors;

import jdk.test.lib.process.OutputAnalyzer;
import jdk.test.lib.process.ProcessTools;

import static gc.terrace.h2.H2Test.*;

public class TestEmptyH2 {

    private static final String WALK = "walk", NAME = "Permanent classes keep";

    public static void main(String[] args) throws Exception {
        OutputAnalyzer output = ProcessTools.executeProcess(ProcessTools.createLimitedTestJavaProcessBuilder(
            "-Xmx64m", "-XX:AllocateH2At=.", "-XX:H2Size=64m", "-XX:H2RegionSize=2m", "-Xlog:gc+h2=debug",
            "-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyH2", "-XX:+UseParallelGC", Program.class.getName()));
        output.shouldHaveExitValue(0);
        List<String> seen = output.asLines().stream()
            .filter(line -> line.startsWith("then: ") || line.contains(NAME))
            .map(line -> line.contains(NAME) ? WALK : line)
            .collect(Collectors.toList());
        assertEquals(seen, List.of("then: nothing in H2", "then: the first transfer", WALK, "then: something in H2", WALK,
                                   "then: it is dead", WALK, "then: nothing again", "then: the end"), "what happened");
    }

    /** An object of a static field, which a region that refers to it records. */
    private static final int[] OF_STATIC = { 1 };

    public static final class Program {
        public static void main(String[] args) {
            requireH2();
            then("nothing in H2");
            majorGC();
            Object[] root = new Object[] { OF_STATIC, new int[100] };
            then("the first transfer");
            moveToH2(root);
            assertSame(root[0], OF_STATIC, "the object of a static field");
            then("something in H2");
            majorGC();
            assertSame(root[0], OF_STATIC, "the object of a static field");
            root = null;
            then("it is dead");
            majorGC();
            then("nothing again");
            majorGC();
            then("the end");
        }

        private static void then(String what) {
            System.out.println("then: " + what);
        }
    }
}
