// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.Space;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;

class UnloggedJournalTest {
    private static final int PAGES = 50_000;
    private static final long MOST_BYTES = 128 << 20;

    @TempDir
    Path directory;

    /** Simulates the redirection of references in a converted heap, which changes a few bytes in more pages than fit in memory. */
    @Test
    void recordsThatTouchManyPagesKeepFewOfThemInMemory() {
        Layout layout = new Layout((long) PAGES * Layout.PAGE_BYTES);
        try (MediumFile file = Medium.MEDIUM.open(directory.resolve("pages"), Medium.Mode.CREATE)) {
            file.extend(0, layout.fileBytes());
            fill(layout, file);
        }
    }

    private static void fill(Layout layout, MediumFile file) {
        try (Space space = new Space(file, layout)) {
            UnloggedJournal journal = new UnloggedJournal(space);
            LogRecord record = new LogRecord();
            long most = 0;
            for (int i = 0; i < PAGES; i++) {
                record.writeLong(layout.dataOffset() + (long) i * Layout.PAGE_BYTES, i + 1);
                if (i % 100 == 99) {
                    journal.commit(record);
                    record.clear();
                    most = Math.max(most, space.dirtyBytes());
                }
            }
            assertTrue(most > 0 && most < MOST_BYTES, most + " bytes");
            journal.writePages();
            assertEquals(0, space.dirtyBytes());
            for (int i = 0; i < PAGES; i++) {
                assertEquals(i + 1, space.getLong(layout.dataOffset() + (long) i * Layout.PAGE_BYTES));
            }
        }
    }
}
