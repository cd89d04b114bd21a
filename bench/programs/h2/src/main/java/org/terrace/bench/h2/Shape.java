// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.util.ArrayList;
import java.util.List;

/** Kinds of object graphs. Sizes are valid for compressed references. */
enum Shape {

    /** Lists of 512 nodes of 24 bytes, and an array that refers to each of them. */
    NODES(512 * (24 + 4) + 16) {
        @Override
        Object block() {
            Node[] nodes = new Node[512];
            for (int i = 0; i < nodes.length; i++) {
                nodes[i] = new Node(i == 0 ? null : nodes[i - 1], i);
            }
            return nodes;
        }
    },

    /** Arrays of 1 KB. */
    ARRAYS(1 << 10) {
        @Override
        Object block() {
            return new byte[(1 << 10) - 16];
        }
    },

    /** Arrays of 8 MB. */
    LARGE(8 << 20) {
        @Override
        Object block() {
            return new byte[(8 << 20) - 16];
        }
    },

    /** Arrays of 512 references to boxed numbers and short strings, a quarter each. */
    BOXED(512 * 4 + 16 + 128 * (16 + 24 + 24 + 24 + 24)) {
        @Override
        Object block() {
            Object[] values = new Object[512];
            for (int i = 0; i < values.length; i += 4) {
                values[i] = Integer.valueOf(i + 1000);
                values[i + 1] = Long.valueOf(i + 1000L);
                values[i + 2] = Double.valueOf(i);
                values[i + 3] = String.valueOf(10000 + i);
            }
            return values;
        }
    };

    /** Bytes of one block. */
    final long bytes;

    Shape(long bytes) {
        this.bytes = bytes;
    }

    abstract Object block();

    /** Returns a list of approximately {@code size} bytes. */
    List<Object> build(long size) {
        int count = (int) Math.max(1, size / bytes);
        List<Object> blocks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            blocks.add(block());
        }
        return blocks;
    }

    static final class Node {

        final Node next;
        final int value;

        Node(Node next, int value) {
            this.next = next;
            this.value = value;
        }
    }
}
