// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.util.Map;
import org.terrace.persist.Promises.Survives;

/**
 * A type of file system as reported by {@code statfs}, and the failures that a synced file survives there.
 *
 * @param name the name in {@code /proc/filesystems}, or the number in hexadecimal
 */
public record FileSystem(String name, Survives survives) {
    private static final Map<Long, FileSystem> KNOWN = Map.ofEntries(
            local(0xEF53, "ext4"), local(0x58465342, "xfs"), local(0x9123683E, "btrfs"), local(0xF2F52010, "f2fs"),
            local(0x2FC12FC1, "zfs"), local(0x794C7630, "overlay"),
            memory(0x01021994, "tmpfs"), memory(0x858458F6, "ramfs"), memory(0x958458F6, "hugetlbfs"),
            server(0x6969, "nfs"), server(0xFF534D42, "cifs"), server(0xFE534D42, "smb2"), server(0x517B, "smb"),
            server(0x01021997, "9p"), server(0x00C36400, "ceph"), server(0x65735546, "fuse"), server(0x5346414F, "afs"),
            server(0x0BD00BD0, "lustre"));

    private static Map.Entry<Long, FileSystem> local(int type, String name) {
        return Map.entry(Integer.toUnsignedLong(type), new FileSystem(name, Survives.MACHINE));
    }

    private static Map.Entry<Long, FileSystem> memory(int type, String name) {
        return Map.entry(Integer.toUnsignedLong(type), new FileSystem(name, Survives.PROCESS));
    }

    private static Map.Entry<Long, FileSystem> server(int type, String name) {
        return Map.entry(Integer.toUnsignedLong(type), new FileSystem(name, Survives.SERVER));
    }

    /** An unknown type is treated as a local file system. */
    static FileSystem ofType(int type) {
        FileSystem known = KNOWN.get(Integer.toUnsignedLong(type));
        return known != null ? known : new FileSystem("0x" + Integer.toHexString(type), Survives.MACHINE);
    }
}
