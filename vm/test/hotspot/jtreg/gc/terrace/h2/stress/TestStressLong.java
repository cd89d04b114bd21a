// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/*
 * @test TestStressLong
 * @key stress randomness
 * @summary A million objects and 200 major collections, every heap verification on, no mismatch
 * @library / /java/api/src/main/java
 * @modules java.management
 * @build gc.terrace.h2.stress.H2Stress
 *
 * @run main/othervm/timeout=14400 -Xmx2g -XX:AllocateH2At=. -XX:H2Size=16g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   gc.terrace.h2.stress.H2Stress --objects=1000000 --major-gcs=200 --report-seconds=60 --require-h2
 */
public class TestStressLong {
}
