// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.io.IOException;

/** The accounts, tellers, branches and history of a bank. Implementations are thread-safe. */
interface Bank extends AutoCloseable {

    /** The durability of a transfer when it returns. */
    enum Level {
        /** Stable storage. */
        SYNC,
        /** The page cache, which survives the process but not the machine. */
        PROCESS
    }

    /** The available banks. */
    enum Kind {
        /** {@code java.util} in memory, which does not survive the process. */
        VOLATILE,
        TERRACE,
        /** The persistent heap, opened after a kill without a search for garbage. */
        TERRACE_WITHOUT_COLLECTION,
        /** Infinispan with the persistent heap as its store. */
        INFINISPAN_TERRACE,
        /** Infinispan's store of log files with an index. */
        INFINISPAN_SOFT_INDEX,
        /** Infinispan's older store, which cannot sync. */
        INFINISPAN_SINGLE_FILE;

        boolean has(Level level) {
            return this != INFINISPAN_SINGLE_FILE || level == Level.PROCESS;
        }

        boolean isPersistent() {
            return this != VOLATILE;
        }
    }

    /**
     * Performs a transfer atomically.
     *
     * @throws IllegalArgumentException if an account does not exist, and then nothing has changed
     */
    void transfer(Transfer transfer);

    /** @throws IllegalArgumentException if the account does not exist */
    long balance(int account);

    /** Returns the complete contents. No transfer may be in progress. */
    Statement statement();

    @Override
    void close() throws IOException;

    /** Opens an existing bank as it was left, or creates a new one with all accounts. */
    static Bank open(BankOptions options) {
        return switch (options.kind()) {
            case VOLATILE -> new VolatileBank(options.scale());
            case TERRACE, TERRACE_WITHOUT_COLLECTION -> new TerraceBank(options);
            default -> new InfinispanBank(options);
        };
    }

    static IllegalArgumentException noAccount(int number) {
        return new IllegalArgumentException("there is no account " + number);
    }
}
