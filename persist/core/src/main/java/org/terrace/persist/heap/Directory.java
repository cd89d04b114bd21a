// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.medium.Memory;

/** Reads the named roots and the class descriptors, which are two lists that start in block 0. */
public final class Directory {
    public static final int FIRST_ROOT = 0;
    public static final int FIRST_CLASS = 8;
    public static final int FREE_SLOTS = 16;

    public static final int NEXT = 0;
    public static final int ROOT_VALUE = 8;
    public static final int ROOT_CRC = 16;
    public static final int ROOT_LENGTH = 20;
    public static final int ROOT_NAME = 24;
    public static final int CLASS_NUMBER = 8;
    public static final int CLASS_LENGTH = 12;
    public static final int CLASS_CRC = 16;
    public static final int CLASS_TEXT = 24;

    private Directory() {
    }

    /** The offset of the directory's payload. */
    public static long payload(Layout layout) {
        return layout.dataOffset() + Layout.HEADER_BYTES;
    }

    public static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length);
        return (int) crc.getValue();
    }

    /** The offset of the directory's payload, with a check that the heap contains a directory. */
    public static long checkedPayload(Space space) {
        long offset = space.layout().dataOffset();
        long header = space.getLong(offset);
        if (!ObjectHeader.fits(header, space.size() - offset) || ObjectHeader.classId(header) != Layout.CLASS_DIRECTORY
                || !ObjectHeader.isValid(header)) {
            throw new CorruptHeapException(space.file().path() + ": offset " + offset + " has no directory: its header is "
                    + Long.toHexString(header) + ", so neither roots nor classes are known");
        }
        return offset + Layout.HEADER_BYTES;
    }

    /** Class descriptors by number. */
    public static Map<Integer, ClassDescriptor> classes(Space space) {
        Map<Integer, ClassDescriptor> classes = new HashMap<>();
        long first = space.getLong(checkedPayload(space) + FIRST_CLASS);
        for (long at = first; at != 0; at = space.getLong(at + Layout.HEADER_BYTES + NEXT)) {
            long payload = checked(space, at, Layout.CLASS_DESCRIPTOR, CLASS_TEXT);
            String text = text(space, payload + CLASS_LENGTH, payload + CLASS_CRC, payload + CLASS_TEXT, at);
            int number = Memory.getInt(space.base() + payload + CLASS_NUMBER);
            ClassDescriptor descriptor = decode(space, at, text);
            String problem = descriptor.problem(number);
            if (problem != null) {
                throw new CorruptHeapException(space.file().path() + ": at offset " + at + " " + problem);
            }
            if (classes.put(number, descriptor) != null) {
                throw new CorruptHeapException(space.file().path() + ": two classes have number " + number + ", that at offset "
                        + at + " and another");
            }
        }
        return classes;
    }

    private static ClassDescriptor decode(Space space, long at, String text) {
        try {
            return ClassDescriptor.decode(text);
        } catch (CorruptHeapException e) {
            throw new CorruptHeapException(space.file().path() + ": at offset " + at + " " + e.getMessage());
        }
    }

    /** Offsets of the root entries by name. */
    public static Map<String, Long> roots(Space space) {
        Map<String, Long> roots = new HashMap<>();
        long first = space.getLong(checkedPayload(space) + FIRST_ROOT);
        for (long at = first; at != 0; at = space.getLong(at + Layout.HEADER_BYTES + NEXT)) {
            long payload = checked(space, at, Layout.CLASS_ROOT, ROOT_NAME);
            String name = text(space, payload + ROOT_LENGTH, payload + ROOT_CRC, payload + ROOT_NAME, at);
            if (roots.put(name, at) != null) {
                throw new CorruptHeapException(space.file().path() + ": two roots are named " + name + ", that at offset " + at
                        + " and another");
            }
        }
        return roots;
    }

    /** @param textAt offset of the text in the payload */
    private static long checked(Space space, long offset, int classId, int textAt) {
        if (offset % Long.BYTES != 0 || !space.layout().isData(offset, space.size() - Layout.HEADER_BYTES)) {
            throw new CorruptHeapException(space.file().path() + ": the directory refers to offset " + offset);
        }
        long header = space.getLong(offset);
        boolean fits = ObjectHeader.fits(header, space.size() - offset) && ObjectHeader.classId(header) == classId;
        if (!fits || ObjectHeader.footprint(header) < Layout.HEADER_BYTES + textAt) {
            throw new CorruptHeapException(space.file().path() + ": the header at offset " + offset + " is damaged");
        }
        return offset + Layout.HEADER_BYTES;
    }

    private static String text(Space space, long lengthAt, long crcAt, long textAt, long offset) {
        int length = Memory.getInt(space.base() + lengthAt);
        long end = offset + ObjectHeader.footprint(space.getLong(offset));
        if (length < 0 || textAt + length > end) {
            throw new CorruptHeapException(space.file().path() + ": the directory's entry at offset " + offset + " is damaged");
        }
        byte[] bytes = new byte[length];
        Memory.copy(space.base() + textAt, bytes, 0, length);
        if (crc(bytes) != Memory.getInt(space.base() + crcAt)) {
            throw new CorruptHeapException(space.file().path() + ": the directory's entry at offset " + offset
                    + " has a wrong checksum");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
