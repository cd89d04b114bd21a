// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.terrace.bench.persist.PersistPrograms;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures a bank whose clients transfer over HTTP. The server is killed with SIGKILL at a random time, and restarted
 * immediately. At the end, the complete bank is compared with the clients' knowledge.
 */
@Command(name = "bank", mixinStandardHelpOptions = true,
        description = "Measures the throughput of a bank before and after a kill, and counts the transactions that the kill lost.")
public final class BankBenchmark implements Callable<Integer> {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BUCKET_SECONDS = Clients.BUCKET_NANOS / NANOS_PER_SECOND;
    private static final double NOMINAL = 0.9;
    /** Number of buckets whose mean must be nominal. */
    private static final int WINDOW = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @Option(names = "--bank", required = true, description = "one of ${COMPLETION-CANDIDATES}")
    private Bank.Kind kind;

    @Option(names = "--level", required = true, description = "durability: one of ${COMPLETION-CANDIDATES}")
    private Bank.Level level;

    @Option(names = "--dir", required = true, description = "an empty folder for the files")
    private Path folder;

    @Option(names = "--accounts", defaultValue = "100000", description = "number of accounts, a multiple of --branch (${DEFAULT-VALUE})")
    private int accounts;

    @Option(names = "--branch", defaultValue = "1000", description = "accounts per branch (${DEFAULT-VALUE})")
    private int accountsOfBranch;

    @Option(names = "--clients", defaultValue = "8", description = "client threads, each with one pending request (${DEFAULT-VALUE})")
    private int count;

    @Option(names = "--before", defaultValue = "10",
            description = "seconds of requests before the kill, which follows within one second (${DEFAULT-VALUE})")
    private double before;

    @Option(names = "--after", defaultValue = "10",
            description = "seconds of requests after the first successful one after the kill (${DEFAULT-VALUE})")
    private double after;

    @Option(names = "--seed", defaultValue = "1",
            description = "random seed of the accounts, the amounts and the time of the kill (${DEFAULT-VALUE})")
    private long seed;

    @Option(names = "--server-heap", defaultValue = "1g", description = "-Xmx of the server (${DEFAULT-VALUE})")
    private String serverHeap;

    @Override
    public Integer call() throws Exception {
        Scale scale = new Scale(accounts, accountsOfBranch);
        BankOptions options = new BankOptions(kind, level, folder, scale, 64 << 20);
        List<String> jvmOptions = List.of("-Xmx" + serverHeap);
        SplittableRandom random = new SplittableRandom(seed);
        Ledger ledger = new Ledger(scale);
        Map<String, Object> result = new LinkedHashMap<>();
        ServerProcess server = new ServerProcess(jvmOptions, options);
        try {
            URI address = server.awaitReady();
            try (Clients clients = new Clients(scale, ledger, count, random.split())) {
                clients.open(address);
                Thread.sleep((long) (1000 * (before + random.nextDouble())));
                server.checkAlive();
                long killed = System.nanoTime();
                server.kill();
                clients.pause();
                server.close();
                int acknowledged = ledger.size();
                server = new ServerProcess(jvmOptions, options);
                address = server.awaitReady();
                result.put("serving", (System.nanoTime() - killed) / NANOS_PER_SECOND);
                clients.open(address);
                result.put("firstRequest", (clients.awaitAnswer(PATIENCE) - killed) / NANOS_PER_SECOND);
                Thread.sleep((long) (1000 * after));
                clients.pause();
                addThroughput(clients.buckets(), (killed - clients.started()) / NANOS_PER_SECOND, result);
                result.put("acknowledgedBefore", acknowledged);
                result.put("acknowledged", ledger.size());
                result.put("refused", clients.refusals().size());
                if (kind.isPersistent()) {
                    addFindings(ledger.check(clients.statement(address)), result);
                }
            }
        } finally {
            server.close();
        }
        PersistPrograms.print(result);
        return 0;
    }

    /** @param killed seconds since the beginning of the first bucket */
    private static void addThroughput(int[] buckets, double killed, Map<String, Object> result) {
        int last = (int) (killed / BUCKET_SECONDS);
        double nominal = Arrays.stream(buckets, last / 2, last).average().orElseThrow();
        OptionalDouble reached = reached(buckets, last + 1, NOMINAL * nominal);
        result.put("nominal", reached.isPresent() ? reached.getAsDouble() - killed : null);
        result.put("perSecond", nominal / BUCKET_SECONDS);
        result.put("killed", killed);
        result.put("bucketSeconds", BUCKET_SECONDS);
        result.put("buckets", buckets);
    }

    /**
     * Returns the end of the first window of buckets, from {@code from} on, whose mean is at least {@code wanted}. The
     * unit is seconds since the start of bucket 0.
     */
    static OptionalDouble reached(int[] buckets, int from, double wanted) {
        for (int end = from + WINDOW; end < buckets.length; end++) {
            if (Arrays.stream(buckets, end - WINDOW, end).average().orElseThrow() >= wanted) {
                return OptionalDouble.of(end * BUCKET_SECONDS);
            }
        }
        return OptionalDouble.empty();
    }

    private static void addFindings(Ledger.Findings findings, Map<String, Object> result) {
        result.put("lost", findings.lost());
        result.put("wrong", findings.wrong());
        result.put("difference", findings.difference());
        result.put("violations", findings.sentences());
    }
}
