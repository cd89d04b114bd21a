// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/*
 * @test TestStress
 * @key stress randomness
 * @summary Random mutators against a shadow model, for about a minute; see H2Stress for the long form
 * @library / /java/api/src/main/java
 * @modules java.management
 * @build gc.terrace.h2.stress.H2Stress
 *
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=2g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   gc.terrace.h2.stress.H2Stress --seconds=15 --require-h2
 * @run main/othervm/timeout=600 -Xmx256m -XX:AllocateH2At=. -XX:H2Size=2g -XX:H2RegionSize=2m
 *                   -XX:-UseCompressedOops -XX:TieredStopAtLevel=1 -XX:ParallelGCThreads=1
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.stress.H2Stress --seconds=8 --require-h2
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=2g
 *                   -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2Torture=50 -XX:H2TortureSeed=7
 *                   gc.terrace.h2.stress.H2Stress --seconds=10 --require-h2
 * @run main/othervm/timeout=600 -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -Xint -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.stress.H2Stress --seconds=8 --objects=4000 --threads=2 --big-nodes=1 --require-h2
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=16m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.stress.H2Stress --seconds=6
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:ParallelGCThreads=8
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:H2FailTransferAt=5
 *                   gc.terrace.h2.stress.H2Stress --seconds=6
 * @run main/othervm/timeout=600 -Xmx192m -XX:AllocateH2At=. -XX:H2Size=2g -XX:H2RegionSize=2m
 *                   -XX:H2HighThreshold=1 -XX:H2LowThreshold=0
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.stress.H2Stress --seconds=8 --require-h2
 */
public class TestStress {
}
