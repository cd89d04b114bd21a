// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;
import org.terrace.bench.harness.Latencies;
import org.terrace.bench.harness.Parallel;
import picocli.CommandLine.Command;

/** A program that runs a bank's transactions in an in-memory H2 database. Each thread has its own accounts, so results are reproducible. */
@Command(name = "h2-database", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Loads --size accounts into an H2 database in memory and runs as many transactions on them.")
final class Database extends GcProgram {

    private static final String URL = "jdbc:h2:mem:bank";
    private static final String ALIVE = URL + ";DB_CLOSE_DELAY=-1";
    private static final int BATCH = 1000;
    private static final int RANGE = 50;
    private static final int OPENING = 10_000;
    private static final int NOTE_WORDS = 6;

    private static final int CLERKS = 4;

    private final Words words = new Words(1000);

    Database() {
        threads = CLERKS;
    }

    @Override
    Object once(Latencies latencies) throws Exception {
        try (Connection connection = DriverManager.getConnection(ALIVE); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account(id INT PRIMARY KEY, balance BIGINT, owner VARCHAR)");
            statement.execute("CREATE TABLE booking(id IDENTITY PRIMARY KEY, account INT, amount INT, note VARCHAR)");
            statement.execute("CREATE INDEX of_account ON booking(account)");
            load(connection);
            int each = size / threads;
            long seen = Parallel.sum(threads, share -> {
                try (Clerk clerk = new Clerk(share * each, each, latencies)) {
                    return clerk.work(each);
                }
            });
            List<Object> result = List.of(seen, number(statement, "SELECT SUM(balance) FROM account"),
                    number(statement, "SELECT COUNT(*) FROM booking"),
                    number(statement, "SELECT SUM(ORA_HASH(owner)) FROM account"));
            statement.execute("SHUTDOWN");
            return result;
        }
    }

    private void load(Connection connection) throws SQLException {
        SplittableRandom random = new SplittableRandom(size);
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO account VALUES(?, ?, ?)")) {
            for (int id = 0; id < size; id++) {
                insert.setInt(1, id);
                insert.setLong(2, OPENING);
                insert.setString(3, words.text(random, 2));
                insert.addBatch();
                if (id % BATCH == BATCH - 1 || id == size - 1) {
                    insert.executeBatch();
                    connection.commit();
                }
            }
        }
        connection.setAutoCommit(true);
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** A connection that works on the accounts from {@code first} on. */
    private final class Clerk implements AutoCloseable {

        private final SplittableRandom random;
        private final int first;
        private final int count;
        private final Latencies latencies;
        private final Connection connection;
        private final PreparedStatement add;
        private final PreparedStatement book;
        private final PreparedStatement range;
        private final PreparedStatement bookings;

        Clerk(int first, int count, Latencies latencies) throws SQLException {
            this.random = new SplittableRandom(first);
            this.first = first;
            this.count = count;
            this.latencies = latencies;
            connection = DriverManager.getConnection(URL);
            connection.setAutoCommit(false);
            add = connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?");
            book = connection.prepareStatement("INSERT INTO booking(account, amount, note) VALUES(?, ?, ?)");
            range = connection.prepareStatement("SELECT SUM(balance), MAX(owner) FROM account WHERE id BETWEEN ? AND ?");
            bookings = connection.prepareStatement("SELECT amount, note, owner FROM booking JOIN account "
                    + "ON account.id = booking.account WHERE account = ? ORDER BY booking.id");
        }

        long work(int transactions) throws SQLException {
            long seen = 0;
            for (int i = 0; i < transactions; i++) {
                int kind = random.nextInt(4);
                long start = System.nanoTime();
                seen += kind < 2 ? transfer() : kind == 2 ? sumOfRange() : history();
                connection.commit();
                latencies.record(kind < 2 ? "transfer" : kind == 2 ? "range" : "history", System.nanoTime() - start);
            }
            return seen;
        }

        private long transfer() throws SQLException {
            int amount = random.nextInt(1, 100);
            move(account(), amount);
            move(account(), -amount);
            return 0;
        }

        private void move(int account, int amount) throws SQLException {
            add.setInt(1, amount);
            add.setInt(2, account);
            add.executeUpdate();
            book.setInt(1, account);
            book.setInt(2, amount);
            book.setString(3, words.text(random, NOTE_WORDS));
            book.executeUpdate();
        }

        private long sumOfRange() throws SQLException {
            int from = first + random.nextInt(Math.max(1, count - RANGE));
            range.setInt(1, from);
            range.setInt(2, from + RANGE - 1);
            try (ResultSet rows = range.executeQuery()) {
                rows.next();
                return rows.getLong(1) + rows.getString(2).hashCode();
            }
        }

        private long history() throws SQLException {
            bookings.setInt(1, account());
            long sum = 0;
            try (ResultSet rows = bookings.executeQuery()) {
                while (rows.next()) {
                    sum += (long) rows.getInt(1) * rows.getString(2).length() + rows.getString(3).hashCode();
                }
            }
            return sum;
        }

        private int account() {
            return first + random.nextInt(count);
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
