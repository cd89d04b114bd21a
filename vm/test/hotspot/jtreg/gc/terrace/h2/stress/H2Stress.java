// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/*
 * Random mutators against a shadow model. The long form, "a million objects and 200 major collections, no mismatch":
 *
 *   javac -d classes java/api/src/main/java/org/terrace/*.java vm/test/hotspot/jtreg/gc/terrace/h2/stress/*.java
 *   java -Xmx2g -XX:AllocateH2At=<directory> -XX:H2Size=16g -XX:H2RegionSize=2m \
 *        -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC \
 *        -cp classes gc.terrace.h2.stress.H2Stress --objects=1000000 --major-gcs=200 --threads=4 --require-h2
 */

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.terrace.SecondHeap;

/**
 * A stress test in which several threads build, change, tag, move and drop graphs of many kinds of objects. They compare them
 * continuously with a model that contains no references. The model has, for every live node, its serial number, its value and
 * the serial numbers of its neighbours, in arrays of primitives. A lost store, a stale copy, a freed object or a wrong field
 * appears as a difference, whatever the collector did to the heap.
 *
 * <p>Only the thread that made a node changes it, so the model needs no locks. Threads share two other kinds of objects. One is
 * leaves that never change, which are passed on through an exchange and referenced by a field that no walk follows (the
 * "foreign" field). The other is a few counters that are incremented under their own monitors.
 *
 * <p>The operations of a thread depend only on the seed and its number, and neither on the outcome of a collection nor on
 * other threads. Only the points at which collections occur differ from run to run.
 */
public final class H2Stress {

    static final boolean SHENANDOAH = ManagementFactory.getGarbageCollectorMXBeans().stream()
        .anyMatch(bean -> bean.getName().startsWith("Shenandoah"));

    // A fastdebug VM that verifies its heap may take minutes for work that a release VM does at once.
    private static final long JOIN_MILLIS = 600_000;
    // Time after the run to wait for the first object in H2, because on a busy machine no collection may have run yet.
    private static final long PATIENCE_NANOS = 180_000_000_000L;

    final Options options;
    final AtomicReferenceArray<Node> exchange = new AtomicReferenceArray<>(256);
    final Counter[] counters = new Counter[16];
    final AtomicLongArray expectedCounts = new AtomicLongArray(counters.length);
    final AtomicReference<String> failure = new AtomicReference<>();
    final long firstMajor = majorCount();
    final long firstMinor = minorCount();
    final long deadline;
    volatile boolean stop;
    volatile boolean somethingMoved;

    /** A counter that all threads increment under its own monitor. */
    static final class Counter {
        long count;
        Object lastOwner = Thread.currentThread().getName();
    }

    H2Stress(Options options) {
        this.options = options;
        this.deadline = System.nanoTime() + options.seconds * 1_000_000_000L;
        for (int i = 0; i < counters.length; i++) {
            counters[i] = new Counter();
        }
    }

    public static void main(String[] args) throws Exception {
        new H2Stress(new Options(args)).run();
    }

    void run() throws InterruptedException {
        System.out.println("H2Stress " + options + ", second heap: " + SecondHeap.isAvailable());
        if (options.requireH2 && !SecondHeap.isAvailable()) {
            throw new RuntimeException("no second heap: is -XX:AllocateH2At on the command line?");
        }
        SecondHeap.tagRoot(counters, Mutator.SHARED_LABEL);
        SecondHeap.move(Mutator.SHARED_LABEL);
        Mutator[] mutators = new Mutator[options.threads];
        for (int i = 0; i < mutators.length; i++) {
            mutators[i] = new Mutator(this, i);
            mutators[i].start();
        }
        long nextReport = System.nanoTime();
        while (!stop && running(mutators)) {
            Thread.sleep(50);
            if (System.nanoTime() - nextReport >= 0) {
                report(mutators);
                nextReport = System.nanoTime() + options.reportSeconds * 1_000_000_000L;
            }
        }
        for (Mutator mutator : mutators) {
            mutator.join(JOIN_MILLIS);
            if (mutator.isAlive() && failure.get() == null) {
                fail(mutator.getName() + " does not come back", mutator.getStackTrace());
            }
        }
        report(mutators);
        if (failure.get() == null) {
            checkCounters();
        }
        if (failure.get() == null && options.requireH2) {
            checkSomethingMoved(mutators);
        }
        if (failure.get() != null) {
            System.out.println("FAILED");
            throw new RuntimeException(failure.get().lines().findFirst().get());
        }
        long checksum = 0;
        for (Mutator mutator : mutators) {
            checksum = Node.mix(checksum + mutator.modelChecksum());
        }
        System.out.println("no mismatch, checksum of the model " + Long.toHexString(checksum));
    }

    private static boolean running(Thread[] threads) {
        for (Thread thread : threads) {
            if (thread.isAlive()) {
                return true;
            }
        }
        return false;
    }

    private void checkCounters() {
        for (int i = 0; i < counters.length; i++) {
            synchronized (counters[i]) {
                if (counters[i].count != expectedCounts.get(i)) {
                    fail("counter " + i + " is " + counters[i].count + ", expected " + expectedCounts.get(i), null);
                }
                if (!(counters[i].lastOwner instanceof String)) {
                    fail("the last owner of counter " + i + " is " + counters[i].lastOwner, null);
                }
            }
        }
    }

    private void checkSomethingMoved(Mutator[] mutators) {
        long moved = 0;
        for (Mutator mutator : mutators) {
            moved += mutator.seenInH2;
        }
        if (moved == 0) {
            fail("not one object was ever seen in H2: nothing was tested", null);
        }
    }

    boolean done(long epochs) {
        if (stop) {
            return true;
        }
        if (options.epochs > 0) {
            return epochs >= options.epochs;
        }
        if (options.majorGCs > 0) {
            return majorCount() - firstMajor >= options.majorGCs;
        }
        long late = System.nanoTime() - deadline;
        return late >= 0 && (!options.requireH2 || somethingMoved || late >= PATIENCE_NANOS);
    }

    void fail(String message, StackTraceElement[] trace) {
        StringBuilder text = new StringBuilder("MISMATCH: ").append(message);
        if (trace != null) {
            for (StackTraceElement element : trace) {
                text.append("\n    at ").append(element);
            }
        }
        text.append("\nseed ").append(options.seed).append(", replay with:\n  ").append(replayCommand());
        if (failure.compareAndSet(null, text.toString())) {
            System.out.println(text);
            System.out.flush();
        }
        stop = true;
    }

    private String replayCommand() {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        StringBuilder command = new StringBuilder(System.getProperty("java.home")).append("/bin/java");
        for (String argument : runtime.getInputArguments()) {
            command.append(' ').append(argument);
        }
        return command.append(" -cp ").append(runtime.getClassPath()).append(' ')
                .append(H2Stress.class.getName()).append(' ').append(options).toString();
    }

    private void report(Mutator[] mutators) {
        long epochs = 0;
        long made = 0;
        long live = 0;
        long inH2 = 0;
        long operations = 0;
        long cleared = 0;
        for (Mutator mutator : mutators) {
            epochs += mutator.epochs;
            operations += mutator.operations;
            made += mutator.madeNodes;
            live += mutator.liveNodes;
            inH2 += mutator.inH2Nodes;
            cleared += mutator.clearedWeaks;
        }
        System.out.println(operations + " operations, " + epochs + " verified epochs, " + made + " nodes made, " + live
                           + " live, about " + inH2 + " in H2, " + cleared + " weak references cleared, "
                           + (majorCount() - firstMajor) + " major and " + (minorCount() - firstMinor) + " minor GCs");
    }

    static long majorCount() {
        return collections("PS MarkSweep", "G1 Old Generation", "Shenandoah Cycles");
    }

    static long minorCount() {
        return collections("PS Scavenge", "G1 Young Generation", "Shenandoah Pauses");
    }

    private static long collections(String... names) {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (List.of(names).contains(bean.getName())) {
                return bean.getCollectionCount();
            }
        }
        throw new RuntimeException("no collector named " + String.join(" or ", names));
    }

    /** The command line, as {@code --name=value}. */
    static final class Options {
        long seed = System.nanoTime() & 0xffffff;
        int seconds = 20;
        long majorGCs;
        long epochs;
        int objects = 20_000;
        int threads = 4;
        int operations = 2_000;
        int bigBytes = 2_500_000;
        int bigNodes = 2;
        int gcPerMille = 300;
        int reportSeconds = 5;
        boolean requireH2;

        Options(String[] args) {
            for (String arg : args) {
                int equals = arg.indexOf('=');
                String name = equals < 0 ? arg : arg.substring(0, equals);
                String value = equals < 0 ? "" : arg.substring(equals + 1);
                switch (name) {
                    case "--seed": seed = Long.parseLong(value); break;
                    case "--seconds": seconds = Integer.parseInt(value); break;
                    case "--major-gcs": majorGCs = Long.parseLong(value); break;
                    case "--epochs": epochs = Long.parseLong(value); break;
                    case "--objects": objects = Integer.parseInt(value); break;
                    case "--threads": threads = Integer.parseInt(value); break;
                    case "--operations": operations = Integer.parseInt(value); break;
                    case "--big-bytes": bigBytes = Integer.parseInt(value); break;
                    case "--big-nodes": bigNodes = Integer.parseInt(value); break;
                    case "--gc-per-mille": gcPerMille = Integer.parseInt(value); break;
                    case "--report-seconds": reportSeconds = Integer.parseInt(value); break;
                    case "--require-h2": requireH2 = true; break;
                    default: throw new IllegalArgumentException(usage(arg));
                }
            }
            if (objects < threads * 200 || threads < 1) {
                throw new IllegalArgumentException("too few objects: " + objects + " for " + threads + " threads");
            }
        }

        private static String usage(String arg) {
            return "unknown argument " + arg + "; known are\n"
                + "  --seed=N           the random seed; by default another one each time\n"
                + "  --seconds=N        how long (20)\n"
                + "  --major-gcs=N      run until there were N major collections, instead of for some seconds\n"
                + "  --epochs=N         run every thread for N epochs, instead; then the model's checksum depends on\n"
                + "                     the other arguments only\n"
                + "  --objects=N        live nodes, all threads together (20000); most own a few more objects\n"
                + "  --threads=N        mutators (4)\n"
                + "  --operations=N     operations of a thread between two verifications (2000)\n"
                + "  --big-bytes=N      size of the large arrays (2500000: more than a region of 2 MB)\n"
                + "  --big-nodes=N      large arrays per thread (2)\n"
                + "  --gc-per-mille=N   collections per 1000 verifications of a thread (300)\n"
                + "  --report-seconds=N time between two lines (5)\n"
                + "  --require-h2       fail if nothing was ever moved";
        }

        @Override
        public String toString() {
            return "--seed=" + seed + (epochs > 0 ? " --epochs=" + epochs
                : majorGCs > 0 ? " --major-gcs=" + majorGCs : " --seconds=" + seconds)
                + " --objects=" + objects + " --threads=" + threads + " --operations=" + operations
                + " --big-bytes=" + bigBytes + " --big-nodes=" + bigNodes + " --gc-per-mille=" + gcPerMille
                + (requireH2 ? " --require-h2" : "");
        }
    }
}
