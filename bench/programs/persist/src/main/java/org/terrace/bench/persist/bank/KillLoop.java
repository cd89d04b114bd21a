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
 * Kills a server again and again, at moments drawn at random: most while clients transfer, some while the server starts, and so
 * may be recovering. Whenever it serves again, all that it has is compared with what the clients know.
 */
final class KillLoop {
    /** For JVMs that live for less than a second. */
    static final List<String> SHORT_LIVED = List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");
    private static final Scale SCALE = new Scale(200, 20);
    /** So small that there is a checkpoint in the life of most servers. */
    private static final long LOG_BYTES = 64 << 10;
    private static final int CLIENTS = 4;
    private static final int MAX_SERVING_MILLIS = 250;
    /** Of a start's time; the recovery is in its second half. */
    private static final double EARLIEST = 0.3;
    private static final double LATEST = 1.1;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double WHILE_STARTING = 0.2;

    private final List<BankOptions> banks;
    private final long seed;

    /**
     * @param kinds  all with the same files; each start takes one of them
     * @param levels each start takes one of them
     */
    KillLoop(List<Bank.Kind> kinds, List<Bank.Level> levels, Path folder, long seed) {
        BankOptions first = new BankOptions(kinds.get(0), levels.get(0), folder, SCALE, LOG_BYTES);
        banks = kinds.stream().flatMap(kind -> levels.stream().map(level -> first.with(kind, level))).toList();
        this.seed = seed;
    }

    /**
     * What a loop did.
     *
     * @param early  of the kills, those of servers that did not serve yet
     * @param open   transfers that had no answer when the server was killed, and had been made
     */
    record Result(int kills, int early, int transfers, int open) {
    }

    /**
     * Kills so many servers.
     *
     * @param progress is told the number of kills after each
     * @throws AssertionError if the bank contradicts what the clients know; it names the seed and the kill
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
