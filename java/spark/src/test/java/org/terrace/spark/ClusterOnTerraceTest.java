// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Runs the tests of {@link ClusterTest} with a real second heap in each executor. Run with {@code mvn -Dterrace.jdk=HOME}. */
@EnabledIfSystemProperty(named = "terrace.h2", matches = "true", disabledReason = "no second heap on this VM")
class ClusterOnTerraceTest extends ClusterTest {
}
