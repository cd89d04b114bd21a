// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that no acknowledged transfer is lost, repeated or incomplete when a bank's server is killed repeatedly with
 * SIGKILL. {@code -Dbank.kills=N} sets the number of kills, and {@code -Dbank.seed=N} repeats the same random times.
 */
class BankKillTest {
    private static final int KILLS = Integer.getInteger("bank.kills", 3);
    private static final List<Bank.Level> BOTH = List.of(Bank.Level.SYNC, Bank.Level.PROCESS);

    @TempDir
    Path folder;

    private KillLoop.Result kill(int times, Bank.Kind... kinds) throws Exception {
        long seed = Long.getLong("bank.seed", System.nanoTime());
        KillLoop.Result result = new KillLoop(List.of(kinds), BOTH, folder, seed).run(times, kill -> {
            if (kill % 20 == 0) {
                System.out.println("killed so far, bank: " + kill);
            }
        });
        System.out.println("seed " + seed + ": " + result);
        return result;
    }

    @Test
    void noMoneyIsMadeOrLostInAHeap() throws Exception {
        KillLoop.Result result = kill(KILLS, Bank.Kind.TERRACE, Bank.Kind.TERRACE_WITHOUT_COLLECTION);
        assertTrue(result.early() == KILLS || result.transfers() > 0, result::toString);
        System.out.println("programs killed, bank: " + result.kills());
    }

    @Test
    void norInACacheOnAHeap() throws Exception {
        KillLoop.Result result = kill(2, Bank.Kind.INFINISPAN_TERRACE);
        assertTrue(result.early() == 2 || result.transfers() > 0, result::toString);
    }

    @Test
    void aServerThatEndsByItselfIsNoKill() throws Exception {
        BankOptions options = new BankOptions(Bank.Kind.TERRACE, Bank.Level.PROCESS, folder, new Scale(20, 10), 1 << 20);
        try (ServerProcess first = new ServerProcess(KillLoop.SHORT_LIVED, options)) {
            first.awaitReady();
            // The first server has the heap open.
            try (ServerProcess second = new ServerProcess(KillLoop.SHORT_LIVED, options)) {
                IOException e = assertThrows(IOException.class, second::awaitReady);
                assertTrue(e.getMessage().contains("bank.heap"), e::toString);
            }
            first.checkAlive();
        }
    }

    @Test
    void theFirstWindowThatIsNominal() {
        int[] buckets = {9, 9, 0, 0, 0, 20, 20, 20, 20, 20, 20};
        assertEquals(0.9, BankBenchmark.reached(buckets, 2, 13).orElseThrow(), 1e-9);
        assertTrue(BankBenchmark.reached(buckets, 2, 21).isEmpty());
    }
}
