// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.spark;

import java.nio.file.Path;

/** A plan as the Spark plugin reads it, for tests of another package. */
public final class PlanReader {

    private final PlacementPlan plan;

    /** @throws IllegalArgumentException if it is not a plan */
    public PlanReader(Path file) {
        plan = PlacementPlan.read(file.toString());
    }

    public int size() {
        return plan.size();
    }

    /** The name of the tier, "AUTO" if the plan does not name the site. */
    public String tierOf(String site) {
        return plan.tierOf(site).name();
    }
}
