// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.List;

/**
 * The tiers of a program's cached RDDs.
 *
 * @param entries by file and line
 * @param ofCallers places that persist an RDD whose creation was not found
 */
record Plan(List<Entry> entries, List<Place> ofCallers, int persistCalls, int unpersistCalls) {

    /** Prefix of the site of an RDD whose creation site is unknown. */
    static final String NO_SITE = "? ";

    /**
     * The RDDs that are created at one place.
     *
     * @param variable its name in the source, "-" if it has none
     * @param otherVariables other names that the rules found
     * @param site as returned by RDD.getCreationSite
     * @param persisted false if it is computed but never cached
     */
    record Entry(String variable, List<String> otherVariables, String site, Place place, Tier tier, String why, boolean persisted,
            List<String> explanation) {

        /** Returns this entry as one that is cached, with another tier. */
        Entry with(Tier other, String because) {
            return new Entry(variable, otherVariables, site, place, other, because, true, explanation);
        }

        boolean hasSite() {
            return !site.startsWith(NO_SITE);
        }
    }
}
