// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

/**
 * Money goes from one account to another: a withdrawal at a teller of the first one's branch and a deposit at one of the
 * second's, each a transaction of TPC-B's profile (account, teller, branch), and one row of the history for both.
 *
 * @param id    of the client's choice, no other transfer has it
 * @param window of the teller, the same number in both branches
 * @param amount in cents, positive
 */
record Transfer(long id, int from, int to, int window, int amount) {

    Transfer {
        if (from < 0 || to < 0 || from == to || window < 0 || window >= Scale.TELLERS_OF_BRANCH || amount <= 0) {
            throw new IllegalArgumentException("no transfer: from " + from + " to " + to + ", window " + window + ", amount "
                    + amount);
        }
    }

    /** One line. */
    String text() {
        return id + " " + from + " " + to + " " + window + " " + amount;
    }

    /** @throws IllegalArgumentException if it is not what {@link #text} makes */
    static Transfer parse(String text) {
        String[] words = text.split(" ");
        if (words.length != 5) {
            throw new IllegalArgumentException("not five numbers: " + text);
        }
        return new Transfer(Long.parseLong(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]),
                Integer.parseInt(words[3]), Integer.parseInt(words[4]));
    }
}
