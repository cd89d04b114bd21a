// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/*
 * @test TestStress
 * @key stress randomness
 * @summary Random mutators are compared with a shadow model, for about a minute. See H2Stress for the long form
 * @library / /java/api/src/main/java
 * @modules java.management
 * @build gc.terrace.h2.stress.H2Stress
 *
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=2g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   gc.terrace.h2.stress.TestStress 0 --seconds=15 --require-h2
 * @run main/othervm/timeout=600 -Xmx256m -XX:AllocateH2At=. -XX:H2Size=2g -XX:H2RegionSize=2m
 *                   -XX:-UseCompressedOops -XX:TieredStopAtLevel=1 -XX:ParallelGCThreads=1
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.stress.TestStress 1 --seconds=8 --require-h2
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=2g
 *                   -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2Torture=50 -XX:H2TortureSeed=7
 *                   gc.terrace.h2.stress.TestStress 2 --seconds=10 --require-h2
 * @run main/othervm/timeout=600 -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -Xint -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.stress.TestStress 3 --seconds=8 --objects=4000 --threads=2 --big-nodes=1 --require-h2
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=16m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.stress.TestStress 4 --seconds=6
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:ParallelGCThreads=8
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2FailTransferAt=5
 *                   gc.terrace.h2.stress.TestStress 5 --seconds=6
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=2g -XX:H2RegionSize=2m
 *                   -XX:H2HighThreshold=1 -XX:H2LowThreshold=0
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.stress.TestStress 6 --seconds=8 --require-h2
 */

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import gc.terrace.h2.Sample;

public class TestStress {

    private static final int WAYS = 7;
    private static final int SAMPLE = 3;

    /** Takes the number of the variant to run, and the arguments of the program. */
    public static void main(String[] args) throws Exception {
        List<Integer> all = IntStream.range(0, WAYS).boxed().collect(Collectors.toList());
        if (Sample.of(all, SAMPLE).contains(Integer.valueOf(args[0]))) {
            H2Stress.main(Arrays.copyOfRange(args, 1, args.length));
        }
    }
}
