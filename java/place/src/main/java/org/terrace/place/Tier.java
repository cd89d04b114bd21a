// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.Locale;

/** The memory in which the partitions of a cached RDD are kept. */
enum Tier {

    /** In DRAM. */
    FAST,

    /** In the first heap, which is in DRAM, because the partition dies soon. */
    HEAP,

    /** In the slower memory. */
    SLOW,

    /** Unknown from the program, so determined by measurement at run time. */
    AUTO;

    /** Returns the tier with a name, or null. */
    static Tier named(String name) {
        for (Tier tier : values()) {
            if (tier.toString().equals(name)) {
                return tier;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
