// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the example on any JDK. */
class NotesTest {
    @TempDir
    Path directory;

    @Test
    void notesAreFoundByTheirWordsAlsoAfterTheyWereClosed() {
        Path file = directory.resolve("notes.heap");
        try (Notes notes = new Notes(file)) {
            notes.add("Buy milk and bread");
            notes.add("Milk the cow, milk the goat");
            notes.add("Read a book");
            assertEquals(List.of("Buy milk and bread", "Milk the cow, milk the goat"), notes.find("milk"));
        }
        try (Notes notes = new Notes(file)) {
            assertEquals(3, notes.size());
            notes.add("No milk today");
            assertEquals(List.of("Buy milk and bread", "Milk the cow, milk the goat", "No milk today"), notes.find("MILK"));
            assertEquals(List.of("Read a book"), notes.find("book"));
            assertEquals(List.of(), notes.find("beer"));
        }
    }
}
