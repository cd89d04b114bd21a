// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.transport.SimpleClient;
import org.apache.cassandra.transport.messages.ResultMessage;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.terrace.bench.harness.Latencies;
import org.terrace.bench.harness.Parallel;
import picocli.CommandLine.Command;

/** A program that reads from and writes to Cassandra. Each client has its own keys, so it can check the values that it reads. */
@Command(name = "cassandra", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Clients write --size rows to Cassandra in this JVM. Then they run as many reads and writes.")
final class Cassandra extends GcProgram {

    private static final String INSERT = "INSERT INTO gc.record(key, version, text) VALUES(?, ?, ?)";
    private static final String SELECT = "SELECT version, text FROM gc.record WHERE key = ?";
    private static final int WORDS = 40;
    private static final int TEXTS = 1000;
    private static final int CLIENTS = 4;

    private final String[] texts = new String[TEXTS];
    private CassandraNode node;

    Cassandra() {
        threads = CLIENTS;
    }

    @Override
    void prepare() throws Exception {
        Words words = new Words(5000);
        SplittableRandom random = new SplittableRandom(size);
        for (int i = 0; i < TEXTS; i++) {
            texts[i] = words.text(random, WORDS);
        }
        node = new CassandraNode(folder);
        try (SimpleClient client = node.client()) {
            client.execute("CREATE KEYSPACE gc WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                    ConsistencyLevel.ONE);
            client.execute("CREATE TABLE gc.record(key INT PRIMARY KEY, version INT, text TEXT)", ConsistencyLevel.ONE);
        }
    }

    @Override
    Object once(Latencies latencies) throws Exception {
        int each = size / threads;
        return Parallel.sum(threads, share -> {
            try (SimpleClient client = node.client()) {
                return new User(client, share * each, each, latencies).work();
            }
        });
    }

    /** A client, which reads and writes its own rows. */
    private final class User {

        private final SplittableRandom random;
        private final SimpleClient client;
        private final ResultMessage.Prepared insert;
        private final ResultMessage.Prepared select;
        private final int first;
        private final int[] versions;
        private final Latencies latencies;

        User(SimpleClient client, int first, int rows, Latencies latencies) {
            this.random = new SplittableRandom(first);
            this.client = client;
            this.first = first;
            this.versions = new int[rows];
            this.latencies = latencies;
            insert = client.prepare(INSERT);
            select = client.prepare(SELECT);
        }

        long work() {
            for (int row = 0; row < versions.length; row++) {
                write(row);
            }
            long sum = 0;
            for (int i = 0; i < versions.length; i++) {
                int row = random.nextInt(versions.length);
                if (random.nextBoolean()) {
                    versions[row]++;
                    write(row);
                } else {
                    sum += read(row);
                }
            }
            return sum;
        }

        private void write(int row) {
            long start = System.nanoTime();
            client.executePrepared(insert, List.of(ByteBufferUtil.bytes(first + row), ByteBufferUtil.bytes(versions[row]),
                    ByteBufferUtil.bytes(text(row))), ConsistencyLevel.ONE);
            latencies.record("write", System.nanoTime() - start);
        }

        private long read(int row) {
            long start = System.nanoTime();
            ByteBuffer key = ByteBufferUtil.bytes(first + row);
            ResultMessage.Rows found = (ResultMessage.Rows) client.executePrepared(select, List.of(key), ConsistencyLevel.ONE);
            UntypedResultSet.Row read = UntypedResultSet.create(found.result).one();
            latencies.record("read", System.nanoTime() - start);
            if (read.getInt("version") != versions[row] || !read.getString("text").equals(text(row))) {
                throw new IllegalStateException("row " + (first + row) + " is not what was written");
            }
            return read.getInt("version") * 31L + read.getString("text").hashCode();
        }

        private String text(int row) {
            return texts[(row + versions[row]) % TEXTS];
        }
    }
}
