// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.util.BitSet;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.Space;
import org.terrace.persist.medium.Site;

/** Writes modified pages to the heap file. */
final class PageWriter {
    private static final int BATCH_PAGES = 256;

    private final Space space;
    private final Site site;
    private final Runnable beforeWrite;
    private final long[] offsets = new long[BATCH_PAGES];
    private byte[] batch = {};

    /** @param beforeWrite runs after each batch of pages was copied and before it is written */
    PageWriter(Space space, Site site, Runnable beforeWrite) {
        this.space = space;
        this.site = site;
        this.beforeWrite = beforeWrite;
    }

    /**
     * Writes all dirty pages.
     *
     * @param written receives the numbers of the pages that are in the file
     * @throws HeapFullException if the device has no space. The next call writes the remaining pages
     */
    void write(BitSet written) {
        int capacity = (int) Math.min(BATCH_PAGES, space.size() / Layout.PAGE_BYTES);
        if (batch.length < capacity * Layout.PAGE_BYTES) {
            batch = new byte[capacity * Layout.PAGE_BYTES];
        }
        for (long next = space.nextDirty(0); next >= 0;) {
            int pages = 0;
            while (next >= 0 && pages < capacity) {
                space.takePage(next, batch, pages * Layout.PAGE_BYTES);
                offsets[pages++] = next;
                next = space.nextDirty(next + Layout.PAGE_BYTES);
            }
            try {
                beforeWrite.run();
                writeBatch(pages, written);
            } catch (HeapFullException e) {
                for (int i = 0; i < pages; i++) {
                    space.returnPage(offsets[i]);
                }
                throw e;
            }
        }
    }

    /** Writes adjacent pages by one system call. */
    private void writeBatch(int pages, BitSet written) {
        for (int first = 0; first < pages;) {
            int end = first + 1;
            while (end < pages && offsets[end] == offsets[end - 1] + Layout.PAGE_BYTES) {
                end++;
            }
            space.file().write(offsets[first], batch, first * Layout.PAGE_BYTES, (end - first) * Layout.PAGE_BYTES, site);
            int number = (int) (offsets[first] / Layout.PAGE_BYTES);
            written.set(number, number + end - first);
            first = end;
        }
    }
}
