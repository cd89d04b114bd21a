// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The program that is killed. It changes the keys in turn, from 1 on, and prints a line after each change. */
final class KilledPeer {
    static final int KEYS = 30;
    static final Shape SHAPE = new Shape(KEYS, KEYS, 4, 100, 0);

    private KilledPeer() {
    }

    static String key(int index) {
        return "user" + index;
    }

    /** Returns the last change of this key among the changes up to {@code count}, or 0. */
    static int last(int index, int count) {
        for (int change = count; change > 0; change--) {
            if (change % KEYS == index) {
                return change;
            }
        }
        return 0;
    }

    static int number(byte[] record) {
        return ByteBuffer.wrap(record).getInt(SHAPE.fieldBytes());
    }

    public static void main(String[] args) throws Exception {
        Records store = Peer.valueOf(args[0]).open(Path.of(args[2]), Level.valueOf(args[1]), SHAPE);
        for (int change = 1; ; change++) {
            String key = key(change % KEYS);
            byte[] field = ByteBuffer.allocate(SHAPE.fieldBytes()).putInt(change).array();
            if (change <= KEYS) {
                byte[] record = new byte[SHAPE.recordBytes()];
                System.arraycopy(field, 0, record, SHAPE.fieldBytes(), field.length);
                store.insert(key, record);
            } else {
                store.update(key, SHAPE.fieldBytes(), field);
            }
            System.out.println("done " + change);
            if (System.out.checkError()) {
                Runtime.getRuntime().halt(1);
            }
        }
    }
}
