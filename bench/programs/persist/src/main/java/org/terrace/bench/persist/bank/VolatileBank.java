// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A bank in memory. It creates accounts on first access, like J-NVM's. */
final class VolatileBank implements Bank {
    /** An account with the same size as in the other banks. */
    private static final class Account {
        private final byte[] holder = new byte[TerraceBank.HOLDER_BYTES];
        private long balance = Scale.INITIAL_BALANCE;
    }

    private final Scale scale;
    private final Map<Integer, Account> accounts = new HashMap<>();
    private final long[] tellers;
    private final long[] branches;
    private final List<Transfer> history = new ArrayList<>();

    VolatileBank(Scale scale) {
        this.scale = scale;
        tellers = new long[scale.tellers()];
        branches = scale.initialBranches();
    }

    @Override
    public synchronized void transfer(Transfer transfer) {
        Account from = account(transfer.from());
        Account to = account(transfer.to());
        from.balance -= transfer.amount();
        tellers[scale.tellerOf(transfer.from(), transfer.window())] -= transfer.amount();
        branches[scale.branchOf(transfer.from())] -= transfer.amount();
        to.balance += transfer.amount();
        tellers[scale.tellerOf(transfer.to(), transfer.window())] += transfer.amount();
        branches[scale.branchOf(transfer.to())] += transfer.amount();
        history.add(transfer);
    }

    private Account account(int number) {
        if (number < 0 || number >= scale.accounts()) {
            throw Bank.noAccount(number);
        }
        return accounts.computeIfAbsent(number, absent -> new Account());
    }

    @Override
    public synchronized long balance(int account) {
        return account(account).balance;
    }

    @Override
    public synchronized Statement statement() {
        long[] balances = new long[scale.accounts()];
        for (int i = 0; i < balances.length; i++) {
            balances[i] = account(i).balance;
        }
        return new Statement(balances, tellers.clone(), branches.clone(), List.copyOf(history), List.of());
    }

    @Override
    public void close() {
        // Nothing to do.
    }
}
