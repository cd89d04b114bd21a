// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.Locale;

/** Where the partitions of a cached RDD are to be kept. */
enum Tier {

    /** In DRAM. */
    FAST,

    /** In the first heap, which is DRAM, because it dies there soon. */
    HEAP,

    /** In the slower memory. */
    SLOW,

    /** The program does not tell; what is measured while it runs must. */
    AUTO;

    /** Null when there is none of this name. */
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
