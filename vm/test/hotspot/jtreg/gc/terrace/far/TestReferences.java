// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.far;

/*
 * @test TestReferences
 * @summary Pages with java.lang.ref.Reference objects are marked from summaries. They are read only if a referent is not marked, and
 *          referents are cleared or kept as without far memory
 * @library / /test/lib
 * @modules java.management jdk.management
 * @run driver/timeout=300 gc.terrace.far.TestReferences
 */

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jdk.test.lib.process.OutputAnalyzer;

public class TestReferences {

    private static final Pattern SUMMARIZED = Pattern.compile(
        "Marking from summaries: (\\d+) of (\\d+) pages, with (\\d+) references; read (\\d+) of (\\d+) pages with weak references");
    private static final Pattern ROUNDS = Pattern.compile("Referents were not marked in (\\d+) rounds; prefetched (\\d+) pages ahead "
                                                          + "in (\\d+) requests");
    private static final Pattern BESIDE = Pattern.compile("CLEARED (\\d+) of");
    private static final Pattern CLEARED = Pattern.compile("CLEARED weak (\\d+) soft (\\d+) phantom (\\d+) finalized (\\d+)");

    /** A cache of weak references whose referents are all in use, and a weak map with keys that are in use. */
    public static final class Cache {
        static final int NODES = 20_000;
        static final int REFERENCES = 800_000;             // some 26 MB
        static final int CYCLES = 6;
        static volatile byte[] garbage;

        static final class Node {
            final int id;
            final byte[] data = new byte[200];

            Node(int id) {
                this.id = id;
            }
        }

        public static void main(String[] arguments) throws Exception {
            Node[] nodes = new Node[NODES];
            for (int i = 0; i < NODES; i++) {
                nodes[i] = new Node(i);
            }
            System.gc();
            List<WeakReference<?>[]> cache = new ArrayList<>();
            for (int i = 0; i < REFERENCES; i += 1000) {
                WeakReference<?>[] part = new WeakReference<?>[1000];
                for (int j = 0; j < part.length; j++) {
                    part[j] = new WeakReference<>(nodes[node(i + j)]);
                }
                cache.add(part);
            }
            WeakHashMap<Node, Integer> map = new WeakHashMap<>();
            for (Node node : nodes) {
                map.put(node, 1_000_000 + node.id);
            }
            for (int i = 0; i < CYCLES; i++) {
                System.gc();
            }
            for (int i = 0; i < REFERENCES; i++) {
                if (cache.get(i / 1000)[i % 1000].get() != nodes[node(i)]) {
                    throw new AssertionError("reference " + i);
                }
            }
            for (Node node : nodes) {
                if (map.get(node) != 1_000_000 + node.id) {
                    throw new AssertionError("key " + node.id);
                }
            }
        }

        private static int node(int i) {
            return (int) (i * 31L % NODES);
        }
    }

    /** References of all kinds. One half of the referents die. They lie together, so they die with their pages. */
    public static final class Dying {
        static final int COUNT = 4000;
        static final int CYCLES = 4;
        static final AtomicInteger finalized = new AtomicInteger();
        static volatile byte[] garbage;

        static class Referent {
            final int id;
            final long[] data = new long[40];

            Referent(int id) {
                this.id = id;
                data[id % data.length] = id;
            }
        }

        static final class Finalized extends Referent {
            Finalized(int id) {
                super(id);
            }

            @Override
            protected void finalize() {
                if (data[id % data.length] != id || id < COUNT / 2) {
                    throw new AssertionError("finalized " + id);
                }
                finalized.incrementAndGet();
            }
        }

        private static Referent[] referents(boolean areFinalized) {
            Referent[] referents = new Referent[COUNT];
            for (int i = 0; i < COUNT; i++) {
                referents[i] = areFinalized ? new Finalized(i) : new Referent(i);
            }
            System.gc();                                   // moves them to old regions before their references
            return referents;
        }

        private static int cleared(Reference<?>[] references) {
            int cleared = 0;
            for (int i = 0; i < references.length; i++) {
                Referent referent = (Referent) references[i].get();
                if (referent == null) {
                    cleared++;
                } else if (referent.id != i || referent.data[i % referent.data.length] != i) {
                    throw new AssertionError("referent " + i);
                }
                if (referent == null && i < COUNT / 2) {
                    throw new AssertionError("referent " + i + " is in use but was cleared");
                }
            }
            return cleared;
        }

        public static void main(String[] arguments) throws Exception {
            Referent[] weakly = referents(false);
            Referent[] softly = referents(false);
            Referent[] phantom = referents(false);
            Referent[] finalizable = referents(true);
            ReferenceQueue<Object> queue = new ReferenceQueue<>();
            WeakReference<?>[] weak = new WeakReference<?>[COUNT];
            SoftReference<?>[] soft = new SoftReference<?>[COUNT];
            PhantomReference<?>[] phantoms = new PhantomReference<?>[COUNT];
            for (int i = 0; i < COUNT; i++) {
                weak[i] = new WeakReference<>(weakly[i]);
                soft[i] = new SoftReference<>(softly[i]);
                phantoms[i] = new PhantomReference<>(phantom[i], queue);
            }
            for (int i = 0; i < CYCLES; i++) {
                System.gc();
            }
            if (cleared(weak) + cleared(soft) != 0 || queue.poll() != null || finalized.get() != 0) {
                throw new AssertionError("cleared while in use");
            }
            for (int i = COUNT / 2; i < COUNT; i++) {
                weakly[i] = softly[i] = phantom[i] = finalizable[i] = null;
            }
            for (int i = 0; i < CYCLES; i++) {
                System.gc();
                Thread.sleep(100);
            }
            int enqueued = 0;
            while (queue.poll() != null) {
                enqueued++;
            }
            System.out.println("CLEARED weak " + cleared(weak) + " soft " + cleared(soft) + " phantom " + enqueued
                               + " finalized " + finalized.get());
            Reference.reachabilityFence(phantoms);
            Reference.reachabilityFence(finalizable);
        }
    }

    /**
     * Dead referents lie beside objects that are in use, on pages that are written before each cycle. The pages of the references
     * name these pages, have too many references to name each object, and are not written: {@code Beside keys|holders}. The only
     * strong references to referents come from an array, or from holders that lie beside the references.
     */
    public static final class Beside {
        static final int COUNT = 100_000;
        static final int CYCLES = 5;

        static final class Cell {
            int touched;
        }

        static final class Weak extends WeakReference<Cell> {
            final Cell value;

            Weak(Cell key, Cell value) {
                super(key);
                this.value = value;
            }
        }

        static final class Holder {
            final Cell key;

            Holder(Cell key) {
                this.key = key;
            }
        }

        public static void main(String[] arguments) throws Exception {
            boolean areHeld = arguments[0].equals("holders");
            Cell[] cells = new Cell[2 * COUNT];            // keys and values
            for (int i = 0; i < cells.length; i++) {
                cells[i] = new Cell();
            }
            System.gc();
            Object[] references = new Object[2 * COUNT];   // and holders beside them
            for (int i = 0; i < references.length; i += 2) {
                references[i] = new Weak(cells[i], cells[i + 1]);
                references[i + 1] = areHeld ? new Holder(cells[i]) : null;
            }
            System.gc();
            for (int i = 0; areHeld && i < cells.length; i += 2) {
                cells[i] = null;
            }
            for (int i = 0; i < CYCLES; i++) {
                touch(cells, references);
                System.gc();
            }
            touch(cells, references);
            for (int i = 0; i < references.length; i += 2) {
                if (((Weak) references[i]).get() == null) {
                    throw new AssertionError("cleared while in use");
                }
                references[i + 1] = null;
                cells[i] = null;
            }
            System.gc();
            int cleared = 0;
            for (int i = 0; i < references.length; i += 2) {
                cleared += ((Weak) references[i]).get() == null ? 1 : 0;
            }
            System.out.println("CLEARED " + cleared + " of " + COUNT);
        }

        private static void touch(Cell[] cells, Object[] references) {
            for (int i = 0; i < cells.length; i++) {
                Cell cell = cells[i] != null ? cells[i] : ((Holder) references[i + 1]).key;
                cell.touched++;
            }
        }
    }

    /** A chain of soft references, each on a page of its own. */
    public static final class Chain {
        static final int LINKS = 1000;
        static final int BATCH = 20;
        static final int CYCLES = 12;

        static final class Link extends SoftReference<Link> {
            Link(Link next) {
                super(next);
            }
        }

        /** Collections copy the last element of a short array first, so no link is copied because another one refers to it. */
        private static Object[] batch(Link first) {
            Object[] batch = new Object[2 * BATCH];
            for (int i = batch.length - 2; i >= 0; i -= 2) {
                first = new Link(first);
                batch[i] = first;
                batch[i + 1] = new byte[45][80];               // more than a page of small objects
            }
            return batch;
        }

        public static void main(String[] arguments) throws Exception {
            Link first = null;
            for (int i = 0; i < LINKS; i += BATCH) {
                Object[] batch = batch(first);
                first = null;
                System.gc();
                first = (Link) batch[0];                   // the other objects die
            }
            for (int i = 0; i < CYCLES; i++) {
                System.gc();
            }
            int count = 0;
            for (Link link = first; link != null; link = link.get()) {
                count++;
            }
            if (count != LINKS) {
                throw new AssertionError("the chain has " + count + " links");
            }
        }
    }

    /** Threads make weakly reachable objects strongly reachable, and the opposite, while cycles run. */
    public static final class Moving {
        static final int COUNT = 60_000;
        static final int CYCLES = 25;
        static volatile boolean stop;
        static volatile Throwable failed;

        @SuppressWarnings("unchecked")
        private static void move(int from, int seed) {
            SplittableRandom random = new SplittableRandom(seed);
            Dying.Referent[] held = new Dying.Referent[COUNT / 2];
            WeakReference<Dying.Referent>[] references = (WeakReference<Dying.Referent>[]) new WeakReference<?>[COUNT / 2];
            try {
                while (!stop) {
                    int i = random.nextInt(references.length);
                    Dying.Referent referent = references[i] == null ? null : references[i].get();
                    if (referent == null) {
                        if (held[i] != null) {
                            throw new AssertionError("referent " + i + " is in use but was cleared");
                        }
                        referent = new Dying.Referent(from + i);
                        references[i] = random.nextInt(4) == 0 ? null : new WeakReference<>(referent);
                    } else if (referent.id != from + i || referent.data[referent.id % referent.data.length] != referent.id) {
                        throw new AssertionError("referent " + i);
                    }
                    held[i] = references[i] == null || random.nextInt(3) == 0 ? null : referent;
                    if (random.nextInt(100) == 0) {
                        Thread.sleep(0, 10_000);
                    }
                }
            } catch (Throwable e) {
                failed = e;
            }
        }

        public static void main(String[] arguments) throws Exception {
            Thread[] threads = { new Thread(() -> move(0, 1)), new Thread(() -> move(COUNT / 2, 2)) };
            for (Thread thread : threads) {
                thread.start();
            }
            for (int i = 0; i < CYCLES && failed == null; i++) {
                System.gc();
            }
            stop = true;
            for (Thread thread : threads) {
                thread.join();
            }
            if (failed != null) {
                throw new AssertionError(failed);
            }
        }
    }

    private static List<String> flags(String... more) {
        List<String> flags = Far.tortured(1, "-Xmx256m", "-Xms256m", "-XX:G1HeapRegionSize=1m",
                                          "-XX:MaxTenuringThreshold=0", "-XX:-CreateCoredumpOnCrash");
        flags.addAll(List.of(more));
        return flags;
    }

    private static OutputAnalyzer run(List<String> flags, Class<?> program, String... arguments) throws Exception {
        OutputAnalyzer output = Far.run(flags, program.getName(), arguments);
        output.shouldHaveExitValue(0);
        return output;
    }

    private static OutputAnalyzer runVerified(Class<?> program, String... more) throws Exception {
        OutputAnalyzer output = run(flags(more), program);
        output.shouldMatch("Verified: [1-9][0-9]* objects are reachable, 0 of them not marked");
        return output;
    }

    /** In the best cycle, nearly all pages of the cache are marked from summaries, and none of them is read. */
    private static void checkCache() throws Exception {
        OutputAnalyzer output = runVerified(Cache.class, "-XX:ConcGCThreads=2");
        long pages = Cache.REFERENCES * 32L / 4096;
        long best = 0;
        long read = 0;
        StringBuilder all = new StringBuilder();
        Matcher found = SUMMARIZED.matcher(output.getStdout());
        while (found.find()) {
            all.append(' ').append(found.group(4)).append('/').append(found.group(5));
            if (Long.parseLong(found.group(5)) > best) {
                read = Long.parseLong(found.group(4));
                best = Long.parseLong(found.group(5));
            }
        }
        System.out.println(pages + " pages; read of those with weak references:" + all);
        Far.check(best > pages * 9 / 10, "%d of %d pages were marked from summaries", best, pages);
        Far.check(read < best / 20, "%d of %d pages with weak references were read", read, best);
    }

    private static int[] cleared(OutputAnalyzer output) {
        Matcher found = CLEARED.matcher(output.getStdout());
        Far.check(found.find(), "the program has ended early");
        int[] cleared = new int[4];
        for (int i = 0; i < cleared.length; i++) {
            cleared[i] = Integer.parseInt(found.group(i + 1));
        }
        return cleared;
    }

    /** A few referents share a page with objects that are in use, and may live longer with far memory. */
    private static void checkDying(String policy) throws Exception {
        int[] stock = cleared(run(List.of("-XX:-UseFarMemory", "-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent", "-Xmx256m", "-Xms256m",
                                          "-XX:G1HeapRegionSize=1m", "-XX:MaxTenuringThreshold=0", "-XX:ParallelGCThreads=1", policy),
                                  Dying.class));
        OutputAnalyzer output = runVerified(Dying.class, "-XX:ParallelGCThreads=1", policy);
        int[] far = cleared(output);
        String[] kinds = { "weak", "soft", "phantom", "finalized" };
        for (int i = 0; i < kinds.length; i++) {
            System.out.println(policy + ", " + kinds[i] + ": " + far[i] + ", without far memory " + stock[i]);
            Far.check(far[i] <= stock[i] && far[i] >= stock[i] * 9 / 10, "%s: %d, without far memory %d", kinds[i], far[i], stock[i]);
        }
        Far.check(SUMMARIZED.matcher(output.getStdout()).results().anyMatch(marking -> !marking.group(4).equals("0")),
                  "no page was read because of a referent");
    }

    /** The next complete cycle clears all references. Only some objects on the page of a referent stay in use. */
    private static void checkBeside(String strong) throws Exception {
        OutputAnalyzer output = run(flags("-XX:ParallelGCThreads=1"), Beside.class, strong);
        Matcher found = BESIDE.matcher(output.getStdout());
        Far.check(found.find(), "the program has ended early");
        int cleared = Integer.parseInt(found.group(1));
        System.out.println(strong + ": " + cleared + " cleared; marked from summaries, pages of these with weak references: "
                           + SUMMARIZED.matcher(output.getStdout()).results().map(marking -> marking.group(1) + "/" + marking.group(5))
                               .toList());
        // The last object of a page of references may be the only one that refers to its page, and another page has a reference there.
        Far.check(cleared >= Beside.COUNT * 97L / 100, "only %d references were cleared", cleared);
        if (strong.equals("keys")) {
            Far.check(SUMMARIZED.matcher(output.getStdout()).results()
                          .anyMatch(marking -> Integer.parseInt(marking.group(5)) > Beside.COUNT * 32L / 4096), "too few summaries");
        }
    }

    /** The pages of a chain are prefetched, many at once, and marking does not wait for all workers at each link. */
    private static void checkChain() throws Exception {
        OutputAnalyzer output = runVerified(Chain.class, "-XX:ConcGCThreads=1", "-XX:ParallelGCThreads=1");
        boolean isAhead = false;
        for (String cycle : output.getStdout().split("Before root regions")) {
            Matcher rounds = ROUNDS.matcher(cycle);
            Matcher read = SUMMARIZED.matcher(cycle);
            if (rounds.find() && read.find() && Integer.parseInt(read.group(4)) > Chain.LINKS * 9 / 10) {
                System.out.println(rounds.group() + "; " + read.group());
                Far.check(Integer.parseInt(rounds.group(1)) <= 8, "%s", rounds.group());
                isAhead |= Integer.parseInt(rounds.group(2)) > Chain.LINKS / 2 && Integer.parseInt(rounds.group(3)) < Chain.LINKS / 8;
            }
        }
        // Torture treats no page as absent in one epoch of four.
        Far.check(isAhead, "the pages of the chain were not prefetched");
    }

    public static void main(String[] arguments) throws Exception {
        checkBeside("keys");
        checkBeside("holders");
        checkChain();
        checkCache();
        checkDying("-XX:SoftRefLRUPolicyMSPerMB=1000");
        checkDying("-XX:SoftRefLRUPolicyMSPerMB=0");
        runVerified(Moving.class, "-XX:ConcGCThreads=2");
    }
}
