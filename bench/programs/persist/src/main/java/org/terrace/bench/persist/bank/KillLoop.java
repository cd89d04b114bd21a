// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/**
 * Kills a server repeatedly at random times. Most kills happen while clients transfer, and some while the server
 * starts, possibly during recovery. After each start, the complete bank is compared with the clients' knowledge.
 */
final class KillLoop {
    /** Options for JVMs that live for less than a second. */
    static final List<String> SHORT_LIVED = List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");
    private static final Scale SCALE = new Scale(200, 20);
    /** A small log, so that most servers make a checkpoint. */
    private static final long LOG_BYTES = 64 << 10;
    private static final int CLIENTS = 4;
    private static final int MAX_SERVING_MILLIS = 250;
    /** Range of the time of a kill, as fractions of the start time. The recovery is in the second half. */
    private static final double EARLIEST = 0.3;
    private static final double LATEST = 1.1;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double WHILE_STARTING = 0.2;

    private final List<BankOptions> banks;
    private final long seed;

    /**
     * @param kinds  banks with the same files, of which each start uses one
     * @param levels levels, of which each start uses one
     */
    KillLoop(List<Bank.Kind> kinds, List<Bank.Level> levels, Path folder, long seed) {
        BankOptions first = new BankOptions(kinds.get(0), levels.get(0), folder, SCALE, LOG_BYTES);
        banks = kinds.stream().flatMap(kind -> levels.stream().map(level -> first.with(kind, level))).toList();
        this.seed = seed;
    }

    /**
     * The result of a loop.
     *
     * @param early  number of kills before the server was ready
     * @param open   number of performed transfers without an answer at the time of the kill
     */
    record Result(int kills, int early, int transfers, int open) {
    }

    /**
     * Kills the given number of servers.
     *
     * @param progress receives the number of kills after each kill
     * @throws AssertionError if the bank contradicts the clients' knowledge, with the seed and the number of the kill
     */
    Result run(int kills, IntConsumer progress) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        Ledger ledger = new Ledger(SCALE);
        int early = 0;
        double startMillis = 500;
        try (Clients clients = new Clients(SCALE, ledger, CLIENTS, random.split())) {
            for (int kill = 1; kill <= kills; kill++) {
                BankOptions options = banks.get(random.nextInt(banks.size()));
                String where = "seed " + seed + ", kill " + kill + ", " + options.kind() + ", " + options.level();
                try (ServerProcess server = new ServerProcess(SHORT_LIVED, options)) {
                    if (random.nextDouble() < WHILE_STARTING) {
                        Thread.sleep((long) (startMillis * random.nextDouble(EARLIEST, LATEST)));
                        early++;
                    } else {
                        long started = System.nanoTime();
                        URI address = server.awaitReady();
                        startMillis = (System.nanoTime() - started) / 1e6;
                        check(clients, address, ledger, where);
                        clients.open(address);
                        clients.awaitAnswer(PATIENCE);
                        Thread.sleep(random.nextInt(MAX_SERVING_MILLIS));
                    }
                    server.checkAlive();
                    server.kill();
                    clients.pause();
                }
                progress.accept(kill);
            }
            try (ServerProcess server = new ServerProcess(SHORT_LIVED, banks.get(0))) {
                check(clients, server.awaitReady(), ledger, "seed " + seed + ", after all kills");
            }
        }
        return new Result(kills, early, ledger.size(), ledger.settled());
    }

    private static void check(Clients clients, URI address, Ledger ledger, String where)
            throws IOException, InterruptedException {
        List<String> found = ledger.check(clients.statement(address)).sentences();
        if (!found.isEmpty() || !clients.refusals().isEmpty()) {
            throw new AssertionError(where + ": " + found + ", refused: " + clients.refusals());
        }
    }
}
