// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.List;

/**
 * The tiers of a program's cached RDDs.
 *
 * @param entries by file and line
 * @param ofCallers where something is persisted of which no making was seen
 */
record Plan(List<Entry> entries, List<Place> ofCallers, int persistCalls, int unpersistCalls) {

    /** Begins the site of an RDD whose creation site cannot be told. */
    static final String NO_SITE = "? ";

    /**
     * What is made at one place.
     *
     * @param variable its name in the source, "-" without one
     * @param otherVariables other names that the rules came across
     * @param site as RDD.getCreationSite gives it
     * @param persisted otherwise it is only computed, and nothing of it is cached
     */
    record Entry(String variable, List<String> otherVariables, String site, Place place, Tier tier, String why, boolean persisted,
            List<String> explanation) {

        boolean hasSite() {
            return !site.startsWith(NO_SITE);
        }
    }
}
