// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

/** Decodes entries of hash maps, for tools that read heaps without the program's classes. */
public final class InlineValues {
    private InlineValues() {
    }

    /** The value of inline content of a kind, or null for null and for an unknown kind. */
    public static Object value(int kind, long content) {
        return Inline.value(kind, content);
    }

    /** The hash of an inline value, which its entry stores too. */
    public static int hashOf(Object value) {
        return StableHash.of(value);
    }

    /** The bucket of a hash map that contains entries of this hash. */
    public static int bucketOf(int hash, int buckets) {
        return PersistentHashMap.bucketOf(hash, buckets);
    }
}
