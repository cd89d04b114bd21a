// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/*
 * @test TestBoundedSpaceLong
 * @key stress
 * @summary 20 GB of groups of each kind are built and dropped in an H2 of 2 GB
 * @library / /java/api/src/main/java
 * @modules java.management
 * @build gc.terrace.h2.liveness.TestBoundedSpace
 *
 * @run main/othervm/timeout=14400 -Xmx512m -XX:AllocateH2At=. -XX:H2Size=2g -Xlog:gc+h2
 *                   gc.terrace.h2.liveness.TestBoundedSpace 20480
 */
public class TestBoundedSpaceLong {
}
