// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.util.Arrays;

/** Nodes whose edges are elements of arrays. */
final class ArrayNodes {

    private ArrayNodes() {
    }

    /** An array of references, which is sometimes cloned, shifted and copied. */
    static final class ArrayNode extends Node {
        Object[] edges = new Node[EDGES];

        ArrayNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return (Node) edges[k];
        }

        @Override
        void setEdge(int k, Node target) {
            edges[k] = target;
        }

        @Override
        void churn() {
            switch ((int) (mix(serial + value) & 3)) {
                case 0:
                    edges = edges.clone();
                    break;
                case 1:
                    edges = Arrays.copyOf(edges, EDGES, Object[].class);
                    break;
                case 2:
                    Object last = edges[EDGES - 1];
                    System.arraycopy(edges, 0, edges, 1, EDGES - 1);
                    System.arraycopy(edges, 1, edges, 0, EDGES - 1);
                    edges[EDGES - 1] = last;
                    break;
                default:
                    Object[] other = new Object[EDGES];
                    System.arraycopy(edges, 0, other, 0, EDGES);
                    Arrays.fill(edges, null);
                    System.arraycopy(other, 0, edges, 0, EDGES);
                    break;
            }
        }
    }

    /** Arrays larger than a region. Each edge is at the beginning of one, at its end and in between. */
    static final class BigNode extends Node {
        private static final int PAGE = 512;

        private final Object[] edges;
        private final long[] longs;

        BigNode(int id, long serial, int size) {
            super(id, serial);
            // Twice the size if references are not compressed.
            edges = new Object[Math.max(size / 4, 64)];
            longs = new long[Math.max(size / 8, PAGE)];
            write();
        }

        private void write() {
            for (int i = 0; i < longs.length; i += PAGE) {
                longs[i] = mix(serial + value + i);
            }
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            write();
        }

        private int place(int k, int copy) {
            switch (copy) {
                case 0:
                    return k;
                case 1:
                    return edges.length - 1 - k;
                default:
                    int stride = (edges.length - 2 * EDGES) / 16;
                    return EDGES + (copy - 2) * 4 * stride + k * stride;
            }
        }

        @Override
        Node edge(int k) {
            return (Node) edges[place(k, 0)];
        }

        @Override
        void setEdge(int k, Node target) {
            for (int copy = 0; copy < 6; copy++) {
                edges[place(k, copy)] = target;
            }
        }

        @Override
        String checkContent() {
            int found = 0;
            int expected = 0;
            for (int k = 0; k < EDGES; k++) {
                for (int copy = 0; copy < 6; copy++) {
                    if (edges[place(k, copy)] != edges[k]) {
                        return "copy " + copy + " of edge " + k + " is " + edges[place(k, copy)] + ", not " + edges[k];
                    }
                    expected += edges[k] == null ? 0 : 1;
                }
            }
            for (Object edge : edges) {
                found += edge == null ? 0 : 1;
            }
            if (found != expected) {
                return found + " elements, expected " + expected;
            }
            for (int i = 0; i < longs.length; i++) {
                if (longs[i] != (i % PAGE == 0 ? mix(serial + value + i) : 0)) {
                    return "long " + i + " of " + longs.length + " is " + longs[i];
                }
            }
            return null;
        }
    }

    /** An array of arrays, whose rows are sometimes replaced. */
    static final class MatrixNode extends Node {
        private final Node[][] rows = new Node[2][EDGES / 2];

        MatrixNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return rows[k / 2][k % 2];
        }

        @Override
        void setEdge(int k, Node target) {
            rows[k / 2][k % 2] = target;
        }

        @Override
        void churn() {
            int row = (int) (value & 1);
            rows[row] = rows[row].clone();
        }
    }
}
