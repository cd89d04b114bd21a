// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.lang.ref.WeakReference;
import java.util.SplittableRandom;

import org.terrace.SecondHeap;

import static gc.terrace.h2.stress.Mismatch.check;

/** One thread of the stress program, with the random operations on its partition of nodes. Every epoch ends with a walk. */
final class Mutator extends Thread {

    static final long SHARED_LABEL = -1;

    private static final int EDGES = Node.EDGES;
    private static final int LABELS = 8;

    private final H2Stress stress;
    private final H2Stress.Options options;
    private final int number;
    private final SplittableRandom random;
    private final Partition partition;
    private final WeakReferences weaks = new WeakReferences();
    private final Walk walk;
    private final long[] labels = new long[LABELS];
    /** A reference to an object that nothing else has ever referred to. */
    private WeakReference<Node> hopeless;
    private Object garbage;

    // Read by the reporter.
    volatile long epochs;
    volatile long operations;
    volatile long madeNodes;
    volatile int liveNodes;
    volatile int inH2Nodes;
    volatile long seenInH2;
    volatile long clearedWeaks;

    Mutator(H2Stress stress, int number) {
        super("mutator " + number);
        this.stress = stress;
        this.options = stress.options;
        this.number = number;
        this.random = new SplittableRandom(options.seed * 1000 + number);
        this.partition = new Partition(options, random, (long) (number + 1) << 40, operationsPerEpoch());
        this.walk = new Walk(partition, weaks);
        for (int i = 0; i < LABELS; i++) {
            labels[i] = (long) (number + 1) << 32 | i;
        }
    }

    private int operationsPerEpoch() {
        return Math.max(options.operations, options.objects / options.threads / 20);
    }

    @Override
    public void run() {
        try {
            for (int i = 0; i < partition.roots(); i++) {
                partition.plant(i, partition.target / partition.roots());
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

    /** Walks the partition, and stores what the reporter prints. */
    private void verify() {
        walk.run();
        liveNodes = walk.liveNodes;
        madeNodes = partition.made();
        inH2Nodes = walk.inH2Nodes;
        seenInH2 += walk.inH2Nodes;
        clearedWeaks += walk.clearedWeaks;
        if (walk.inH2Nodes > 0) {
            stress.somethingMoved = true;
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

    private int anyRoot() {
        return random.nextInt(partition.roots());
    }

    private Node pickAnywhere() {
        return partition.pick(anyRoot());
    }

    private void insert() {
        Node place = pickAnywhere();
        if (place == null) {
            replant();
        } else {
            partition.insertAt(place, random.nextInt(EDGES));
        }
    }

    /** Makes nodes until they compensate for the dropped ones. */
    private void refill() {
        while (liveNodes + partition.madeSinceSweep() < partition.target) {
            int root = anyRoot();
            Node place = partition.pick(root);
            if (place == null) {
                partition.plant(root, 1);
            } else if (partition.insertAt(place, random.nextInt(EDGES)) == null) {
                return;
            }
        }
    }

    private void link() {
        int root = anyRoot();
        int other = random.nextInt(100) < 3 ? anyRoot() : root;
        Node from = partition.pick(root);
        Node to = partition.pick(other);
        int k = random.nextInt(EDGES);
        if (from != null && to != null) {
            partition.setEdge(from, k, to);
        }
    }

    private void cut() {
        Node node = pickAnywhere();
        if (node != null) {
            partition.setEdge(node, random.nextInt(EDGES), null);
        }
    }

    private void write() {
        Node node = pickAnywhere();
        if (node != null && (!partition.isBig(node) || random.nextInt(20) == 0)) {
            partition.setValue(node, random.nextLong() >>> 8);
        }
    }

    private void churn() {
        Node node = pickAnywhere();
        if (node != null) {
            node.churn();
        }
    }

    private void lock() throws InterruptedException {
        Node node = pickAnywhere();
        int how = random.nextInt(400);
        if (node == null) {
            return;
        }
        synchronized (node) {
            partition.setValue(node, how);
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
        Node node = pickAnywhere();
        if (node != null) {
            partition.hash(node);
        }
    }

    /** Offers a node without edges to other threads. With edges it could keep old nodes alive without end. */
    private void publish() {
        Node node = pickAnywhere();
        int slot = random.nextInt(stress.exchange.length());
        int kind = 1 + random.nextInt(Node.kinds() - 1);
        if (node != null) {
            Node leaf = Node.make(kind, 0, partition.nextSerial(), 0);
            partition.setForeign(node, leaf);
            stress.exchange.set(slot, leaf);
        }
    }

    private void adopt() {
        Node node = pickAnywhere();
        int slot = random.nextInt(stress.exchange.length());
        if (node != null) {
            Node foreign = stress.exchange.get(slot);
            partition.setForeign(node, foreign);
            if (foreign != null) {
                partition.checkForeign(node, foreign);
                if (slot % 8 == 0) {
                    synchronized (foreign) {
                        check(Thread.holdsLock(foreign), () -> "the lock of " + foreign + " is lost");
                    }
                }
            }
        }
    }

    private void makeWeak() {
        Node node = pickAnywhere();
        int slot = random.nextInt(WeakReferences.COUNT);
        if (node != null) {
            weaks.set(slot, node);
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
        int root = anyRoot();
        long label = labels[random.nextInt(LABELS)];
        Node node = random.nextBoolean() ? partition.root(root) : partition.pick(root);
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
        partition.plant(anyRoot(), random.nextInt(2 * partition.target / partition.roots()));
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
            if (H2Stress.SHENANDOAH) {
                // The first request may be answered by the end of a marking that has found the object alive.
                System.gc();
            }
        }
        check(before.get() == null, () -> "a weak reference to an unreachable object survived a major collection");
    }

    private void makeHopeless() {
        hopeless = new WeakReference<>(Node.make(1, 0, random.nextLong() | 1, 0));
    }

    /** Returns the checksum of the model, see {@link Partition#checksum}. */
    long modelChecksum() {
        return partition.checksum();
    }
}
