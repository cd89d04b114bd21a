// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

/** For tools that read heaps without the program's classes. */
public final class InlineValues {
    private InlineValues() {
    }

    /** What stands in an entry of a hash map, by its kind and content; null for null, and for a kind that there is none of. */
    public static Object value(int kind, long content) {
        return Inline.value(kind, content);
    }

    /** The hash of a value that can stand in an entry, which the entry has too. */
    public static int hashOf(Object value) {
        return StableHash.of(value);
    }

    /** The bucket of a hash map in which entries of this hash are. */
    public static int bucketOf(int hash, int buckets) {
        return PersistentHashMap.bucketOf(hash, buckets);
    }
}
