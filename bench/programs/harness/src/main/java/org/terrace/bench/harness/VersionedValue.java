// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

import java.util.SplittableRandom;

/** Values of 1 to 2 KB, which begin with their key and version, and end with the version's last byte. */
public final class VersionedValue {

    private static final int SMALLEST = 1024;
    private static final int LARGEST = 2048;
    /** Mean length of an array, without its header. */
    public static final int MEAN_BYTES = (SMALLEST + LARGEST) / 2;

    private VersionedValue() {
    }

    public static byte[] make(int key, int version, SplittableRandom random) {
        byte[] value = new byte[random.nextInt(SMALLEST, LARGEST)];
        for (int i = 0; i < Integer.BYTES; i++) {
            value[i] = (byte) (key >>> i * Byte.SIZE);
            value[Integer.BYTES + i] = (byte) (version >>> i * Byte.SIZE);
        }
        value[value.length - 1] = (byte) version;
        return value;
    }

    /** Returns whether the value belongs to the key, in any version. */
    public static boolean isOf(int key, byte[] value) {
        return number(value, 0) == key && value[value.length - 1] == (byte) version(value);
    }

    public static int version(byte[] value) {
        return number(value, Integer.BYTES);
    }

    private static int number(byte[] value, int at) {
        int number = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            number |= (value[at + i] & 0xff) << i * Byte.SIZE;
        }
        return number;
    }
}
