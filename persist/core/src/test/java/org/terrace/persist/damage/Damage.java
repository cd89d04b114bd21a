// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.damage;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.damage.DamageMap.Part;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;

/** Damages the files of a heap in one way that a seed selects, either at random or as an attacker who knows the format. */
final class Damage {
    private static final int HEADER = Layout.HEADER_BYTES;

    private final HeapBytes bytes;
    private final byte[] heapBefore;
    private final byte[] logBefore;
    private final DamageMap map;
    private final Random random;
    /** Description of the damage, for messages. */
    String what;
    /** A row of the result table. */
    String row;
    /** Whether checksums are correct, so that no check of bytes can detect the damage. */
    boolean sealed;

    Damage(HeapBytes bytes, DamageMap map, long seed) {
        this.bytes = bytes;
        this.heapBefore = bytes.heap.array().clone();
        this.logBefore = bytes.log.array().clone();
        this.map = map;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        boolean killed = !map.records.isEmpty();
        // The log of a closed heap is not read.
        int kind = random.nextInt(killed ? 14 : 10);
        switch (kind) {
            case 0, 1 -> flip(place(), "bits flipped", 1);
            case 2 -> flip(place(), "bits flipped", 2 + random.nextInt(12));
            case 3 -> overwrite(place());
            case 4 -> swap();
            case 5 -> truncate(killed);
            case 6, 7 -> forgeObject();
            case 8 -> forgeReference();
            case 9 -> forgeMetadata();
            case 10, 11 -> record(false);
            case 12 -> record(true);
            default -> logHeader();
        }
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Selects an offset in the heap file. Each kind of bytes is about equally likely. */
    private int place() {
        List<Part> parts = new ArrayList<>(map.words.keySet());
        Part part = any(parts);
        row = "heap file: " + name(part);
        return any(map.words.get(part)) + random.nextInt(Long.BYTES);
    }

    private static String name(Part part) {
        return part.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }

    private void flip(int at, String how, int bits) {
        flip(bytes.heap, at, bits);
        what = how + ": " + bits + " at " + at;
    }

    private void flip(ByteBuffer file, int at, int bits) {
        for (int i = 0; i < bits; i++) {
            int byteAt = Math.min(file.capacity() - 1, at + (i == 0 ? 0 : random.nextInt(16)));
            file.put(byteAt, (byte) (file.get(byteAt) ^ 1 << random.nextInt(8)));
        }
    }

    private void overwrite(int near) {
        int unit = random.nextBoolean() ? 512 : 4096;
        boolean zeros = random.nextBoolean();
        byte[] content = new byte[unit];
        if (!zeros) {
            random.nextBytes(content);
        }
        int at = near & -unit;
        bytes.heap.put(at, content);
        what = unit + (zeros ? " zeros" : " random bytes") + " at " + at;
    }

    private void swap() {
        int unit = random.nextBoolean() ? 512 : 4096;
        int first = place() & -unit;
        int second = place() & -unit;
        byte[] a = Arrays.copyOfRange(bytes.heap.array(), first, first + unit);
        byte[] b = Arrays.copyOfRange(bytes.heap.array(), second, second + unit);
        bytes.heap.put(first, b).put(second, a);
        row = "heap file: sectors or pages swapped";
        what = unit + " bytes at " + first + " and at " + second + " swapped";
    }

    private void truncate(boolean killed) {
        boolean ofLog = killed && random.nextBoolean();
        row = ofLog ? "log: truncated" : "heap file: truncated";
        int length = random.nextInt(ofLog ? bytes.log.capacity() : bytes.heap.capacity());
        if (ofLog) {
            bytes.log = DamageMap.wrap(Arrays.copyOf(bytes.log.array(), length));
        } else {
            bytes.truncate(length);
        }
        what = (ofLog ? "log" : "heap") + " cut to " + length + " bytes";
    }

    /** Numbers that may cause errors in computations. */
    private long number() {
        return switch (random.nextInt(8)) {
            case 0 -> -1;
            case 1 -> Integer.MAX_VALUE;
            case 2 -> Integer.MIN_VALUE;
            case 3 -> Long.MAX_VALUE;
            case 4 -> random.nextInt(64);
            case 5 -> 1L << random.nextInt(63);
            case 6 -> bytes.heap.capacity() + random.nextInt(9) - 4;
            default -> random.nextLong();
        };
    }

    private void forgeObject() {
        sealed = true;
        int object = any(map.objects);
        long header = bytes.heap.getLong(object);
        switch (random.nextInt(4)) {
            case 0 -> {
                long size = random.nextBoolean() ? random.nextInt(64) : random.nextInt(1 << 24);
                bytes.changeHeader(object, (header >>> 32 & 0xffffff ^ size) << 32);
                forged("size in a header", object, size);
            }
            case 1 -> {
                boolean known = random.nextBoolean();
                int number = known ? ObjectHeader.classId(bytes.heap.getLong(any(map.objects))) : random.nextInt(1 << 16);
                bytes.changeHeader(object, header & 0xffff ^ number);
                forged("class in a header", object, number);
            }
            case 2 -> {
                int at = any(map.words.get(Part.LENGTH));
                long length = number();
                bytes.heap.putInt(at, (int) length);
                forged("length of an array", at, (int) length);
            }
            default -> {
                int at = any(map.words.get(Part.STRUCTURE));
                long value = number();
                if (random.nextBoolean()) {
                    value = bytes.heap.getInt(at) + random.nextInt(11) - 5;
                }
                bytes.heap.putInt(at, (int) value);
                forged("number of a collection", at, (int) value);
            }
        }
    }

    private void forged(String kind, int at, long to) {
        row = "forged: " + kind;
        what = kind + " at " + at + " is " + to;
    }

    private void forgeReference() {
        sealed = true;
        int at = any(map.references);
        long to = switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> any(map.objects);
            case 2 -> bytes.heap.getLong(any(map.references));
            case 3 -> at & -8;
            case 4 -> any(map.objects) + 8L * random.nextInt(5);
            default -> number();
        };
        bytes.heap.putLong(at, to);
        forged("reference", at, to);
    }

    private void forgeMetadata() {
        sealed = true;
        switch (random.nextInt(6)) {
            case 0 -> {
                int field = new int[] {8, 16, 32, 40, 48, 56, 64, 72, 80}[random.nextInt(9)];
                long value = number();
                boolean both = random.nextBoolean();
                for (int at : both ? new int[] {0, 4096} : new int[] {random.nextBoolean() ? 0 : 4096}) {
                    bytes.heap.putLong(at + field, value);
                    bytes.sealSuperblock(at);
                }
                forged("superblock", field, value);
            }
            case 1 -> forgeClass();
            case 2 -> {
                int root = bytes.firstRoot();
                for (int i = random.nextInt(10); i > 0 && bytes.heap.getLong(root + HEADER) != 0; i--) {
                    root = (int) bytes.heap.getLong(root + HEADER);
                }
                boolean next = random.nextBoolean();
                long to = random.nextBoolean() ? any(map.objects) : number();
                bytes.heap.putLong(root + HEADER + (next ? Directory.NEXT : Directory.ROOT_VALUE), to);
                forged("root", root, to);
            }
            case 3 -> {
                int at = HeapBytes.DATA + HEADER + 8 * random.nextInt(3);
                long to = random.nextBoolean() ? any(map.objects) : number();
                bytes.heap.putLong(at, to);
                forged("directory", at, to);
            }
            case 4 -> {
                List<Integer> words = map.words.getOrDefault(Part.FREE_SLOTS, map.words.get(Part.ROOT));
                int at = any(words);
                long to = number();
                bytes.heap.putLong(at, to);
                forged("list of free slots", at, to);
            }
            default -> {
                int page = any(map.words.get(Part.POOL_PAGE));
                int slot = random.nextBoolean() ? 8 * random.nextInt(40) : random.nextInt(1 << 24);
                bytes.changeHeader(page, (bytes.heap.getLong(page) >>> 32 & 0xffffff ^ slot) << 32);
                forged("slots of a pool page", page, slot);
            }
        }
    }

    /** Forges a class descriptor, or its name to that of another class of the program or of the JDK. */
    private void forgeClass() {
        List<Integer> descriptors = new ArrayList<>();
        for (int at : map.objects) {
            if (ObjectHeader.classId(bytes.heap.getLong(at)) == Layout.CLASS_DESCRIPTOR) {
                descriptors.add(at);
            }
        }
        int payload = any(descriptors) + HEADER;
        if (random.nextInt(3) == 0) {
            int field = random.nextBoolean() ? Directory.CLASS_NUMBER : Directory.CLASS_LENGTH;
            int value = random.nextBoolean() ? 16 + random.nextInt(30) : (int) number();
            bytes.heap.putInt(payload + field, value);
            forged("class descriptor", payload + field, value);
            return;
        }
        int length = bytes.heap.getInt(payload + Directory.CLASS_LENGTH);
        String text = new String(bytes.heap.array(), payload + Directory.CLASS_TEXT, length, StandardCharsets.UTF_8);
        String name = text.substring(0, text.indexOf('\n'));
        String changed = switch (random.nextInt(4)) {
            case 0 -> text.replaceFirst(" (\\d)", " " + (1 + random.nextInt(8)));
            case 1 -> text.replace("REFERENCE", "LONG").replace("LONG", random.nextBoolean() ? "LONG" : "INT ");
            case 2 -> text.replace(name, "java.lang.Runtime");
            default -> text.replaceFirst("\n(\\d)", "\n" + random.nextInt(10));
        };
        byte[] encoded = Arrays.copyOf((changed + " ".repeat(length)).getBytes(StandardCharsets.UTF_8), length);
        System.arraycopy(encoded, 0, bytes.heap.array(), payload + Directory.CLASS_TEXT, length);
        bytes.heap.putInt(payload + Directory.CLASS_CRC, Directory.crc(encoded));
        forged("class descriptor", payload, length);
        what += ": " + new String(encoded, StandardCharsets.UTF_8).replace('\n', '|').trim();
    }

    /** @param seal whether to correct the checksum */
    private void record(boolean seal) {
        int at = any(map.records);
        int length = bytes.log.getInt(at + 4);
        sealed = seal;
        row = seal ? "forged: log record" : "log: record";
        what = "record " + map.records.indexOf(at) + " of " + map.records.size() + " at " + at + ": ";
        if (!seal) {
            int place = Math.min(bytes.log.capacity() - 1, at + random.nextInt(length));
            switch (random.nextInt(3)) {
                case 0 -> {
                    flip(bytes.log, place, 1 + random.nextInt(3));
                    what += "bits flipped at " + place;
                }
                case 1 -> {
                    bytes.log.put(place & -512, new byte[512]);
                    what += "a sector of zeros at " + (place & -512);
                }
                default -> {
                    bytes.log.putLong(Math.min(place & -8, bytes.log.capacity() - 8), number());
                    what += "a word at " + (place & -8);
                }
            }
            return;
        }
        int field = random.nextInt(4) == 0 ? new int[] {4, 8, 16, 24, 32}[random.nextInt(5)] : 40 + 8 * random.nextInt(4);
        long value = switch (random.nextInt(3)) {
            case 0 -> number();
            case 1 -> (long) random.nextInt(6) << 56 | number() & (1L << 56) - 1;
            default -> bytes.log.getLong(at + field) + random.nextInt(65) - 32;
        };
        if (field == 4 || field == 32) {
            bytes.log.putInt(at + field, (int) value);
        } else {
            bytes.log.putLong(at + field, value);
        }
        int sealedLength = bytes.log.getInt(at + 4);
        if (sealedLength >= 8 && at + (long) sealedLength <= bytes.log.capacity()) {
            bytes.sealRecord(at);
        }
        what += "word " + field + " is " + value;
    }

    private void logHeader() {
        row = "log: header";
        int at = random.nextInt(44);
        flip(bytes.log, at, 1 + random.nextInt(3));
        what = "log header at " + at;
    }

    /** The parts of the heap file with changed bytes. */
    Set<Part> touched() {
        Set<Part> touched = EnumSet.noneOf(Part.class);
        byte[] now = bytes.heap.array();
        for (int i = 0; i < heapBefore.length; i++) {
            if (i >= now.length || now[i] != heapBefore[i]) {
                touched.add(DamageMap.part(map.heap, i));
            }
        }
        return touched;
    }

    /** How many of the log's last records have changed bytes. */
    int lastRecordsTouched() {
        int count = 0;
        for (int i = map.records.size() - 1; i >= 0; i--) {
            int at = map.records.get(i);
            int end = Math.min(logBefore.length, at + DamageMap.wrap(logBefore).getInt(at + 4));
            if (bytes.log.capacity() >= end && Arrays.equals(logBefore, at, end, bytes.log.array(), at, end)) {
                break;
            }
            count++;
        }
        return count;
    }
}
