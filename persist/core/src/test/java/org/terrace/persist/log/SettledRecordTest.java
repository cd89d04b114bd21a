// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.terrace.persist.HeapException;
import org.terrace.persist.medium.Disk;

/** Tests records that wait for earlier records or for space. */
class SettledRecordTest {
    private final Disk disk = new Disk();
    private final RedoLog log = new RedoLog(disk.path("a.heap"), LogFile.create(disk.path("a.log"), UUID.randomUUID(), 1 << 16), 1, 0,
            () -> { });
    private final AtomicBoolean filled = new AtomicBoolean();

    @AfterEach
    void close() {
        log.close();
        disk.dispose();
    }

    private static LogRecord record() {
        LogRecord record = new LogRecord();
        record.writeLong(1 << 14, 7);
        return record;
    }

    private long settled() {
        LogRecord record = new LogRecord();
        return log.appendSettled(record, () -> {
            filled.set(true);
            record.writeLong(1 << 14, 8);
        });
    }

    /** Runs code in a separate thread, and returns when that thread waits. */
    private static CompletableFuture<Long> waiting(Supplier<Long> code) {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<Long> result = CompletableFuture.supplyAsync(() -> {
            thread.set(Thread.currentThread());
            return code.get();
        }, command -> new Thread(command).start());
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (thread.get() == null || thread.get().getState() != Thread.State.WAITING) {
            assertTrue(System.nanoTime() < deadline && !result.isDone(), "the thread does not wait");
            Thread.onSpinWait();
        }
        return result;
    }

    @Test
    void itWaitsForThoseBeforeItAndNoneComesInBetween() throws Exception {
        long before = log.append(record());
        CompletableFuture<Long> settled = waiting(this::settled);
        CompletableFuture<Long> after = waiting(() -> log.append(record()));
        assertFalse(filled.get(), "a record before it is not in the pages yet");
        log.applied(before);
        long position = settled.get(1, TimeUnit.MINUTES);
        assertTrue(filled.get());
        assertEquals(before + record().length(), position);
        assertEquals(position + record().length(), after.get(1, TimeUnit.MINUTES));
    }

    @Test
    void anErrorEndsTheWait() {
        log.append(record());
        CompletableFuture<Long> settled = waiting(this::settled);
        CompletableFuture<Long> after = waiting(() -> log.append(record()));
        log.fail(new HeapException("a device failed"));
        for (CompletableFuture<Long> failed : java.util.List.of(settled, after)) {
            ExecutionException e = assertThrows(ExecutionException.class, () -> failed.get(1, TimeUnit.MINUTES));
            assertTrue(e.getCause().getMessage().contains("a device failed"), e.getCause().getMessage());
        }
        assertFalse(filled.get());
    }

    /** The record that waits for space was first, but its changes are not in the pages that the other one copies. */
    @Test
    void aRecordThatWaitsForRoomComesBehindIt() throws Exception {
        for (long used = 0; used + record().length() <= 1 << 16; used += record().length()) {
            log.applied(log.append(record()));
        }
        log.write(log.end());
        CompletableFuture<Long> waits = waiting(() -> log.append(record()));
        CompletableFuture<Long> settled = waiting(this::settled);
        log.release(log.applied());
        assertTrue(settled.get(1, TimeUnit.MINUTES) < waits.get(1, TimeUnit.MINUTES));
    }

    /** From this record, an opening detects that the log has reached the start. */
    @Test
    void theLastRecordBeforeTheStartIsNotOverwritten() throws Exception {
        int fit = (1 << 16) / record().length();
        for (int i = 0; i < fit; i++) {
            log.applied(log.append(record()));
        }
        log.write(log.end());
        log.release(log.applied());
        for (int i = 0; i < fit - 1; i++) {
            log.applied(log.append(record()));
        }
        log.write(log.end());
        CompletableFuture<Long> waits = waiting(() -> log.append(record()));
        log.release(log.applied());
        waits.get(1, TimeUnit.MINUTES);
    }
}
