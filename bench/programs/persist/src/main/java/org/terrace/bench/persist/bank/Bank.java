// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.io.IOException;

/** Where a bank keeps its accounts, tellers, branches and history. Any thread may ask. */
interface Bank extends AutoCloseable {

    /** What a transfer has reached when it returns. */
    enum Level {
        /** Stable storage. */
        SYNC,
        /** The page cache: it survives the process, not the machine. */
        PROCESS
    }

    /** Which ones there are. */
    enum Kind {
        /** {@code java.util} in memory; nothing survives. */
        VOLATILE,
        TERRACE,
        /** Opened after a kill without looking for garbage. */
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
     * All of it or nothing.
     *
     * @throws IllegalArgumentException if there is no such account; nothing has changed then
     */
    void transfer(Transfer transfer);

    /** @throws IllegalArgumentException if there is no such account */
    long balance(int account);

    /** Everything. No transfer may be under way. */
    Statement statement();

    @Override
    void close() throws IOException;

    /** A bank with all accounts, as it was left, or new. */
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
