// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.spark;

import java.nio.file.Path;
import java.util.Objects;
import org.terrace.SecondHeap.Tier;

/** Gives tests of another package access to the Spark plugin's plan reader. */
public final class PlanReader {

    private final PlacementPlan plan;

    /** @throws IllegalArgumentException if it is not a plan */
    public PlanReader(Path file) {
        plan = PlacementPlan.read(file.toString());
    }

    public int size() {
        return plan.size();
    }

    /** Returns the name of the tier, or "AUTO" if the plan does not contain the site. */
    public String tierOf(String site) {
        return Objects.requireNonNullElse(plan.tierOf(site), Tier.AUTO).name();
    }
}
