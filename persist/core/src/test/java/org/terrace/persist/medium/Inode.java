// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A file on a {@link Disk}. It has the contents of the page cache, and the versions of sectors or lines that are not durable,
 * oldest first.
 */
final class Inode {
    final int grain;
    byte[] content = new byte[0];
    int durableSize;
    final Map<Integer, List<byte[]>> versions = new HashMap<>();

    Inode(int grain) {
        this.grain = grain;
    }

    Inode copy(boolean withVersions) {
        Inode copy = new Inode(grain);
        copy.content = content.clone();
        copy.durableSize = durableSize;
        if (withVersions) {
            versions.forEach((sector, list) -> copy.versions.put(sector, new ArrayList<>(list)));
        }
        return copy;
    }

    void write(long position, byte[] bytes, int from, int length) {
        int end = (int) position + length;
        if (end > content.length) {
            content = Arrays.copyOf(content, end);
        }
        int first = (int) position / grain;
        int last = (end - 1) / grain;
        for (int sector = first; sector <= last; sector++) {
            int number = sector;
            versions.computeIfAbsent(sector, s -> new ArrayList<>(List.of(sector(number))));
        }
        System.arraycopy(bytes, from, content, (int) position, length);
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
