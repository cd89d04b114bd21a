// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests each kind of bank in this process. */
class BankTest {
    private static final Scale SCALE = new Scale(30, 10);

    @TempDir
    Path folder;

    private BankOptions options(Bank.Kind kind, Bank.Level level) {
        return new BankOptions(kind, level, folder, SCALE, 1 << 20);
    }

    static Stream<Arguments> persistentBanks() {
        return Arrays.stream(Bank.Kind.values()).filter(Bank.Kind::isPersistent)
                .flatMap(kind -> Arrays.stream(Bank.Level.values()).filter(kind::has).map(level -> Arguments.of(kind, level)));
    }

    @ParameterizedTest
    @EnumSource(Bank.Kind.class)
    void aTransferChangesAccountsTellersAndBranches(Bank.Kind kind) throws Exception {
        try (Bank bank = Bank.open(options(kind, Bank.Level.PROCESS))) {
            bank.transfer(new Transfer(1, 3, 29, 7, 400));
            bank.transfer(new Transfer(2, 3, 4, 7, 5));
            assertEquals(595, bank.balance(3));
            Statement statement = bank.statement();
            assertEquals(List.of(595L, 1005L, 1400L), List.of(statement.accounts()[3], statement.accounts()[4],
                    statement.accounts()[29]));
            assertEquals(List.of(-400L, 400L), List.of(statement.tellers()[7], statement.tellers()[27]));
            assertEquals(List.of(9600L, 10_000L, 10_400L), Arrays.stream(statement.branches()).boxed().toList());
            assertEquals(new HashSet<>(List.of(new Transfer(1, 3, 29, 7, 400), new Transfer(2, 3, 4, 7, 5))),
                    new HashSet<>(statement.history()));
            assertEquals(List.of(), statement.problems());
        }
    }

    @ParameterizedTest
    @EnumSource(Bank.Kind.class)
    void ofATransferThatFailsNothingIsLeft(Bank.Kind kind) throws Exception {
        try (Bank bank = Bank.open(options(kind, Bank.Level.PROCESS))) {
            assertThrows(IllegalArgumentException.class, () -> bank.transfer(new Transfer(1, 3, 30, 7, 400)));
            assertEquals(List.of(), new Ledger(SCALE).check(bank.statement()).sentences());
            assertThrows(IllegalArgumentException.class, () -> bank.balance(30));
        }
    }

    @ParameterizedTest
    @MethodSource("persistentBanks")
    void transfersOfSeveralThreadsAreThereAfterTheNextOpening(Bank.Kind kind, Bank.Level level) throws Exception {
        Ledger ledger = new Ledger(SCALE);
        for (int opening = 0; opening < 2; opening++) {
            try (Bank bank = Bank.open(options(kind, level))) {
                assertEquals(List.of(), ledger.check(bank.statement()).sentences());
                transferAtOnce(bank, ledger, opening);
                assertEquals(List.of(), ledger.check(bank.statement()).sentences());
            }
        }
        try (Bank bank = Bank.open(options(kind, level))) {
            assertEquals(List.of(), ledger.check(bank.statement()).sentences());
        }
        assertEquals(80, ledger.size());
    }

    private static void transferAtOnce(Bank bank, Ledger ledger, int opening) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int number = t;
            threads.add(new Thread(() -> {
                for (int i = 0; i < 10; i++) {
                    // Threads use the same accounts, in both directions.
                    int from = (i + number) % 7 * 4;
                    Transfer transfer = new Transfer(100 * opening + 10 * number + i, from, 29 - from, i, 1 + i);
                    bank.transfer(transfer);
                    ledger.acknowledge(transfer);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void aStoreThatCannotSyncHasNoSuchLevel() {
        assertThrows(IllegalArgumentException.class, () -> options(Bank.Kind.INFINISPAN_SINGLE_FILE, Bank.Level.SYNC));
    }
}
