// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

import static gc.terrace.h2.stress.Mismatch.check;
import static gc.terrace.h2.stress.Mismatch.describe;

/**
 * The nodes of one thread and their model, which change together. The model is in arrays of primitives, so no collection
 * changes it. Its index is the node's id, and each node has four edges. 0 stands for no node.
 */
final class Partition {

    private static final int EDGES = Node.EDGES;

    private final H2Stress.Options options;
    private final SplittableRandom random;
    private final long firstSerial;

    /** Number of nodes to keep alive. */
    final int target;
    final int capacity;
    private final Node[] roots;

    // The model.
    private final long[] rootOf;
    private final long[] serialOf;
    private final long[] valueOf;
    private final long[] edgeOf;
    private final long[] foreignOf;
    private final int[] hashOf;
    private final byte[] kindOf;
    private final int[] freeIds;
    private int free;
    private long lastSerial;

    private int bigNodes;
    private int madeSinceSweep;

    Partition(H2Stress.Options options, SplittableRandom random, long firstSerial, int operationsPerEpoch) {
        this.options = options;
        this.random = random;
        this.firstSerial = firstSerial;
        this.target = options.objects / options.threads;
        this.capacity = target + target / 4 + 4 * operationsPerEpoch + 64;
        this.roots = new Node[Math.max(8, Math.min(2000, target / 500))];
        this.rootOf = new long[roots.length];
        this.serialOf = new long[capacity];
        this.valueOf = new long[capacity];
        this.edgeOf = new long[capacity * EDGES];
        this.foreignOf = new long[capacity];
        this.hashOf = new int[capacity];
        this.kindOf = new byte[capacity];
        this.freeIds = new int[capacity];
        this.lastSerial = firstSerial;
        for (int id = capacity - 1; id > 0; id--) {
            freeIds[free++] = id;
        }
    }

    // ---- Changes

    /** Makes a node that nothing refers to. Returns null if no id is free. */
    Node make() {
        if (free == 0) {
            return null;
        }
        int kind;
        if (bigNodes < options.bigNodes && random.nextInt(200) == 0) {
            kind = Node.BIG_KIND;
            bigNodes++;
        } else {
            kind = 1 + random.nextInt(Node.kinds() - 1);
        }
        int id = freeIds[--free];
        madeSinceSweep++;
        Node node = Node.make(kind, id, nextSerial(), options.bigBytes);
        serialOf[id] = node.serial;
        kindOf[id] = (byte) kind;
        valueOf[id] = 0;
        hashOf[id] = 0;
        foreignOf[id] = 0;
        Arrays.fill(edgeOf, id * EDGES, id * EDGES + EDGES, 0);
        return node;
    }

    long nextSerial() {
        return ++lastSerial;
    }

    /** Inserts a new node between {@code place} and the target of its edge {@code k}. */
    Node insertAt(Node place, int k) {
        Node node = make();
        if (node == null) {
            return null;
        }
        Node old = place.edge(k);
        if (old != null) {
            setEdge(node, random.nextInt(EDGES), old);
        }
        setEdge(place, k, node);
        return node;
    }

    /** Replaces the graph of a root by a new one of up to {@code size} nodes. */
    void plant(int root, int size) {
        Node[] made = new Node[Math.max(1, size)];
        made[0] = make();
        roots[root] = made[0];
        rootOf[root] = made[0] == null ? 0 : made[0].serial;
        for (int i = 1; i < size; i++) {
            made[i] = insertAt(made[random.nextInt(i)], random.nextInt(EDGES));
            if (made[i] == null) {
                break;
            }
        }
    }

    void setEdge(Node node, int k, Node to) {
        node.setEdge(k, to);
        edgeOf[node.id * EDGES + k] = to == null ? 0 : to.serial;
    }

    void setValue(Node node, long value) {
        node.setValue(value);
        valueOf[node.id] = value;
    }

    void setForeign(Node node, Node foreign) {
        node.foreign = foreign;
        foreignOf[node.id] = foreign == null ? 0 : foreign.serial;
    }

    /** Computes the identity hash of a node, which must not change from now on. */
    void hash(Node node) {
        hashOf[node.id] = System.identityHashCode(node);
    }

    /** Frees the ids of all nodes that are not among the live ones. Removes the ids from {@code movedIds}. */
    void sweep(Node[] live, BitSet movedIds) {
        int big = 0;
        for (int id = 1; id < capacity; id++) {
            if (serialOf[id] != 0) {
                if (live[id] == null) {
                    serialOf[id] = 0;
                    movedIds.clear(id);
                    freeIds[free++] = id;
                } else if (kindOf[id] == Node.BIG_KIND) {
                    big++;
                }
            }
        }
        bigNodes = big;
        madeSinceSweep = 0;
    }

    // ---- Checked reads

    int roots() {
        return roots.length;
    }

    Node root(int i) {
        checkTarget(roots[i], rootOf[i], "root ", i);
        return roots[i];
    }

    Node edge(Node node, int k) {
        Node to = node.edge(k);
        checkTarget(to, edgeOf[node.id * EDGES + k], node, k);
        return to;
    }

    /** Returns the end of a random walk from a root, or null if the root has no graph. */
    Node pick(int root) {
        Node node = root(root);
        for (int steps = random.nextInt(24); steps > 0 && node != null; steps--) {
            Node next = edge(node, random.nextInt(EDGES));
            if (next != null) {
                node = next;
            }
        }
        return node;
    }

    private void checkTarget(Node node, long expectedSerial, Object from, int k) {
        if (node == null) {
            if (expectedSerial != 0) {
                throw new Mismatch("edge " + k + " of " + from + " is null, expected serial " + expectedSerial);
            }
            return;
        }
        if (node.serial != expectedSerial || node.id <= 0 || node.id >= capacity
                || serialOf[node.id] != expectedSerial) {
            throw new Mismatch("edge " + k + " of " + describe(from) + " leads to " + describe(node)
                               + ", expected serial " + expectedSerial);
        }
    }

    void checkNode(Node node) {
        int id = node.id;
        String identity = node.checkIdentity();
        check(identity == null, () -> describe(node) + ": " + identity);
        String content = node.checkContent();
        check(content == null, () -> describe(node) + ": " + content);
        check(node.value == valueOf[id], () -> describe(node) + ": value " + node.value + ", expected " + valueOf[id]);
        check(hashOf[id] == 0 || hashOf[id] == System.identityHashCode(node),
              () -> describe(node) + ": another identity hash");
        Node foreign = node.foreign;
        check((foreign == null ? 0 : foreign.serial) == foreignOf[id],
              () -> describe(node) + ": foreign is " + foreign + ", expected serial " + foreignOf[id]);
        if (foreign != null) {
            checkForeign(node, foreign);
        }
    }

    void checkForeign(Node node, Node foreign) {
        String identity = foreign.checkIdentity();
        check(identity == null, () -> describe(node) + ": foreign " + describe(foreign) + ": " + identity);
        String content = foreign.checkContent();
        check(content == null && foreign.value == 0, () -> describe(node) + ": foreign " + describe(foreign) + ": " + content);
    }

    // ---- Numbers

    boolean isBig(Node node) {
        return kindOf[node.id] == Node.BIG_KIND;
    }

    /** Returns whether the id still belongs to the node with this serial number. */
    boolean isCurrent(int id, long serial) {
        return serialOf[id] == serial;
    }

    int madeSinceSweep() {
        return madeSinceSweep;
    }

    long made() {
        return lastSerial - firstSerial;
    }

    /** A checksum of the model alone. It is equal for equal seeds after an equal number of operations. */
    long checksum() {
        return Arrays.hashCode(serialOf) * 31L + Arrays.hashCode(edgeOf) * 17L + Arrays.hashCode(rootOf);
    }
}
