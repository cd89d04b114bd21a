// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.util.BitSet;
import org.terrace.persist.heap.Journal;
import org.terrace.persist.heap.Space;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Site;

/** A journal for a file that is not a heap yet. Changes are made only in the pages, and are written to the file when there are many. */
final class UnloggedJournal extends Journal {
    private static final long WRITE_AT_BYTES = 64 << 20;
    /** A small record may change many pages, so pages are counted. For speed, not after each record. */
    private static final long COUNT_AT_BYTES = 256 << 10;

    private final PageWriter pages;
    private long changed;

    UnloggedJournal(Space space) {
        super(space, null);
        pages = new PageWriter(space, Site.CONVERT_PAGE, () -> { });
    }

    @Override
    public long commit(LogRecord record) {
        record.visit(space());
        changed += record.length();
        if (changed > COUNT_AT_BYTES) {
            changed = 0;
            if (space().dirtyBytes() > WRITE_AT_BYTES) {
                writePages();
            }
        }
        return 0;
    }

    /** Does nothing, because the writer discards the file after a failure. */
    @Override
    public void fail(String what, Throwable cause) {
        changed = 0;
    }

    void writePages() {
        BitSet written = new BitSet();
        pages.write(written);
        space().discardIfClean(written);
    }
}
