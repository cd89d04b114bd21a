// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;

/** The two files of a heap as byte buffers, for tests that damage specific parts of the format. */
public final class HeapBytes {
    public static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(16 << 20).logSize(64 << 10).threads(2);
    public static final int DATA = (int) new Layout(16 << 20).dataOffset();
    public static final int RING = 4096;
    private static final int SUPERBLOCK_CRC = 508;

    public final Path path;
    public ByteBuffer heap;
    public ByteBuffer log;

    public HeapBytes(Path path) throws IOException {
        this.path = path;
        this.heap = read(path);
        this.log = read(logOf(path));
    }

    public static Path logOf(Path path) {
        return path.resolveSibling(path.getFileName() + ".log");
    }

    private static ByteBuffer read(Path path) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
    }

    public void writeTo(Path to) throws IOException {
        Files.write(to, heap.array());
        Files.deleteIfExists(logOf(to));
        if (log != null) {
            Files.write(logOf(to), log.array());
        }
    }

    public static int crc(ByteBuffer content, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(content.array(), from, to - from);
        return (int) crc.getValue();
    }

    /** Corrects the checksum after a change. */
    public void sealSuperblock(int at) {
        sealSuperblock(heap, at);
    }

    public static void sealSuperblock(ByteBuffer heap, int at) {
        heap.putInt(at + SUPERBLOCK_CRC, crc(heap, at, at + SUPERBLOCK_CRC));
    }

    /** Converts the files to the previous version, whose log has one header without a life. */
    public void makeVersionBefore() {
        makeVersionBefore(heap, log);
    }

    public static void makeVersionBefore(ByteBuffer heap, ByteBuffer log) {
        for (int at : new int[] {0, 4096}) {
            heap.putInt(at + 80, heap.getInt(at + 80) & ~4);
            sealSuperblock(heap, at);
        }
        java.util.Arrays.fill(log.array(), 40, RING, (byte) 0);
        log.putInt(8, 2);
        log.putInt(40, crc(log, 0, 40));
    }

    public void truncate(int bytes) {
        heap = ByteBuffer.wrap(java.util.Arrays.copyOf(heap.array(), bytes)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The log position in the newer superblock. */
    public long logPosition() {
        int newer = heap.getLong(32) >= heap.getLong(4096 + 32) ? 0 : 4096;
        return heap.getLong(newer + 56);
    }

    /** The offset in the log of the first record that is replayed. */
    public int firstRecord() {
        return (int) (RING + logPosition() % (log.capacity() - RING));
    }

    public void sealHeaderOfLog(int at) {
        log.putInt(at + 72, crc(log, at, at + 72));
    }

    public void sealRecord(int at) {
        log.putInt(at, crc(log, at + 4, at + log.getInt(at + 4)));
    }

    private int directory(int field) {
        return (int) heap.getLong(DATA + Layout.HEADER_BYTES + field);
    }

    public int firstRoot() {
        return directory(Directory.FIRST_ROOT);
    }

    public int freeSlots() {
        return directory(16);
    }

    /** The offset of the descriptor of a class. */
    public int classNamed(String name) {
        int at = directory(Directory.FIRST_CLASS);
        while (!textOf(at).startsWith(name + "\n")) {
            at = (int) heap.getLong(at + Layout.HEADER_BYTES + Directory.NEXT);
        }
        return at;
    }

    private String textOf(int descriptor) {
        int payload = descriptor + Layout.HEADER_BYTES;
        return new String(heap.array(), payload + Directory.CLASS_TEXT, heap.getInt(payload + Directory.CLASS_LENGTH),
                StandardCharsets.UTF_8);
    }

    /** Replaces a text by one of the same length, and corrects the checksum. */
    public void replaceInClass(int descriptor, String from, String to) {
        String text = textOf(descriptor);
        byte[] changed = text.replace(from, to).getBytes(StandardCharsets.UTF_8);
        if (!text.contains(from) || changed.length != text.length()) {
            throw new IllegalArgumentException(from + " is not in " + text);
        }
        int payload = descriptor + Layout.HEADER_BYTES;
        System.arraycopy(changed, 0, heap.array(), payload + Directory.CLASS_TEXT, changed.length);
        heap.putInt(payload + Directory.CLASS_CRC, Directory.crc(changed));
    }

    /** Flips bits of a header and corrects its check byte. */
    public void changeHeader(int at, long bits) {
        heap.putLong(at, ObjectHeader.validated(heap.getLong(at) ^ bits));
    }

    public int bitmapByteOf(int offset) {
        return 8192 + (offset - DATA) / Layout.BLOCK_BYTES / 8;
    }

    public void flipBlock(int offset) {
        int at = bitmapByteOf(offset);
        heap.put(at, (byte) (heap.get(at) ^ 1 << (offset - DATA) / Layout.BLOCK_BYTES % 8));
    }
}
