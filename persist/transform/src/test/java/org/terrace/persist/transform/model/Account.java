// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.terrace.persist.FailureAtomicity;
import org.terrace.persist.Persistent;
import org.terrace.persist.types.PersistentHashMap;

/** A class with failure-atomic methods, whose equality is defined by its number. */
@Persistent(fa = FailureAtomicity.NON_PRIVATE)
class Account {
    private final int number;
    private long balance;
    private Map<String, Long> history = new PersistentHashMap<>();

    Account(int number) {
        this.number = number;
    }

    void deposit(long amount) {
        balance += amount;
        note("deposit", amount);
        if (amount < 0) {
            throw new IllegalArgumentException("negative");
        }
    }

    long transfer(Account to, long amount, boolean fails) throws IOException {
        balance -= amount;
        to.deposit(amount);
        if (fails) {
            throw new IOException("connection lost");
        }
        return balance;
    }

    private void note(String what, long amount) {
        history.put(what + history.size(), amount);
    }

    protected final synchronized int changes() {
        return history.size();
    }

    long balance() {
        return balance;
    }

    float[] mixed(byte a, long b, double c, String... rest) {
        return new float[] {a, b, (float) c, rest.length};
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Account a && number == a.number;
    }

    @Override
    public int hashCode() {
        return Objects.hash(number);
    }

    @Override
    public String toString() {
        return "account " + number + ": " + balance;
    }
}
