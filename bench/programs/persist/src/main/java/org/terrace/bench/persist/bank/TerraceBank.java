// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import static org.terrace.persist.FieldType.INT;
import static org.terrace.persist.FieldType.LONG;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.terrace.persist.Durability;
import org.terrace.persist.Heap;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.PersistentHashMap;
import org.terrace.persist.types.PersistentList;
import org.terrace.persist.types.PersistentLongArray;

/** A bank in a persistent heap. A transfer is one failure-atomic block. */
final class TerraceBank implements Bank {
    /** Bytes in addition to the balance. An account has 140 bytes, as in J-NVM. */
    static final int HOLDER_BYTES = 132;
    private static final int BATCH = 100;

    private final Scale scale;
    private final Heap heap;
    private final PersistentHashMap<Integer, Account> accounts;
    private final PersistentLongArray tellers;
    private final PersistentLongArray branches;
    private final PersistentList<Entry> history;

    @SuppressWarnings("unchecked")
    TerraceBank(BankOptions options) {
        scale = options.scale();
        heap = Heap.open(options.folder().resolve("bank.heap"), HeapOptions.defaults().maxSize(8L << 30)
                .logSize(options.logBytes())
                .durability(options.level() == Level.SYNC ? Durability.SYNC : Durability.PROCESS)
                .collectAfterCrash(options.kind() == Kind.TERRACE));
        accounts = heap.root("accounts", PersistentHashMap.class, () -> new PersistentHashMap<Integer, Account>(heap));
        tellers = heap.root("tellers", PersistentLongArray.class, () -> new PersistentLongArray(heap, scale.tellers()));
        branches = heap.root("branches", PersistentLongArray.class, () -> new PersistentLongArray(heap, scale.initialBranches()));
        history = heap.root("history", PersistentList.class, () -> new PersistentList<Entry>(heap));
        // A kill may have interrupted the creation of accounts.
        while (accounts.size() < scale.accounts()) {
            int first = accounts.size();
            heap.atomic(() -> {
                for (int i = first; i < Math.min(first + BATCH, scale.accounts()); i++) {
                    accounts.put(i, new Account(heap));
                }
            });
        }
    }

    @Override
    public void transfer(Transfer transfer) {
        heap.atomic(() -> {
            change(transfer.from(), transfer.window(), -transfer.amount());
            change(transfer.to(), transfer.window(), transfer.amount());
            history.add(new Entry(heap, transfer));
        });
    }

    private void change(int number, int window, int amount) {
        Account account = account(number);
        account.balance(account.balance() + amount);
        add(tellers, scale.tellerOf(number, window), amount);
        add(branches, scale.branchOf(number), amount);
    }

    private Account account(int number) {
        Account account = accounts.get(number);
        if (account == null) {
            throw Bank.noAccount(number);
        }
        return account;
    }

    private static void add(PersistentLongArray balances, int number, int amount) {
        balances.set(number, balances.get(number) + amount);
    }

    @Override
    public long balance(int account) {
        return heap.read(() -> account(account).balance());
    }

    @Override
    public Statement statement() {
        List<String> problems = new ArrayList<>(heap.check());
        if (problems.isEmpty()) {
            problems.addAll(heap.checkCollections());
        }
        return heap.read(() -> new Statement(IntStream.range(0, scale.accounts()).mapToLong(i -> account(i).balance()).toArray(),
                tellers.toArray(), branches.toArray(), history.stream().map(Entry::transfer).toList(), problems));
    }

    @Override
    public void close() {
        heap.close();
    }

    /** An account with its balance, and bytes in place of the holder's name and address. */
    static final class Account extends PersistentObject {
        static final PersistentClass<Account> CLASS = PersistentClass.bytes(Account.class, Account::new);
        private static final int BALANCE = 0;
        private static final int HOLDER = 8;

        Account(Heap heap) {
            super(CLASS, heap, HOLDER + HOLDER_BYTES);
            putBytes(HOLDER, new byte[HOLDER_BYTES], 0, HOLDER_BYTES);
            balance(Scale.INITIAL_BALANCE);
        }

        private Account(Heap heap, long offset) {
            super(heap, offset);
        }

        long balance() {
            return getLong(BALANCE);
        }

        void balance(long balance) {
            setLong(BALANCE, balance);
        }
    }

    /** A row of the history. */
    static final class Entry extends PersistentObject {
        static final PersistentClass<Entry> CLASS = PersistentClass.of(Entry.class, Entry::new)
                .field("id", LONG).field("from", INT).field("to", INT).field("window", INT).field("amount", INT).build();
        private static final int ID = CLASS.offset("id");
        private static final int FROM = CLASS.offset("from");
        private static final int TO = CLASS.offset("to");
        private static final int WINDOW = CLASS.offset("window");
        private static final int AMOUNT = CLASS.offset("amount");

        Entry(Heap heap, Transfer transfer) {
            super(CLASS, heap);
            setLong(ID, transfer.id());
            setInt(FROM, transfer.from());
            setInt(TO, transfer.to());
            setInt(WINDOW, transfer.window());
            setInt(AMOUNT, transfer.amount());
        }

        private Entry(Heap heap, long offset) {
            super(heap, offset);
        }

        Transfer transfer() {
            return new Transfer(getLong(ID), getInt(FROM), getInt(TO), getInt(WINDOW), getInt(AMOUNT));
        }
    }
}
