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
 * A collection of notes that can be searched for words. The texts are durable, because they are in a persistent heap. The main
 * index is built from the texts when the notes are opened. It is long-lived and each search reads it, so it moves to the second
 * heap if this VM has one. Notes that are added later are in a second, small index in the Java heap.
 */
public final class Notes implements AutoCloseable {
    private static final int RECENT = 10_000;

    private final Heap heap;
    private final PersistentList<String> texts;
    private WordIndex old = new WordIndex();
    private WordIndex recent = new WordIndex();
    private int recentNotes;
    /** The label of the current main index. Each index has its own label, because all objects of a label are freed together. */
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

    /** Adds a note, and returns when it is on stable storage. */
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

    /** Returns the texts that contain a word, in the order in which they were added. */
    public synchronized List<String> find(String word) {
        List<String> found = new ArrayList<>();
        for (WordIndex index : List.of(old, recent)) {
            for (long number : index.find(word)) {
                found.add(texts.get((int) number));
            }
        }
        return found;
    }

    /** Makes a new main index, which will not change and may therefore move. The previous one becomes garbage, in either heap. */
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

    /** Takes the heap file, then a word to search for, or {@code +} and a text to add. */
    public static void main(String[] args) {
        try (Notes notes = new Notes(Path.of(args[0]))) {
            if (args[1].equals("+")) {
                notes.add(args[2]);
            } else {
                notes.find(args[1]).forEach(System.out::println);
            }
            // A long-running program need not call this, because its next major collection moves the index.
            SecondHeap.transfer();
            System.out.printf(Locale.ROOT, "%d notes, the index is %s%n", notes.size(), SecondHeap.state(notes.old));
        }
    }
}
