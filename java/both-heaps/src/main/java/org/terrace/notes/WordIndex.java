// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.notes;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * A map from words to the numbers of the notes that contain them. It consists of plain Java objects that do not change once
 * they are built. They must not refer to the persistent heap, because a proxy would take its heap along into the second heap.
 */
final class WordIndex {
    private final Map<String, long[]> notes = new HashMap<>();

    /** Merges two indexes. The notes of the second have higher numbers. */
    static WordIndex of(WordIndex older, WordIndex newer) {
        WordIndex both = new WordIndex();
        both.notes.putAll(older.notes);
        newer.notes.forEach((word, numbers) -> both.notes.merge(word, numbers, WordIndex::joined));
        return both;
    }

    private static long[] joined(long[] first, long[] second) {
        long[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    void add(long number, String text) {
        long[] one = {number};
        for (String word : new TreeSet<>(Arrays.asList(text.toLowerCase(Locale.ROOT).split("\\W+")))) {
            notes.merge(word, one, WordIndex::joined);
        }
    }

    long[] find(String word) {
        return notes.getOrDefault(word.toLowerCase(Locale.ROOT), new long[0]);
    }
}
