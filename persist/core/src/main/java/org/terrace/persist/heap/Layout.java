// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import org.terrace.persist.log.LogRecord;

/** The constants of the on-media format, which define the structure of a heap file. See {@code docs/internals/persist-format.md}. */
public final class Layout {
    public static final int FORMAT_VERSION = 3;
    /** In this version, entries of hash maps contain only references. An opening for writing converts to the newest version. */
    public static final int OLDEST_VERSION = 2;
    public static final int PAGE_BYTES = 4096;
    public static final int BLOCK_BYTES = 256;
    public static final int SECTOR_BYTES = 512;
    public static final int HEADER_BYTES = 8;
    public static final long BITMAP_OFFSET = 2L * PAGE_BYTES;

    public static final int POOL_PAGE_BLOCKS = PAGE_BYTES / BLOCK_BYTES;
    public static final int MIN_SLOT_BYTES = 16;
    public static final int MAX_SLOT_BYTES = 248;

    public static final int CLASS_FREE = 0;
    public static final int CLASS_POOL_PAGE = 1;
    public static final int CLASS_DIRECTORY = 2;
    public static final int CLASS_DESCRIPTOR = 3;
    public static final int CLASS_ROOT = 4;
    public static final int CLASS_FREE_SLOTS = 5;
    /** A forwarding address, which replaces a moved object during the conversion of a heap. The payload is the new offset. */
    public static final int CLASS_FORWARD = 6;
    public static final int FIRST_USER_CLASS = 16;
    public static final int MAX_CLASS = 0xffff;

    private final long dataBytes;
    private final long dataOffset;

    /** @param dataBytes maximum size of the data area */
    public Layout(long dataBytes) {
        this.dataBytes = roundUp(dataBytes, PAGE_BYTES);
        this.dataOffset = BITMAP_OFFSET + roundUp(this.dataBytes / BLOCK_BYTES / Byte.SIZE, PAGE_BYTES);
    }

    public static long roundUp(long value, long multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    public long dataBytes() {
        return dataBytes;
    }

    public long dataOffset() {
        return dataOffset;
    }

    public long fileBytes() {
        return dataOffset + dataBytes;
    }

    public long blocks() {
        return dataBytes / BLOCK_BYTES;
    }

    public long offsetOf(long block) {
        return dataOffset + block * BLOCK_BYTES;
    }

    public long blockOf(long offset) {
        return (offset - dataOffset) / BLOCK_BYTES;
    }

    /** The offset of the bitmap word that contains bit {@code block % 64} for this block. */
    public static long bitmapWordOf(long block) {
        return BITMAP_OFFSET + (block >>> 6 << 3);
    }

    /** The ranges that log records may change. */
    public LogRecord.Limits recordLimits() {
        return new LogRecord.Limits(dataOffset, fileBytes(), blocks());
    }

    public boolean isData(long offset, long fileBytes) {
        return offset >= dataOffset && offset < fileBytes;
    }
}
