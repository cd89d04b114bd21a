// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.tiers;

import java.util.Arrays;

import static gc.terrace.h2.H2Test.assertTrue;

/** A structure of some megabytes that the tests of tiers move, place, read and check. It consists of rows of one value. */
final class Rows {

    static final int REGIONS = 2; // of 16 MB
    static final int SIZE = 30 << 20;
    static final int ROW = 8 << 10;

    private Rows() {
    }

    static byte[][] structure(int value) {
        byte[][] rows = new byte[SIZE / ROW][ROW - 16];
        for (byte[] row : rows) {
            Arrays.fill(row, (byte) value);
        }
        return rows;
    }

    /** Reads each page and checks its value. */
    static void check(byte[][] rows, int value) {
        for (byte[] row : rows) {
            for (int i = 0; i < row.length; i += 4096) {
                assertTrue(row[i] == (byte) value, "a row of structure " + value + " has " + row[i]);
            }
            assertTrue(row[row.length - 1] == (byte) value, "a row of structure " + value + " ends with " + row[row.length - 1]);
        }
    }
}
