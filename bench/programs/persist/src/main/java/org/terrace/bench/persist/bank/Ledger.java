// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The knowledge of a bank's clients: acknowledged transfers, and requests without an answer, which may have been
 * performed or not. This class is thread-safe.
 */
final class Ledger {
    private final Scale scale;
    private final Map<Long, Transfer> acknowledged = new HashMap<>();
    private final Map<Long, Transfer> unanswered = new HashMap<>();
    private int settled;

    Ledger(Scale scale) {
        this.scale = scale;
    }

    synchronized void acknowledge(Transfer transfer) {
        acknowledged.put(transfer.id(), transfer);
    }

    synchronized void leaveOpen(Transfer transfer) {
        unanswered.put(transfer.id(), transfer);
    }

    /** Returns the number of transfers that the bank must have. */
    synchronized int size() {
        return acknowledged.size();
    }

    /** Returns the number of transfers without an answer that have proved to be performed. */
    synchronized int settled() {
        return settled;
    }

    /**
     * Contradictions to the clients' knowledge or to TPC-B's consistency.
     *
     * @param lost       number of acknowledged transfers that are missing in the history
     * @param wrong      number of balances that differ from the sum of the initial balance and the history
     * @param difference surplus in the sum of all accounts
     * @param sentences  description of each contradiction
     */
    record Findings(int lost, int wrong, long difference, List<String> sentences) {
    }

    /** Compares a statement with the ledger. Afterwards it is decided for each transfer without an answer whether it was performed. */
    synchronized Findings check(Statement statement) {
        List<String> sentences = new ArrayList<>(statement.problems());
        Set<Long> seen = new HashSet<>();
        for (Transfer transfer : statement.history()) {
            if (!seen.add(transfer.id())) {
                sentences.add("more than once in the history: " + transfer);
            } else if (transfer.equals(unanswered.get(transfer.id()))) {
                acknowledged.put(transfer.id(), transfer);
                settled++;
            } else if (!transfer.equals(acknowledged.get(transfer.id()))) {
                sentences.add("in the history, and not asked for, or known not to have been made: " + transfer);
            }
        }
        unanswered.clear();
        List<Transfer> lost = acknowledged.values().stream().filter(transfer -> !seen.contains(transfer.id())).toList();
        if (!lost.isEmpty()) {
            sentences.add(lost.size() + " acknowledged transfers are not in the history, one is " + lost.get(0));
        }
        long difference = Arrays.stream(statement.accounts()).sum() - scale.total();
        if (difference != 0) {
            sentences.add("the sum of all accounts is " + difference + " too large");
        }
        int wrong = checkBalances(statement, sentences);
        checkSums(statement, sentences);
        return new Findings(lost.size(), wrong, difference, List.copyOf(sentences));
    }

    private int checkBalances(Statement statement, List<String> sentences) {
        long[] accounts = new long[scale.accounts()];
        Arrays.fill(accounts, Scale.INITIAL_BALANCE);
        long[] tellers = new long[scale.tellers()];
        long[] branches = scale.initialBranches();
        for (Transfer transfer : statement.history()) {
            accounts[transfer.from()] -= transfer.amount();
            tellers[scale.tellerOf(transfer.from(), transfer.window())] -= transfer.amount();
            branches[scale.branchOf(transfer.from())] -= transfer.amount();
            accounts[transfer.to()] += transfer.amount();
            tellers[scale.tellerOf(transfer.to(), transfer.window())] += transfer.amount();
            branches[scale.branchOf(transfer.to())] += transfer.amount();
        }
        return compare("account", accounts, statement.accounts(), "its history", sentences)
                + compare("teller", tellers, statement.tellers(), "its history", sentences)
                + compare("branch", branches, statement.branches(), "its history", sentences);
    }

    /** Checks TPC-B's consistency: a branch has the sum of its accounts, and the sum of its tellers' deposits. */
    private void checkSums(Statement statement, List<String> sentences) {
        long[] ofAccounts = new long[scale.branches()];
        for (int i = 0; i < statement.accounts().length; i++) {
            ofAccounts[scale.branchOf(i)] += statement.accounts()[i];
        }
        long[] ofTellers = scale.initialBranches();
        for (int i = 0; i < statement.tellers().length; i++) {
            ofTellers[i / Scale.TELLERS_OF_BRANCH] += statement.tellers()[i];
        }
        compare("branch", ofAccounts, statement.branches(), "the sum of its accounts", sentences);
        compare("branch", ofTellers, statement.branches(), "the sum of its tellers", sentences);
    }

    private static int compare(String what, long[] expected, long[] found, String source, List<String> sentences) {
        if (expected.length != found.length) {
            sentences.add("the bank has " + found.length + " balances, not " + expected.length + ", of each " + what);
            return expected.length;
        }
        int wrong = 0;
        for (int i = 0; i < expected.length; i++) {
            if (expected[i] != found[i] && wrong++ == 0) {
                sentences.add(what + " " + i + " has " + found[i] + ", and by " + source + " " + expected[i]);
            }
        }
        if (wrong > 1) {
            sentences.add(wrong + " times such a difference: " + what + ", " + source);
        }
        return wrong;
    }
}
