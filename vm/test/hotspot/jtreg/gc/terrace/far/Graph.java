// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import com.sun.management.HotSpotDiagnosticMXBean;
import javax.management.ObjectName;
import jdk.test.whitebox.WhiteBox;

/**
 * A graph that threads change continuously while concurrent cycles mark it: {@code Graph SECONDS [full|keep]}. Threads rewire
 * nodes, replace their payloads, including humongous arrays of bytes and references, and check the values that they read. Weak
 * references to live nodes must keep their referents, and weak references to dead nodes must be cleared. Classes live as long as
 * one of their objects. With "full", full collections sometimes abort cycles, which needs the WhiteBox API. With "keep",
 * classes may stay, because VerifyDuringGC keeps their loaders alive, with far memory and without.
 */
public final class Graph {

    static final int NODES = 20_000;
    static final int THREADS = 2;
    static final int HUMONGOUS = 600_000;
    static final int MOST_PLUGINS = 3;
    static final String DONE = "the graph is right";
    private static final int MOST_MILLIS_OF_MARKING = 30;
    // On a busy machine, one cycle can take the whole time, and find all deferred objects on pages that are present by then.
    private static final int LEAST_ROUNDS = 3;

    static final class Node {
        final int id;
        volatile byte[] payload;
        volatile Node[] out;
        volatile Reference<Node> weak;

        Node(int id) {
            this.id = id;
            payload = payload(id, 100 + id % 400);
            out = new Node[3];
        }
    }

    /** A class that is loaded by many loaders. */
    public static final class Plugin {
        public static int loaded = 1;
        public int value = loaded;
    }

    private static final class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Plugin.class.getName())) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = Graph.class.getResourceAsStream("Graph$Plugin.class")) {
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (java.io.IOException problem) {
                throw new ClassNotFoundException(name, problem);
            }
        }
    }

    private static final int DEPTH = 14;
    /** Trees in which each node has only one reference. If marking loses it, no other reference leads to the node. */
    private static final Object[][] TREES = new Object[THREADS][];
    private static final Node[] NODES_BY_ID = new Node[NODES];
    private static final Object[][] LARGE = new Object[8][];
    private static final byte[][] BYTES = new byte[8][];
    private static final List<Object> PLUGINS = new ArrayList<>();
    private static volatile Throwable failure;
    private static volatile boolean stop;

    private static byte[] payload(int id, int size) {
        byte[] data = new byte[size];
        data[0] = (byte) id;
        data[size - 1] = (byte) (id >> 8);
        return data;
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }

    private static void checkNode(Node node, int id) {
        check(node.id == id, "node " + id + " is " + node.id);
        byte[] data = node.payload;
        check(data[0] == (byte) id && data[data.length - 1] == (byte) (id >> 8), "payload of node " + id);
    }

    private static Object[] tree(int depth) {
        return depth == 0 ? new Object[2] : new Object[] { tree(depth - 1), tree(depth - 1) };
    }

    private static int count(Object[] tree) {
        return tree[0] == null ? 1 : 1 + count((Object[]) tree[0]) + count((Object[]) tree[1]);
    }

    /** Swaps two subtrees of equal depth. */
    private static void swap(Object[] tree, SplittableRandom random) {
        Object[] one = tree;
        Object[] other = tree;
        for (int depth = random.nextInt(DEPTH - 1); depth > 0; depth--) {
            one = (Object[]) one[random.nextInt(2)];
            other = (Object[]) other[random.nextInt(2)];
        }
        int i = random.nextInt(2);
        int j = random.nextInt(2);
        Object moved = one[i];
        one[i] = other[j];
        other[j] = moved;
    }

    private static void mutate(int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        try {
            while (!stop) {
                int id = random.nextInt(NODES);
                Node node = NODES_BY_ID[id];
                checkNode(node, id);
                Node[] out = node.out;
                for (Node other : out) {
                    if (other != null) {
                        checkNode(other, other.id);
                    }
                }
                Reference<Node> weak = node.weak;
                check(weak == null || weak.get() != null, "a weak reference of node " + id + " to what is alive is cleared");
                swap(TREES[thread], random);
                switch (random.nextInt(8)) {
                    case 0:
                        node.payload = payload(id, 100 + random.nextInt(2000));
                        break;
                    case 1:
                        // Only this array refers to some of the nodes. The array is new, but the nodes may be on absent pages.
                        node.out = new Node[] { NODES_BY_ID[random.nextInt(NODES)], out[0], out[1] };
                        break;
                    case 2:
                        // Moves a reference that marking has not seen to a place that marking has passed.
                        out[random.nextInt(3)] = NODES_BY_ID[random.nextInt(NODES)].out[random.nextInt(3)];
                        break;
                    case 3:
                        Node to = NODES_BY_ID[random.nextInt(NODES)];
                        node.weak = random.nextBoolean() ? new WeakReference<>(to) : new SoftReference<>(to);
                        break;
                    case 4:
                        if (random.nextInt(200) == 0) {
                            large(random, thread);
                        }
                        break;
                    default:
                        break;
                }
            }
        } catch (Throwable problem) {
            failure = problem;
            stop = true;
        }
    }

    private static void large(SplittableRandom random, int thread) {
        int slot = thread * 4 + random.nextInt(4);
        if (random.nextBoolean()) {
            byte[] old = BYTES[slot];
            check(old == null || old[0] == 17 && old[old.length - 1] == 18, "a large array of bytes");
            byte[] bytes = new byte[HUMONGOUS + random.nextInt(HUMONGOUS)];
            bytes[0] = 17;
            bytes[bytes.length - 1] = 18;
            BYTES[slot] = bytes;
        } else {
            Object[] old = LARGE[slot];
            if (old != null) {
                for (int i = 0; i < old.length; i += 1000) {
                    checkNode((Node) old[i], i % NODES);
                }
            }
            Object[] all = new Object[HUMONGOUS / 4 + random.nextInt(HUMONGOUS / 8)];
            for (int i = 0; i < all.length; i += 1000) {
                all[i] = NODES_BY_ID[i % NODES];
            }
            LARGE[slot] = all;
        }
    }

    /** Runs in a separate thread, because compiled code on a stack keeps the classes alive that it was compiled for. */
    private static void pluginsAside(ReferenceQueue<Object> queue, List<Reference<?>> dropped, int round, boolean keep) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                plugins(queue, dropped, round, keep);
            } catch (Throwable problem) {
                failure = problem;
                stop = true;
            }
        });
        thread.start();
        thread.join();
    }

    private static void plugins(ReferenceQueue<Object> queue, List<Reference<?>> dropped, int round, boolean keep) throws Exception {
        Object plugin = new Loader().loadClass(Plugin.class.getName()).getDeclaredConstructor().newInstance();
        check(plugin.getClass() != Plugin.class, "a class of its own");
        PLUGINS.add(plugin);
        if (PLUGINS.size() > MOST_PLUGINS) {
            Object gone = PLUGINS.remove(round % MOST_PLUGINS);
            dropped.add(new PhantomReference<>(gone, queue));
            if (!keep) {
                dropped.add(new WeakReference<>(gone.getClass().getClassLoader(), queue));
            }
        }
        for (Object p : PLUGINS) {
            check(p.getClass().getField("value").getInt(p) == 1 && p.getClass().getField("loaded").getInt(null) == 1,
                  "a class lost its statics");
        }
    }

    private static void awaitCycle() throws InterruptedException {
        WhiteBox whiteBox = WhiteBox.getWhiteBox();
        while (!stop && !whiteBox.g1InConcurrentMark()) {
            Thread.sleep(1);
        }
    }

    /** The cycle waits for the full collection after it has scanned the root regions. */
    private static void abortCycle() throws Exception {
        WhiteBox whiteBox = WhiteBox.getWhiteBox();
        whiteBox.concurrentGCAcquireControl();
        try {
            whiteBox.concurrentGCRunTo(whiteBox.AFTER_MARKING_STARTED, false);
            collectFully();
        } finally {
            whiteBox.concurrentGCReleaseControl();
        }
    }

    private static void collectFully() throws Exception {
        if (isOn("UseShenandoahGC")) {
            WhiteBox.getWhiteBox().fullGC();       // Shenandoah ignores the request of the command
            return;
        }
        ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
            new Object[] { new String[0] }, new String[] { String[].class.getName() });
    }

    private static boolean isOn(String flag) {
        return Boolean.parseBoolean(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).getVMOption(flag).getValue());
    }

    public static void main(String[] arguments) throws Throwable {
        final long end = System.nanoTime() + Integer.parseInt(arguments[0]) * 1_000_000_000L;
        final boolean full = arguments.length > 1 && arguments[1].equals("full");
        final boolean keep = arguments.length > 1 && arguments[1].equals("keep");
        for (int i = 0; i < NODES; i++) {
            NODES_BY_ID[i] = new Node(i);
        }
        for (int i = 0; i < THREADS; i++) {
            TREES[i] = tree(DEPTH);
        }
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            final int thread = i;
            threads[i] = new Thread(() -> mutate(thread));
            threads[i].start();
        }
        Thread aborter = new Thread(() -> {
            try {
                // Waits first, so that some markings complete.
                for (int i = 0; i < 2 || !stop; i++) {
                    Thread.sleep(5 + i * 7 % 60);
                    if (i % 4 == 1) {
                        abortCycle();
                    } else {
                        awaitCycle();
                        Thread.sleep(i % MOST_MILLIS_OF_MARKING);
                        collectFully();
                    }
                }
            } catch (Throwable problem) {
                failure = problem;
            }
        });
        if (full) {
            aborter.start();
        }
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        List<Reference<?>> dropped = new ArrayList<>();
        int cleared = 0;
        int round = 0;
        while (!stop && (System.nanoTime() < end || round < LEAST_ROUNDS)) {
            pluginsAside(queue, dropped, round++, keep);
            System.gc();
            while (queue.poll() != null) {
                cleared++;
            }
        }
        stop = true;
        for (Thread thread : threads) {
            thread.join();
        }
        aborter.join();
        if (failure != null) {
            throw failure;
        }
        for (Object[] tree : TREES) {
            check(count(tree) == (2 << DEPTH) - 1, "a tree has " + count(tree) + " nodes");
        }
        // The next two cycles at most find unreachable objects. With summaries, an object stays while any page with a reference to it
        // is absent when a cycle begins. A dead class loader is referenced from many pages, so only a full collection frees it.
        boolean summaries = isOn("FarMemorySummaries");
        int expected = dropped.size();
        for (int i = 0; i < 4 && cleared < expected; i++) {
            if (i == 3 && summaries) {
                collectFully();
            } else {
                System.gc();
            }
                // A thread of the JDK enqueues them one by one.
            while (cleared < expected && queue.remove(1000) != null) {
                cleared++;
            }
        }
        check(cleared == expected, cleared + " of " + expected + " references to what is gone are cleared");
        System.out.println(round + " rounds, " + cleared + " references cleared");
        System.out.println(DONE);
    }
}
