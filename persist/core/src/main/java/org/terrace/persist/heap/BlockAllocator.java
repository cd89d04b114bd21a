// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

/**
 * An in-memory bitmap of used blocks. It contains the blocks of the heap's bitmap and the blocks that were allocated by uncommitted
 * failure-atomic blocks. Segments are copied from the heap's bitmap on first access, so that opening a heap takes no time for it.
 *
 * <p>No object starts at an offset that is a power of two. A single flipped bit would turn a reference to it into null, which a
 * recovery could not tell from a null of the program. Pool pages may start there because references lead to their slots.
 */
final class BlockAllocator {
    private static final int SEGMENT_WORDS = 512;

    private final Space space;
    private final Layout layout;
    private final long[][] segments;
    private long cursor;

    BlockAllocator(Space space) {
        this.space = space;
        this.layout = space.layout();
        this.segments = new long[(int) (wordsOf(layout.blocks()) / SEGMENT_WORDS + 1)][];
    }

    private static long wordsOf(long blocks) {
        return blocks + 63 >>> 6;
    }

    private long mappedBlocks() {
        return Math.max(0, (space.size() - layout.dataOffset()) / Layout.BLOCK_BYTES);
    }

    private long word(long index) {
        return segment(index)[(int) (index % SEGMENT_WORDS)];
    }

    private long[] segment(long index) {
        int number = (int) (index / SEGMENT_WORDS);
        long[] segment = segments[number];
        if (segment == null) {
            segment = new long[SEGMENT_WORDS];
            long from = (long) number * SEGMENT_WORDS;
            for (int i = 0; i < SEGMENT_WORDS; i++) {
                long offset = Layout.bitmapWordOf(from + i << 6);
                segment[i] = offset < layout.dataOffset() ? space.getLong(offset) : -1L;
            }
            segments[number] = segment;
        }
        return segment;
    }

    /**
     * Allocates adjacent blocks and grows the file if needed.
     *
     * @param align 1, or 16 for blocks that start at a multiple of 16
     * @throws org.terrace.persist.HeapFullException if there is no such free space
     */
    synchronized long take(long count, int align) {
        long block = count <= 64 ? findInWords(count, align) : findAcrossWords(count);
        while (block < 0) {
            long mapped = mappedBlocks();
            space.grow(layout.offsetOf(mapped + count));
            cursor = mapped >>> 6;
            block = count <= 64 ? findInWords(count, align) : findAcrossWords(count);
        }
        change(block, count, true);
        return block;
    }

    /** Whether an object may start with this block. */
    boolean isStart(long block) {
        return Long.bitCount(layout.offsetOf(block)) > 1;
    }

    private long findInWords(long count, int align) {
        long words = wordsOf(mappedBlocks());
        long mapped = mappedBlocks();
        for (long i = 0; i < words; i++) {
            long index = (cursor + i) % words;
            long word = word(index);
            int bit = runIn(word, (int) count, align);
            if (bit >= 0 && align == 1 && !isStart((index << 6) + bit)) {
                bit = runIn(word | 1L << bit, (int) count, align);
            }
            if (bit >= 0 && (index << 6) + bit + count <= mapped) {
                cursor = index;
                return (index << 6) + bit;
            }
        }
        return -1;
    }

    /** The index of the lowest bit that starts {@code count} zero bits in the word, or -1. */
    static int runIn(long word, int count, int align) {
        long starts = ~word;
        for (int have = 1; have < count && starts != 0;) {
            int step = Math.min(have, count - have);
            starts &= starts >>> step;
            have += step;
        }
        if (align == Layout.POOL_PAGE_BLOCKS) {
            starts &= 0x0001_0001_0001_0001L;
        }
        return starts == 0 ? -1 : Long.numberOfTrailingZeros(starts);
    }

    private long findAcrossWords(long count) {
        long mapped = mappedBlocks();
        long run = 0;
        for (long block = 0; block < mapped;) {
            long word = word(block >>> 6) >>> block;
            int left = (int) Math.min(64 - (block & 63), mapped - block);
            int free = word == 0 ? left : Math.min(left, Long.numberOfTrailingZeros(word));
            run += free;
            block += free;
            long start = block - run + (isStart(block - run) ? 0 : 1);
            if (block - start >= count) {
                return start;
            }
            if (free < left) {
                run = 0;
                block += Math.max(1, Math.min(left - free, Long.numberOfTrailingZeros(~(word >>> free))));
            }
        }
        return -1;
    }

    /** Returns blocks that the heap's bitmap already shows as free. */
    synchronized void giveBack(long block, long count) {
        change(block, count, false);
    }

    private void change(long block, long count, boolean used) {
        for (long b = block; b < block + count; b++) {
            long[] segment = segment(b >>> 6);
            int i = (int) ((b >>> 6) % SEGMENT_WORDS);
            segment[i] = used ? segment[i] | 1L << b : segment[i] & ~(1L << b);
        }
    }
}
