// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Nodes whose edges are in collections of the JDK, or captured by lambdas. */
final class CollectionNodes {

    private CollectionNodes() {
    }

    static final class HashMapNode extends Node {
        private final Map<Object, Node> edges = new HashMap<>();

        HashMapNode(int id, long serial, int size) {
            super(id, serial);
        }

        private static Object key(int k) {
            return k % 2 == 0 ? (Object) ("edge " + k) : (Object) Long.valueOf(1000 + k);
        }

        @Override
        Node edge(int k) {
            return edges.get(key(k));
        }

        @Override
        void setEdge(int k, Node target) {
            if (target == null) {
                edges.remove(key(k));
            } else {
                edges.put(key(k), target);
            }
        }

        @Override
        void churn() {
            for (int i = 0; i < 20; i++) {
                edges.put("temporary " + i, this);
            }
            for (int i = 0; i < 20; i++) {
                edges.remove("temporary " + i);
            }
        }
    }

    static final class ListNode extends Node {
        private final ArrayList<Node> edges = new ArrayList<>();
        private final ArrayDeque<Long> history = new ArrayDeque<>();

        ListNode(int id, long serial, int size) {
            super(id, serial);
            for (int k = 0; k < EDGES; k++) {
                edges.add(null);
            }
            history.add(0L);
        }

        @Override
        Node edge(int k) {
            return edges.get(k);
        }

        @Override
        void setEdge(int k, Node target) {
            edges.set(k, target);
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            history.addLast(newValue);
            if (history.size() > 10) {
                history.removeFirst();
            }
        }

        @Override
        void churn() {
            edges.add(0, this);
            edges.remove(0);
            edges.trimToSize();
        }

        @Override
        String checkContent() {
            return history.getLast() == value ? null : "the history ends with " + history.getLast();
        }
    }

    static final class ConcurrentNode extends Node {
        private final ConcurrentHashMap<Integer, Node> edges = new ConcurrentHashMap<>(4);
        private final ReentrantLock lock = new ReentrantLock();

        ConcurrentNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return edges.get(k);
        }

        @Override
        void setEdge(int k, Node target) {
            lock.lock();
            try {
                if (target == null) {
                    edges.remove(k);
                } else {
                    edges.merge(k, target, (old, fresh) -> fresh);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Edges that are found by the identity hashes of keys, which move. */
    static final class IdentityNode extends Node {
        private final Object[] keys = { new Object(), new int[1], "key", new Object() };
        private final IdentityHashMap<Object, Node> edges = new IdentityHashMap<>(4);

        IdentityNode(int id, long serial, int size) {
            super(id, serial);
        }

        @Override
        Node edge(int k) {
            return edges.get(keys[k]);
        }

        @Override
        void setEdge(int k, Node target) {
            if (target == null) {
                edges.remove(keys[k]);
            } else {
                edges.put(keys[k], target);
            }
        }
    }

    /** Edges captured by lambdas and by anonymous classes. */
    static final class LambdaNode extends Node {
        @SuppressWarnings("unchecked")
        private final Supplier<Node>[] edges = (Supplier<Node>[]) new Supplier<?>[EDGES];

        LambdaNode(int id, long serial, int size) {
            super(id, serial);
            for (int k = 0; k < EDGES; k++) {
                edges[k] = () -> null;
            }
        }

        @Override
        Node edge(int k) {
            return edges[k].get();
        }

        @Override
        void setEdge(int k, Node target) {
            long capturedSerial = serial;
            if (k % 2 == 0) {
                edges[k] = () -> capturedSerial == this.serial ? target : this;
            } else {
                edges[k] = new Supplier<>() {
                    @Override
                    public Node get() {
                        return capturedSerial == serial ? target : LambdaNode.this;
                    }
                };
            }
        }
    }
}
