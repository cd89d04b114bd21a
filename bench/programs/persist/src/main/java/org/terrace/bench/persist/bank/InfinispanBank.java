// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import jakarta.transaction.TransactionManager;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.infinispan.AdvancedCache;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.configuration.cache.SingleFileStoreConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.context.Flag;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.persistence.sifs.configuration.SoftIndexFileStoreConfigurationBuilder;
import org.infinispan.transaction.LockingMode;
import org.infinispan.transaction.TransactionMode;
import org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup;
import org.terrace.infinispan.configuration.DurabilityLevel;
import org.terrace.infinispan.configuration.PersistentHeapStoreConfigurationBuilder;

/**
 * A bank in one cache of Infinispan. A transfer is one transaction, and one batch for the cache's store. The store
 * decides whether a kill can leave half of a batch. The cache keeps a tenth as many entries in memory as there are
 * accounts, as in J-NVM's measurement.
 */
final class InfinispanBank implements Bank {
    private static final int BATCH = 1000;
    private static final long MIN_LOG_BYTES = 1 << 20;
    private static final String ACCOUNT = "account ";
    private static final String TELLER = "teller ";
    private static final String BRANCH = "branch ";
    private static final String HISTORY = "history ";
    /** The key that exists when all accounts exist. */
    private static final String COMPLETE = "complete";

    private final Scale scale;
    private final DefaultCacheManager manager;
    private final AdvancedCache<String, Object> cache;
    private final TransactionManager transactions;

    InfinispanBank(BankOptions options) {
        scale = options.scale();
        manager = new DefaultCacheManager(new GlobalConfigurationBuilder().nonClusteredDefault().build());
        ConfigurationBuilder configuration = new ConfigurationBuilder();
        configuration.memory().maxCount(Math.max(100, scale.accounts() / 10));
        configuration.transaction().transactionMode(TransactionMode.TRANSACTIONAL).lockingMode(LockingMode.PESSIMISTIC)
                .transactionManagerLookup(new EmbeddedTransactionManagerLookup());
        addStore(configuration.persistence(), options);
        cache = manager.<String, Object>createCache("bank", configuration.build()).getAdvancedCache()
                .withFlags(Flag.IGNORE_RETURN_VALUES);
        transactions = cache.getTransactionManager();
        if (!cache.containsKey(COMPLETE)) {
            create();
        }
    }

    private static void addStore(PersistenceConfigurationBuilder persistence, BankOptions options) {
        String folder = options.folder().toString();
        boolean syncs = options.level() == Level.SYNC;
        switch (options.kind()) {
            case INFINISPAN_TERRACE -> persistence.addStore(PersistentHeapStoreConfigurationBuilder.class).path(folder)
                    .logSize(Math.max(MIN_LOG_BYTES, options.logBytes()))
                    .durability(syncs ? DurabilityLevel.SYNC : DurabilityLevel.PROCESS);
            case INFINISPAN_SOFT_INDEX -> persistence.addStore(SoftIndexFileStoreConfigurationBuilder.class)
                    .dataLocation(folder + "/data").indexLocation(folder + "/index").syncWrites(syncs);
            case INFINISPAN_SINGLE_FILE -> persistence.addStore(SingleFileStoreConfigurationBuilder.class).location(folder);
            default -> throw new IllegalArgumentException(options.kind() + " is not Infinispan");
        }
    }

    private void create() {
        putAll(scale.accounts(), ACCOUNT, i -> account(Scale.INITIAL_BALANCE));
        putAll(scale.tellers(), TELLER, i -> 0L);
        long[] branches = scale.initialBranches();
        putAll(branches.length, BRANCH, i -> branches[i]);
        cache.put(COMPLETE, true);
    }

    private void putAll(int count, String name, IntFunction<Object> value) {
        for (int first = 0; first < count; first += BATCH) {
            Map<String, Object> batch = new HashMap<>();
            for (int i = first; i < Math.min(first + BATCH, count); i++) {
                batch.put(name + i, value.apply(i));
            }
            cache.putAll(batch);
        }
    }

    private static byte[] account(long balance) {
        return ByteBuffer.allocate(Long.BYTES + TerraceBank.HOLDER_BYTES).putLong(balance).array();
    }

    @Override
    public void transfer(Transfer transfer) {
        // All transfers take locks in the same order, so that they cannot deadlock.
        Map<String, Integer> changes = new TreeMap<>();
        note(changes, transfer.from(), transfer.window(), -transfer.amount());
        note(changes, transfer.to(), transfer.window(), transfer.amount());
        inTransaction(() -> {
            changes.forEach(this::change);
            cache.put(HISTORY + transfer.id(), transfer.text());
        });
    }

    private void note(Map<String, Integer> changes, int account, int window, int amount) {
        if (account >= scale.accounts()) {
            throw Bank.noAccount(account);
        }
        changes.merge(ACCOUNT + account, amount, Integer::sum);
        changes.merge(TELLER + scale.tellerOf(account, window), amount, Integer::sum);
        changes.merge(BRANCH + scale.branchOf(account), amount, Integer::sum);
    }

    private void change(String key, int amount) {
        cache.lock(key);
        Object old = cache.get(key);
        cache.put(key, old instanceof byte[] account ? account(balance(account) + amount) : (Long) old + amount);
    }

    private static long balance(byte[] account) {
        return ByteBuffer.wrap(account).getLong();
    }

    private void inTransaction(Runnable changes) {
        try {
            transactions.begin();
            boolean done = false;
            try {
                changes.run();
                done = true;
            } finally {
                if (!done) {
                    transactions.rollback();
                }
            }
            transactions.commit();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the transaction failed", e);
        }
    }

    @Override
    public long balance(int account) {
        byte[] found = (byte[]) cache.get(ACCOUNT + account);
        if (found == null) {
            throw Bank.noAccount(account);
        }
        return balance(found);
    }

    @Override
    public Statement statement() {
        Map<String, Object> all = new HashMap<>();
        cache.forEach(all::put);
        List<Transfer> history = new ArrayList<>();
        all.forEach((key, value) -> {
            if (key.startsWith(HISTORY)) {
                history.add(Transfer.parse((String) value));
            }
        });
        long[] accounts = new long[scale.accounts()];
        for (int i = 0; i < accounts.length; i++) {
            accounts[i] = balance((byte[]) all.get(ACCOUNT + i));
        }
        return new Statement(accounts, balances(all, TELLER, scale.tellers()), balances(all, BRANCH, scale.branches()), history,
                List.of());
    }

    private static long[] balances(Map<String, Object> all, String name, int count) {
        long[] balances = new long[count];
        for (int i = 0; i < count; i++) {
            balances[i] = (Long) all.get(name + i);
        }
        return balances;
    }

    @Override
    public void close() throws IOException {
        manager.close();
    }
}
