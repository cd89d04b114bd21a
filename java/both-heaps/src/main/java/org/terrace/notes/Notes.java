// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.notes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.terrace.SecondHeap;
import org.terrace.persist.Heap;
import org.terrace.persist.types.PersistentList;

/**
 * Notes that can be searched for words. Their texts are durable: they live in a persistent heap. The index is built from them
 * when they are opened, is read by each search, and lives long: it goes to the second heap, if this VM has one. What was added
 * since the index was built is in a small one of its own, in the Java heap.
 */
public final class Notes implements AutoCloseable {
    private static final int RECENT = 10_000;

    private final Heap heap;
    private final PersistentList<String> texts;
    private WordIndex old = new WordIndex();
    private WordIndex recent = new WordIndex();
    private int recentNotes;
    /** One for each index: those of one label come and go together. */
    private long label;

    @SuppressWarnings("unchecked")
    public Notes(Path file) {
        heap = Heap.open(file);
        texts = heap.root("texts", PersistentList.class, () -> new PersistentList<String>(heap));
        for (int i = 0; i < texts.size(); i++) {
            recent.add(i, texts.get(i));
        }
        mergeIndexes();
    }

    /** Returns once the note is on stable storage. */
    public synchronized void add(String text) {
        long number = heap.atomic(() -> {
            texts.add(text);
            return texts.size() - 1L;
        });
        recent.add(number, text);
        if (++recentNotes == RECENT) {
            mergeIndexes();
        }
    }

    /** Texts with a word, in the order in which they were added. */
    public synchronized List<String> find(String word) {
        List<String> found = new ArrayList<>();
        for (WordIndex index : List.of(old, recent)) {
            for (long number : index.find(word)) {
                found.add(texts.get((int) number));
            }
        }
        return found;
    }

    /** A new index, which will not change any more: it may move. The one before it is garbage, wherever it is. */
    private void mergeIndexes() {
        old = WordIndex.of(old, recent);
        SecondHeap.tagRoot(old, ++label);
        SecondHeap.move(label);
        recent = new WordIndex();
        recentNotes = 0;
    }

    synchronized WordIndex oldIndex() {
        return old;
    }

    synchronized int size() {
        return texts.size();
    }

    @Override
    public synchronized void close() {
        heap.close();
    }

    /** Arguments: the heap file, then a word to look for, or {@code +} and a text to add. */
    public static void main(String[] args) {
        try (Notes notes = new Notes(Path.of(args[0]))) {
            if (args[1].equals("+")) {
                notes.add(args[2]);
            } else {
                notes.find(args[1]).forEach(System.out::println);
            }
            // A major collection moves what is due; a program that goes on has one sooner or later.
            SecondHeap.transfer();
            System.out.printf(Locale.ROOT, "%d notes, the index is %s%n", notes.size(), SecondHeap.state(notes.old));
        }
    }
}
