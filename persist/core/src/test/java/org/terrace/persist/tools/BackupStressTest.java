// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapBytes;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.crash.Bank;
import org.terrace.persist.types.PersistentByteArray;

/** Copies a heap while threads change it, and restores these copies. {@code -Dpersist.backups=N} sets their number. */
@Timeout(600)
class BackupStressTest {
    private static final HeapOptions OPTIONS = HeapOptions.defaults().maxSize(64 << 20).logSize(64 << 10).threads(2);
    private static final Map<String, Durability> LEVELS = Map.of("SYNC", Durability.SYNC, "GROUP",
            Durability.group(Duration.ofMillis(5)), "PROCESS", Durability.PROCESS);
    private static final int BACKUPS = Integer.getInteger("persist.backups", 5);

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"SYNC", "GROUP", "PROCESS"})
    void everyBackupUnderLoadRestoresToOneStateOfTheBank(String level) throws Exception {
        Path file = directory.resolve("bank.heap");
        Path restored = directory.resolve("restored.heap");
        long[] seen = new long[Bank.THREADS];
        try (Heap heap = Heap.open(file, OPTIONS.durability(LEVELS.get(level)))) {
            Bank bank = new Bank(heap);
            bank.start();
            for (int i = 0; i < BACKUPS; i++) {
                bank.awaitTransfers(20);
                Path copy = directory.resolve("copy.heap");
                long[] before = bank.acknowledged();
                heap.backup(copy);
                long[] after = bank.begun();
                assertEquals(0, HeapToolOutput.of("restore", "--replace", copy, restored).status());
                Bank.checkCopy(copy, OPTIONS, before, after);
                Bank.checkCopy(restored, OPTIONS, before, after);
                for (int t = 0; t < Bank.THREADS; t++) {
                    assertTrue(before[t] > seen[t], "no transfers between two copies");
                }
                seen = after;
                Files.delete(copy);
                Files.delete(HeapBytes.logOf(copy));
            }
            bank.stop();
            assertEquals(List.of(), heap.check());
        }
        assertEquals(List.of(), Fsck.check(file, 2));
        System.out.println("backups under load, " + level + ": " + BACKUPS);
    }

    @Test
    void blocksThatFillTheLogDuringACopyGoOnAfterIt() throws InterruptedException {
        try (Heap heap = Heap.open(directory.resolve("bank.heap"), OPTIONS.logSize(16 << 10))) {
            for (int i = 0; i < 400; i++) {
                int number = i;
                heap.atomic(() -> heap.setRoot("ballast " + number, new PersistentByteArray(heap, 40_000)));
            }
            Bank bank = new Bank(heap);
            bank.start();
            long[] before = bank.acknowledged();
            heap.backup(directory.resolve("copy.heap"));
            long[] after = bank.begun();
            bank.awaitTransfers(1);
            bank.stop();
            Bank.checkCopy(directory.resolve("copy.heap"), OPTIONS, before, after);
        }
    }
}
