// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.util.Arrays;

/**
 * The size of a bank. All branches have the same number of accounts, and ten tellers, as in TPC-B. TPC-B has 100,000
 * accounts per branch. A bank of that form on a small machine would have one branch, and one row that all transactions
 * change.
 *
 * @param accounts a multiple of {@code accountsOfBranch}
 */
record Scale(int accounts, int accountsOfBranch) {
    static final int TELLERS_OF_BRANCH = 10;
    /** Initial balance of an account in cents. Tellers have nothing, and a branch has the sum of its accounts. */
    static final long INITIAL_BALANCE = 1000;

    Scale {
        if (accountsOfBranch < 1 || accounts < 2 || accounts % accountsOfBranch != 0) {
            throw new IllegalArgumentException(accounts + " accounts are no whole number of branches of " + accountsOfBranch
                    + ", or less than two");
        }
    }

    int branches() {
        return accounts / accountsOfBranch;
    }

    int tellers() {
        return branches() * TELLERS_OF_BRANCH;
    }

    int branchOf(int account) {
        return account / accountsOfBranch;
    }

    /** Returns the teller at one of the ten windows of an account's branch. */
    int tellerOf(int account, int window) {
        return branchOf(account) * TELLERS_OF_BRANCH + window;
    }

    long[] initialBranches() {
        long[] balances = new long[branches()];
        Arrays.fill(balances, INITIAL_BALANCE * accountsOfBranch);
        return balances;
    }

    /** Returns the sum of all accounts, which is constant. */
    long total() {
        return INITIAL_BALANCE * accounts;
    }
}
