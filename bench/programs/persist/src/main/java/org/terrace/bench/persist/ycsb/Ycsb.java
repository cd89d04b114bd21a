// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.terrace.bench.persist.PersistPrograms;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import site.ycsb.DB;

/**
 * Runs one of YCSB's workloads on a store. Fills and closes the store, opens it at a level, and runs the workload in a
 * closed loop. Then it reads all records, reopens the store, and reads all records again.
 */
@Command(name = "ycsb", mixinStandardHelpOptions = true, description = "Runs one YCSB workload on one store.")
public final class Ycsb implements Callable<Integer> {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    /** Slightly more than the fraction that workloads insert. */
    private static final double INSERTS = 0.06;
    private static final int MORE_INSERTS = 1000;
    private static final int MAX_FIELDS = 100;
    private static final int FILLERS = 8;

    @Spec
    private CommandSpec spec;

    @Option(names = "--peer", required = true, description = "store: one of ${COMPLETION-CANDIDATES}")
    private Peer peer;

    @Option(names = "--level", defaultValue = "PROCESS", description = "durability: SYNC, PROCESS or MAPPED (${DEFAULT-VALUE})")
    private Level level;

    @Option(names = "--workload", required = true, description = "one of ${COMPLETION-CANDIDATES}")
    private Workload.Kind kind;

    @Option(names = "--dir", required = true, description = "an empty folder for the files")
    private Path folder;

    @Option(names = "--records", defaultValue = "100000", description = "records to load before the operations (${DEFAULT-VALUE})")
    private int records;

    @Option(names = "--operations", defaultValue = "1000000",
            description = "maximum number of measured operations of all threads, and of warmup operations (${DEFAULT-VALUE})")
    private int operations;

    @Option(names = "--seconds", defaultValue = "10", description = "maximum measured time in seconds (${DEFAULT-VALUE})")
    private double seconds;

    @Option(names = "--warmup", defaultValue = "5", description = "maximum warmup time in seconds (${DEFAULT-VALUE})")
    private double warmup;

    @Option(names = "--threads", defaultValue = "1")
    private int threads;

    @Option(names = "--fields", defaultValue = "10", description = "fields per record (${DEFAULT-VALUE})")
    private int fields;

    @Option(names = "--field-bytes", defaultValue = "100", description = "bytes per field (${DEFAULT-VALUE})")
    private int fieldBytes;

    @Option(names = "--cached", defaultValue = "0.1",
            description = "fraction of the records in Infinispan's memory, 0 to 1 (${DEFAULT-VALUE})")
    private double cached;

    @Override
    public Integer call() throws Exception {
        checkOptions();
        Files.createDirectories(folder);
        long transactions = 2L * operations;
        int inserts = kind.inserts() ? (int) (INSERTS * transactions) + MORE_INSERTS : 0;
        Shape shape = new Shape(records, records + inserts, fields, fieldBytes, cached);
        Workload workload = Workload.of(kind, shape, transactions);
        Map<String, Object> result = new LinkedHashMap<>();
        List<Writes> writes = new ArrayList<>();
        long started = System.nanoTime();
        try (Records store = peer.open(folder, Level.CLOSED, shape)) {
            writes.addAll(fill(store, shape, workload));
        }
        result.put("fillSeconds", (System.nanoTime() - started) / NANOS_PER_SECOND);
        Check check;
        try (Records store = peer.open(folder, level, shape)) {
            List<RecordsDb> clients = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                clients.add(new RecordsDb(store, shape, FILLERS + i));
                writes.add(clients.get(i).writes);
            }
            run(workload::doTransaction, clients, warmup, operations);
            clients.forEach(RecordsDb::forget);
            long cpu = cpuNanos();
            long before = System.nanoTime();
            long done = run(workload::doTransaction, clients, seconds, operations);
            result.put("perSecond", done / ((System.nanoTime() - before) / NANOS_PER_SECOND));
            result.put("cpuMicros", (cpuNanos() - cpu) / NANOS_PER_MICRO / done);
            result.put("count", done);
            percentiles(result, "read", clients, RecordsDb::reads);
            percentiles(result, "change", clients, RecordsDb::changes);
            percentiles(result, "scan", clients, RecordsDb::scans);
            check = new Check(shape, FILLERS, writes);
            check(check, store, workload, writes);
        }
        try (Records store = peer.open(folder, level, shape)) {
            result.put("checked", check(check, store, workload, writes));
        }
        PersistPrograms.print(result);
        return 0;
    }

    private void checkOptions() {
        require(peer.levels.containsKey(level), "--level: " + peer.title + " has no level " + level);
        require(peer.scans != Peer.Scans.NONE || !kind.scans(), "--workload: " + peer.title + " has no scans");
        require(records > 0 && operations > 0 && threads > 0, "--records, --operations, --threads: at least 1");
        require(fields > 0 && fields <= MAX_FIELDS, "--fields: 1 to " + MAX_FIELDS);
        require(fieldBytes >= Values.MIN_BYTES, "--field-bytes: at least " + Values.MIN_BYTES);
        require(cached >= 0 && cached <= 1, "--cached: 0 to 1");
    }

    private void require(boolean condition, String message) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    /** Returns the CPU time of the process, including JIT compilers and collections. */
    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /** Fills the store by several threads, because a cache passes each change to other threads. */
    private List<Writes> fill(Records store, Shape shape, Workload workload) throws Exception {
        List<RecordsDb> clients = new ArrayList<>();
        for (int writer = 0; writer < FILLERS; writer++) {
            clients.add(new RecordsDb(store, shape, writer));
        }
        run(workload::doInsert, clients, Integer.MAX_VALUE, records);
        return clients.stream().map(client -> client.writes).toList();
    }

    /** Runs a thread for each client until the time or the operations are over. Returns the number of operations. */
    private static long run(BiPredicate<DB, Object> operation, List<RecordsDb> clients, double seconds, int operations)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients.size());
        try {
            long end = System.nanoTime() + (long) (seconds * NANOS_PER_SECOND);
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                int mine = operations / clients.size() + (i < operations % clients.size() ? 1 : 0);
                RecordsDb client = clients.get(i);
                all.add(threads.submit(() -> {
                    int done = 0;
                    while (done < mine && System.nanoTime() < end) {
                        operation.test(client, null);
                        done++;
                    }
                    return done;
                }));
            }
            long sum = 0;
            for (Future<Integer> one : all) {
                sum += one.get();
            }
            return sum;
        } finally {
            threads.shutdown();
        }
    }

    /** Adds percentiles in microseconds, unless there was no such operation. */
    private static void percentiles(Map<String, Object> result, String what, List<RecordsDb> clients,
            Function<RecordsDb, Histogram> times) {
        Histogram all = new Histogram(RecordsDb.DIGITS);
        clients.forEach(client -> all.add(times.apply(client)));
        if (all.getTotalCount() > 0) {
            result.put(what + "P50", all.getValueAtPercentile(50) / NANOS_PER_MICRO);
            result.put(what + "P99", all.getValueAtPercentile(99) / NANOS_PER_MICRO);
        }
    }

    /** Reads all records, and returns their number. */
    private int check(Check check, Records store, Workload workload, List<Writes> writes) throws Exception {
        int count = records;
        for (Writes of : writes.subList(FILLERS, writes.size())) {
            count += of.inserts();
        }
        for (int number = 0; number < count; number++) {
            String key = workload.key(number);
            check.record(key, store.read(key));
        }
        return count;
    }
}
