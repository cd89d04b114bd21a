// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

/**
 * A transfer from one account to another. It is a withdrawal at a teller of the first account's branch and a deposit at
 * a teller of the second one's branch. Both are transactions of TPC-B's profile (account, teller, branch), with one
 * common row in the history.
 *
 * @param id     unique number, chosen by the client
 * @param window number of the teller, the same in both branches
 * @param amount in cents, positive
 */
record Transfer(long id, int from, int to, int window, int amount) {

    Transfer {
        if (from < 0 || to < 0 || from == to || window < 0 || window >= Scale.TELLERS_OF_BRANCH || amount <= 0) {
            throw new IllegalArgumentException("no transfer: from " + from + " to " + to + ", window " + window + ", amount "
                    + amount);
        }
    }

    /** Returns the transfer as one line. */
    String text() {
        return id + " " + from + " " + to + " " + window + " " + amount;
    }

    /** @throws IllegalArgumentException if the text does not come from {@link #text} */
    static Transfer parse(String text) {
        String[] words = text.split(" ");
        if (words.length != 5) {
            throw new IllegalArgumentException("not five numbers: " + text);
        }
        return new Transfer(Long.parseLong(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]),
                Integer.parseInt(words[3]), Integer.parseInt(words[4]));
    }
}
