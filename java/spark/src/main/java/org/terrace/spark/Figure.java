// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import org.apache.spark.util.Utils;

/** The figures that an executor reports of its second heap, in the order in which they are shown. */
enum Figure {
    BLOCKS_IN_H2("blocksInH2", "Partitions in H2", Unit.NUMBER),
    BYTES_IN_H2("bytesInH2", "Their size", Unit.BYTES),
    BLOCKS_DUE("blocksDue", "Waiting to move", Unit.NUMBER),
    BYTES_DUE("bytesDue", "Their size", Unit.BYTES),
    H2_USED("h2Used", "H2 used", Unit.BYTES),
    H2_CAPACITY("h2Capacity", "H2 capacity", Unit.BYTES),
    TRANSFERS("transfers", "Transfers", Unit.NUMBER),
    TRANSFER_MILLIS("transferMillis", "Time of transfers", Unit.MILLIS),
    MOVED_BYTES("movedBytes", "Moved so far", Unit.BYTES),
    STALLS("stalls", "Transfers that moved nothing", Unit.NUMBER);

    private enum Unit {
        NUMBER, BYTES, MILLIS
    }

    /** The name in JSON. */
    final String key;

    /** The name in the user interface. */
    final String title;

    private final Unit unit;

    Figure(String key, String title, Unit unit) {
        this.key = key;
        this.title = title;
        this.unit = unit;
    }

    String show(long value) {
        switch (unit) {
            case BYTES:
                return Utils.bytesToString(value);
            case MILLIS:
                return Utils.msDurationToString(value);
            default:
                return Long.toString(value);
        }
    }
}
