// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Objects;

/** An interval of keys. A null bound means that this side is unbounded. */
record Range(Object low, boolean lowInclusive, Object high, boolean highInclusive) {

    static Range all() {
        return new Range(null, false, null, false);
    }

    Object bound(boolean upper) {
        return upper ? high : low;
    }

    boolean isInclusive(boolean upper) {
        return upper ? highInclusive : lowInclusive;
    }

    boolean isBelow(Object key) {
        if (low == null) {
            return false;
        }
        int order = Boxed.compare(key, low);
        return order < 0 || order == 0 && !lowInclusive;
    }

    boolean isAbove(Object key) {
        if (high == null) {
            return false;
        }
        int order = Boxed.compare(key, high);
        return order > 0 || order == 0 && !highInclusive;
    }

    boolean contains(Object key) {
        // Compares a key with itself if there is no bound, so that null or an incomparable key throws as in TreeMap.
        Boxed.compare(Objects.requireNonNull(key), key);
        return !isBelow(key) && !isAbove(key);
    }

    /** A subrange of this range. Null bounds are replaced by this range's own. */
    Range part(Object from, boolean fromInclusive, Object to, boolean toInclusive) {
        if (from != null && to != null && Boxed.compare(from, to) > 0) {
            throw new IllegalArgumentException("a range from " + from + " to " + to);
        }
        if (from != null) {
            checkBound(from, fromInclusive);
        }
        if (to != null) {
            checkBound(to, toInclusive);
        }
        return new Range(from == null ? low : from, from == null ? lowInclusive : fromInclusive,
                to == null ? high : to, to == null ? highInclusive : toInclusive);
    }

    private void checkBound(Object key, boolean inclusive) {
        boolean inside = contains(key) || !inclusive && (low == null || Boxed.compare(key, low) >= 0)
                && (high == null || Boxed.compare(key, high) <= 0);
        if (!inside) {
            throw new IllegalArgumentException(key + " is out of the range of this view");
        }
    }
}
