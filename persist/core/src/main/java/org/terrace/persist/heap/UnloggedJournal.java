// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.util.BitSet;
import org.terrace.persist.log.LogRecord;
import org.terrace.persist.medium.Site;

/** For a file that is no heap yet: changes go to the pages alone, and from there to the file when they are many. */
final class UnloggedJournal extends Journal {
    private static final long WRITE_AT_BYTES = 64 << 20;
    /** A record of few bytes may touch many pages, so pages are counted; but not for each record. */
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

    /** Whoever writes the file gives it up. */
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
