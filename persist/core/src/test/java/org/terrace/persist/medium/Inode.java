// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import com.google.common.hash.Hashing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A file on a {@link Disk}. It has the contents of the page cache, and the versions of sectors or lines that are not durable,
 * oldest first. States of a disk differ in a few sectors, so hashes of blocks are computed once for all copies of the file.
 */
final class Inode {
    private static final int BLOCK = 4096;
    private static final long UNKNOWN = 0;

    final int grain;
    private byte[] content = new byte[0];
    /** The hash of each block. */
    private long[] hashes = new long[0];
    /** Whether copies with the same contents use the array of hashes too. */
    private boolean shared;
    /** Whether a test can change the contents without this object. */
    private boolean exposed;
    int durableSize;
    final Map<Integer, List<byte[]>> versions = new HashMap<>();

    Inode(int grain) {
        this.grain = grain;
    }

    Inode copy(boolean withVersions) {
        Inode copy = new Inode(grain);
        copy.content = content.clone();
        copy.hashes = exposed ? new long[hashes.length] : hashes;
        shared = true;
        copy.shared = true;
        copy.durableSize = durableSize;
        if (withVersions) {
            versions.forEach((sector, list) -> copy.versions.put(sector, new ArrayList<>(list)));
        }
        return copy;
    }

    int size() {
        return content.length;
    }

    /** Sets the size. Added bytes are 0. */
    void resize(int size) {
        int kept = Math.min(size, content.length) / BLOCK;
        content = Arrays.copyOf(content, size);
        hashes = Arrays.copyOf(Arrays.copyOf(hashes, kept), (size + BLOCK - 1) / BLOCK);
        shared = false;
    }

    void read(int position, byte[] into, int from, int length) {
        System.arraycopy(content, position, into, from, length);
    }

    /** The contents for a test that may change them. */
    byte[] expose() {
        exposed = true;
        unshare();
        return content;
    }

    private void unshare() {
        if (shared) {
            hashes = hashes.clone();
            shared = false;
        }
    }

    /** Changes bytes without a trace in the versions. */
    void patch(int position, byte[] bytes, int from, int length) {
        if (length > 0) {
            unshare();
            Arrays.fill(hashes, position / BLOCK, (position + length - 1) / BLOCK + 1, UNKNOWN);
            System.arraycopy(bytes, from, content, position, length);
        }
    }

    long hashOfContent() {
        // An empty file must not have the hash of a missing one.
        long hash = content.length + 1L;
        for (int block = 0; block < hashes.length; block++) {
            if (exposed || hashes[block] == UNKNOWN) {
                int from = block * BLOCK;
                hashes[block] = hashOf(content, from, Math.min(BLOCK, content.length - from));
            }
            hash = 31 * hash + hashes[block];
        }
        return hash;
    }

    /** A hash of the contents and of the versions that could be lost. */
    long hash() {
        long hash = hashOfContent();
        hash = 31 * hash + durableSize;
        for (Map.Entry<Integer, List<byte[]>> sector : versions.entrySet()) {
            long ofVersions = sector.getKey();
            for (byte[] version : sector.getValue()) {
                ofVersions = 31 * ofVersions + hashOf(version, 0, version.length);
            }
            hash += ofVersions;
        }
        return hash;
    }

    private static long hashOf(byte[] bytes, int from, int length) {
        return Hashing.farmHashFingerprint64().hashBytes(bytes, from, length).asLong();
    }

    void write(long position, byte[] bytes, int from, int length) {
        int end = (int) position + length;
        if (end > content.length) {
            resize(end);
        }
        int first = (int) position / grain;
        int last = (end - 1) / grain;
        for (int sector = first; sector <= last; sector++) {
            int number = sector;
            versions.computeIfAbsent(sector, s -> new ArrayList<>(List.of(sector(number))));
        }
        patch((int) position, bytes, from, length);
        for (int sector = first; sector <= last; sector++) {
            versions.get(sector).add(sector(sector));
        }
    }

    byte[] sector(int number) {
        return Arrays.copyOfRange(content, number * grain, (number + 1) * grain);
    }

    void sync() {
        versions.clear();
        durableSize = content.length;
    }

    void writeBack(long position, int length) {
        for (int line = (int) position / grain; line <= ((int) position + length - 1) / grain; line++) {
            versions.remove(line);
        }
    }
}
