package org.terrace.persist.heap;

import org.terrace.persist.medium.Site;

/** Writes pages that were stored to into the heap file. */
final class PageWriter {
    private static final int BATCH_BYTES = 1 << 20;

    private final Space space;
    private final Site site;
    private final Runnable beforeWrite;
    private byte[] batch = {};

    /** @param beforeWrite runs between the copy of some pages and their write */
    PageWriter(Space space, Site site, Runnable beforeWrite) {
        this.space = space;
        this.site = site;
        this.beforeWrite = beforeWrite;
    }

    /** Ranges written, as pairs of offset and length. */
    LongStack write() {
        LongStack written = new LongStack();
        if (batch.length < BATCH_BYTES && batch.length < space.size()) {
            batch = new byte[(int) Math.min(BATCH_BYTES, Layout.roundUp(space.size(), Layout.PAGE_BYTES))];
        }
        for (long offset = space.nextDirty(0); offset >= 0;) {
            int length = 0;
            long next = offset;
            while (next == offset + length && length < batch.length) {
                space.takePage(next, batch, length);
                length += Layout.PAGE_BYTES;
                next = space.nextDirty(offset + length);
            }
            beforeWrite.run();
            space.file().write(offset, batch, 0, length, site);
            written.push(offset);
            written.push(length);
            offset = next;
        }
        return written;
    }

    /** Gives back the memory of pages that are equal to the file. */
    void discard(LongStack written) {
        for (int i = 0; i < written.size(); i += 2) {
            for (long page = written.get(i); page < written.get(i) + written.get(i + 1); page += Layout.PAGE_BYTES) {
                space.discardIfClean(page);
            }
        }
    }
}
