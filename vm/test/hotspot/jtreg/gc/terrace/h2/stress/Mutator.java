// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.Supplier;

import org.terrace.SecondHeap;

/**
 * One thread of the stress program, with a partition of nodes, its model, and the random operations on both. Every epoch
 * ends with a walk over the whole partition that compares the two. Nodes that the walk does not reach are dead, and their
 * ids are used again.
 */
final class Mutator extends Thread {

    static final long SHARED_LABEL = -1;

    private static final int EDGES = Node.EDGES;
    private static final int LABELS = 8;
    private static final int WEAKS = 256;

    private final H2Stress stress;
    private final H2Stress.Options options;
    private final int number;
    private final SplittableRandom random;

    /** Number of nodes to keep alive. */
    private final int target;
    private final Node[] roots;
    private final long[] labels = new long[LABELS];

    // The model. The index is the node's id, and each node has four edges. 0 stands for no node.
    private final int capacity;
    private final long[] serialOf;
    private final long[] valueOf;
    private final long[] edgeOf;
    private final long[] foreignOf;
    private final int[] hashOf;
    private final byte[] kindOf;
    private final long[] rootOf;
    private final int[] freeIds;
    private int free;
    private long lastSerial;

    // Weak references, with the nodes that they must refer to as long as those live.
    private final Reference<?>[] weaks = new Reference<?>[WEAKS];
    private final int[] weakIds = new int[WEAKS];
    private final long[] weakSerials = new long[WEAKS];
    /** A reference to an object that nothing else has ever referred to. */
    private WeakReference<Node> hopeless;

    // Used during a walk only.
    private final Node[] seen;
    private final Node[] stack;
    private final BitSet movedIds = new BitSet();

    // Read by the reporter.
    volatile long epochs;
    volatile long operations;
    volatile long madeNodes;
    volatile int liveNodes;
    volatile int inH2Nodes;
    volatile long seenInH2;
    volatile long clearedWeaks;

    private int bigNodes;
    private int madeThisEpoch;
    private Object garbage;

    Mutator(H2Stress stress, int number) {
        super("mutator " + number);
        this.stress = stress;
        this.options = stress.options;
        this.number = number;
        this.random = new SplittableRandom(options.seed * 1000 + number);
        this.target = options.objects / options.threads;
        this.capacity = target + target / 4 + 4 * operationsPerEpoch() + 64;
        this.roots = new Node[Math.max(8, Math.min(2000, target / 500))];
        this.rootOf = new long[roots.length];
        this.serialOf = new long[capacity];
        this.valueOf = new long[capacity];
        this.edgeOf = new long[capacity * EDGES];
        this.foreignOf = new long[capacity];
        this.hashOf = new int[capacity];
        this.kindOf = new byte[capacity];
        this.freeIds = new int[capacity];
        this.seen = new Node[capacity];
        this.stack = new Node[capacity];
        this.lastSerial = firstSerial();
        for (int id = capacity - 1; id > 0; id--) {
            freeIds[free++] = id;
        }
        for (int i = 0; i < LABELS; i++) {
            labels[i] = (long) (number + 1) << 32 | i;
        }
    }

    private long firstSerial() {
        return (long) (number + 1) << 40;
    }

    private int operationsPerEpoch() {
        return Math.max(options.operations, options.objects / options.threads / 20);
    }

    @Override
    public void run() {
        try {
            for (int i = 0; i < roots.length; i++) {
                plant(i, target / roots.length);
            }
            verify();
            while (!stress.done(epochs)) {
                refill();
                for (int i = operationsPerEpoch(); i > 0; i--) {
                    operate();
                    operations++;
                }
                verify();
                if (random.nextInt(1000) < options.gcPerMille) {
                    collect();
                    verify();
                }
                epochs++;
            }
        } catch (Mismatch e) {
            stress.fail(where() + ": " + e.getMessage(), e.getStackTrace());
        } catch (Throwable t) {
            t.printStackTrace(System.out);
            stress.fail(where() + ": " + t, t.getStackTrace());
        }
    }

    private String where() {
        return "thread " + number + ", epoch " + epochs + ", operation " + operations;
    }

    // ---- Operations

    private void operate() throws InterruptedException {
        int choice = random.nextInt(1000);
        if ((choice -= 250) < 0) {
            insert();
        } else if ((choice -= 230) < 0) {
            link();
        } else if ((choice -= 30) < 0) {
            cut();
        } else if ((choice -= 170) < 0) {
            write();
        } else if ((choice -= 60) < 0) {
            churn();
        } else if ((choice -= 40) < 0) {
            lock();
        } else if ((choice -= 30) < 0) {
            hash();
        } else if ((choice -= 40) < 0) {
            publish();
        } else if ((choice -= 40) < 0) {
            adopt();
        } else if ((choice -= 30) < 0) {
            makeWeak();
        } else if ((choice -= 20) < 0) {
            count();
        } else if ((choice -= 10) < 0) {
            litter(random.nextInt(1 << 16));
        } else if ((choice -= 20) < 0) {
            tag();
        } else if ((choice -= 20) < 0) {
            hint();
        } else if ((choice -= 1) < 0) {
            replant();
        }
    }

    private void insert() {
        Node place = pick(random.nextInt(roots.length));
        if (place == null) {
            replant();
        } else {
            insertAt(place, random.nextInt(EDGES));
        }
    }

    /** Makes nodes until they compensate for the dropped ones. */
    private void refill() {
        while (liveNodes + madeThisEpoch < target) {
            int root = random.nextInt(roots.length);
            Node place = pick(root);
            if (place == null) {
                plant(root, 1);
            } else if (insertAt(place, random.nextInt(EDGES)) == null) {
                return;
            }
        }
    }

    /** Inserts a new node between {@code place} and the target of its edge {@code k}. */
    private Node insertAt(Node place, int k) {
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

    private void link() {
        int root = random.nextInt(roots.length);
        int other = random.nextInt(100) < 3 ? random.nextInt(roots.length) : root;
        Node from = pick(root);
        Node to = pick(other);
        int k = random.nextInt(EDGES);
        if (from != null && to != null) {
            setEdge(from, k, to);
        }
    }

    private void cut() {
        Node node = pick(random.nextInt(roots.length));
        if (node != null) {
            setEdge(node, random.nextInt(EDGES), null);
        }
    }

    private void write() {
        Node node = pick(random.nextInt(roots.length));
        if (node != null && (kindOf[node.id] != Node.BIG_KIND || random.nextInt(20) == 0)) {
            setValue(node, random.nextLong() >>> 8);
        }
    }

    private void churn() {
        Node node = pick(random.nextInt(roots.length));
        if (node != null) {
            node.churn();
        }
    }

    private void lock() throws InterruptedException {
        Node node = pick(random.nextInt(roots.length));
        int how = random.nextInt(400);
        if (node == null) {
            return;
        }
        synchronized (node) {
            setValue(node, how);
            if (how == 0) {
                collect();
            } else if (how < 20) {
                litter(1 << 18);
            } else if (how < 30) {
                node.wait(0, 1);
            } else if (how < 60) {
                synchronized (node) {
                    node.notifyAll();
                }
            }
            check(Thread.holdsLock(node), () -> "the lock of " + node + " is lost");
            check(node.value == how, () -> node + " lost a write under its lock");
        }
        check(!Thread.holdsLock(node), () -> node + " is still locked");
    }

    private void hash() {
        Node node = pick(random.nextInt(roots.length));
        if (node != null) {
            hashOf[node.id] = System.identityHashCode(node);
        }
    }

    /** Offers a node without edges to other threads. With edges it could keep old nodes alive without end. */
    private void publish() {
        Node node = pick(random.nextInt(roots.length));
        int slot = random.nextInt(stress.exchange.length());
        int kind = 1 + random.nextInt(Node.kinds() - 1);
        if (node != null) {
            Node leaf = Node.make(kind, 0, ++lastSerial, 0);
            node.foreign = leaf;
            foreignOf[node.id] = leaf.serial;
            stress.exchange.set(slot, leaf);
        }
    }

    private void adopt() {
        Node node = pick(random.nextInt(roots.length));
        int slot = random.nextInt(stress.exchange.length());
        if (node != null) {
            Node foreign = stress.exchange.get(slot);
            node.foreign = foreign;
            foreignOf[node.id] = foreign == null ? 0 : foreign.serial;
            if (foreign != null) {
                checkForeign(node, foreign);
                if (slot % 8 == 0) {
                    synchronized (foreign) {
                        check(Thread.holdsLock(foreign), () -> "the lock of " + foreign + " is lost");
                    }
                }
            }
        }
    }

    private void makeWeak() {
        Node node = pick(random.nextInt(roots.length));
        int slot = random.nextInt(WEAKS);
        if (node != null) {
            weaks[slot] = slot % 8 == 0 ? new SoftReference<>(node) : new WeakReference<>(node);
            weakIds[slot] = node.id;
            weakSerials[slot] = node.serial;
        }
    }

    private void count() {
        int index = random.nextInt(stress.counters.length);
        H2Stress.Counter counter = stress.counters[index];
        synchronized (counter) {
            counter.count++;
            counter.lastOwner = getName() + " " + operations;
            stress.expectedCounts.incrementAndGet(index);
        }
    }

    /** Makes {@code bytes} of garbage, so that the young generation fills up. */
    private void litter(int bytes) {
        while (bytes > 0) {
            garbage = new Object[] { garbage == null ? null : garbage.getClass(), new byte[1000] };
            bytes -= 1050;
        }
        garbage = null;
    }

    private void tag() {
        int root = random.nextInt(roots.length);
        long label = labels[random.nextInt(LABELS)];
        Node node = random.nextBoolean() ? roots[root] : pick(root);
        int what = random.nextInt(6);
        if (node != null) {
            if (what == 0) {
                SecondHeap.untag(node);
            } else {
                SecondHeap.tagRoot(node, label);
            }
        }
    }

    private void hint() {
        int label = random.nextInt(LABELS);
        switch (random.nextInt(8)) {
            case 0:
            case 1:
            case 2:
                SecondHeap.move(labels[label]);
                break;
            case 3:
                SecondHeap.hold(labels[label]);
                break;
            case 4:
            case 5:
                labels[label] += LABELS;
                break;
            default:
                if (SecondHeap.hasTiers()) {
                    SecondHeap.place(labels[label], SecondHeap.Tier.values()[random.nextInt(SecondHeap.Tier.values().length)]);
                }
                break;
        }
    }

    /** Drops a whole graph and makes another one in its place. */
    private void replant() {
        plant(random.nextInt(roots.length), random.nextInt(2 * target / roots.length));
    }

    private void plant(int root, int size) {
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

    private void collect() {
        makeHopeless();
        int how = random.nextInt(4);
        if (how == 0) {
            litter(1 << 20);
            return;
        }
        WeakReference<Node> before = hopeless;
        if (how == 1 && SecondHeap.isAvailable()) {
            SecondHeap.transfer();
        } else {
            System.gc();
        }
        check(before.get() == null, () -> "a weak reference to an unreachable object survived a major collection");
    }

    private void makeHopeless() {
        hopeless = new WeakReference<>(Node.make(1, 0, random.nextLong() | 1, 0));
    }

    // ---- Nodes and their model, changed together

    private Node make() {
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
        madeThisEpoch++;
        Node node = Node.make(kind, id, ++lastSerial, options.bigBytes);
        serialOf[id] = node.serial;
        kindOf[id] = (byte) kind;
        valueOf[id] = 0;
        hashOf[id] = 0;
        foreignOf[id] = 0;
        Arrays.fill(edgeOf, id * EDGES, id * EDGES + EDGES, 0);
        return node;
    }

    private void setEdge(Node node, int k, Node to) {
        node.setEdge(k, to);
        edgeOf[node.id * EDGES + k] = to == null ? 0 : to.serial;
    }

    private void setValue(Node node, long value) {
        node.setValue(value);
        valueOf[node.id] = value;
    }

    /** A random walk from a root. Every step is checked. */
    private Node pick(int root) {
        Node node = roots[root];
        checkTarget(node, rootOf[root], "root ", root);
        for (int steps = random.nextInt(24); steps > 0 && node != null; steps--) {
            int k = random.nextInt(EDGES);
            Node next = node.edge(k);
            checkTarget(next, edgeOf[node.id * EDGES + k], node, k);
            if (next != null) {
                node = next;
            }
        }
        return node;
    }

    // ---- Verification

    /** Walks the partition, compares all of it with the model, and frees the ids of unreachable nodes. */
    private void verify() {
        int depth = 0;
        int live = 0;
        int inH2 = 0;
        Arrays.fill(seen, null);
        for (int i = 0; i < roots.length; i++) {
            checkTarget(roots[i], rootOf[i], "root ", i);
            if (roots[i] != null && visit(roots[i])) {
                stack[depth++] = roots[i];
            }
        }
        while (depth > 0) {
            Node node = stack[--depth];
            stack[depth] = null;
            live++;
            if (checkNode(node)) {
                inH2++;
            }
            for (int k = 0; k < EDGES; k++) {
                Node to = node.edge(k);
                checkTarget(to, edgeOf[node.id * EDGES + k], node, k);
                if (to != null && visit(to)) {
                    stack[depth++] = to;
                }
            }
        }
        checkWeaks();
        sweep();
        Arrays.fill(seen, null);
        liveNodes = live;
        madeNodes = lastSerial - firstSerial();
        inH2Nodes = inH2;
        seenInH2 += inH2;
        if (inH2 > 0) {
            stress.somethingMoved = true;
        }
        madeThisEpoch = 0;
    }

    /** Returns true at the first visit. Two objects with one id would be two copies of one object. */
    private boolean visit(Node node) {
        Node other = seen[node.id];
        if (other == null) {
            seen[node.id] = node;
            return true;
        }
        check(other == node, () -> "two copies: " + describe(node) + " and " + describe(other));
        return false;
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

    /** Checks a node, and returns whether it is in H2. */
    private boolean checkNode(Node node) {
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
        boolean inH2 = SecondHeap.state(node) == SecondHeap.State.IN_H2;
        check(inH2 || !movedIds.get(id), () -> describe(node) + " came back from H2");
        if (inH2) {
            movedIds.set(id);
        }
        return inH2;
    }

    private void checkForeign(Node node, Node foreign) {
        String identity = foreign.checkIdentity();
        check(identity == null, () -> describe(node) + ": foreign " + describe(foreign) + ": " + identity);
        String content = foreign.checkContent();
        check(content == null && foreign.value == 0, () -> describe(node) + ": foreign " + describe(foreign) + ": " + content);
    }

    private void checkWeaks() {
        for (int i = 0; i < WEAKS; i++) {
            if (weaks[i] == null) {
                continue;
            }
            long serial = weakSerials[i];
            Node referent = (Node) weaks[i].get();
            Node expected = serialOf[weakIds[i]] == serial ? seen[weakIds[i]] : null;
            if (expected != null) {
                check(referent == expected,
                      () -> "a weak reference to the live " + describe(expected) + " holds " + referent);
            } else if (referent == null) {
                clearedWeaks++;
                weaks[i] = null;
            } else {
                String wrong = referent.checkIdentity();
                check(wrong == null && referent.serial == serial,
                      () -> "a weak reference to serial " + serial + " holds " + referent + ": " + wrong);
            }
        }
    }

    private void sweep() {
        int big = 0;
        for (int id = 1; id < capacity; id++) {
            if (serialOf[id] != 0) {
                if (seen[id] == null) {
                    serialOf[id] = 0;
                    movedIds.clear(id);
                    freeIds[free++] = id;
                } else if (kindOf[id] == Node.BIG_KIND) {
                    big++;
                }
            }
        }
        bigNodes = big;
    }

    /** A checksum of the model alone. It is equal for equal seeds after an equal number of operations. */
    long modelChecksum() {
        return Arrays.hashCode(serialOf) * 31L + Arrays.hashCode(edgeOf) * 17L + Arrays.hashCode(rootOf);
    }

    private static String describe(Object object) {
        return object instanceof Node ? object + " (" + SecondHeap.state(object) + ")" : String.valueOf(object);
    }

    private static void check(boolean condition, Supplier<String> message) {
        if (!condition) {
            throw new Mismatch(message.get());
        }
    }

    private static final class Mismatch extends RuntimeException {
        private static final long serialVersionUID = 1;

        Mismatch(String message) {
            super(message);
        }
    }
}
