// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Threads that transfer between two random accounts over HTTP, in a closed loop. A transfer that a server did not
 * answer is not repeated with another server.
 */
final class Clients implements AutoCloseable {
    static final long BUCKET_NANOS = 100_000_000;
    private static final int BUCKETS = 36_000;
    private static final int MAX_AMOUNT = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Scale scale;
    private final Ledger ledger;
    private final AtomicIntegerArray buckets = new AtomicIntegerArray(BUCKETS);
    private final long started = System.nanoTime();
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    /** The server, or null during a pause. */
    private URI server;
    private int busy;
    /** The time of the first acknowledgement since the opening, or 0. */
    private long firstAnswer;
    private boolean closed;

    Clients(Scale scale, Ledger ledger, int count, SplittableRandom random) {
        this.scale = scale;
        this.ledger = ledger;
        for (int i = 0; i < count; i++) {
            long firstId = (long) i << 40;
            SplittableRandom mine = random.split();
            Thread thread = new Thread(() -> transferAll(firstId, mine), "client " + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Directs the clients to this server. */
    synchronized void open(URI address) {
        server = address;
        firstAnswer = 0;
        notifyAll();
    }

    /** Pauses the clients. Returns when all current requests have been answered, or have failed. */
    synchronized void pause() throws InterruptedException {
        server = null;
        while (busy > 0) {
            wait();
        }
    }

    private synchronized URI enter() throws InterruptedException {
        while (server == null && !closed) {
            wait();
        }
        busy += closed ? 0 : 1;
        return closed ? null : server;
    }

    private synchronized void leave(URI address, boolean isAnswered) {
        busy--;
        if (!isAnswered && address.equals(server)) {
            server = null;
        }
        notifyAll();
    }

    private void transferAll(long firstId, SplittableRandom random) {
        try {
            URI address = enter();
            for (long id = firstId; address != null; id++) {
                boolean isAnswered = false;
                try {
                    isAnswered = transfer(address, draw(id, random));
                } finally {
                    leave(address, isAnswered);
                }
                address = enter();
            }
        } catch (InterruptedException e) {
            refuse("interrupted");
        }
    }

    private Transfer draw(long id, SplittableRandom random) {
        int from = random.nextInt(scale.accounts());
        int to = (from + 1 + random.nextInt(scale.accounts() - 1)) % scale.accounts();
        return new Transfer(id, from, to, random.nextInt(Scale.TELLERS_OF_BRANCH), 1 + random.nextInt(MAX_AMOUNT));
    }

    /** Returns whether there was an answer. */
    private boolean transfer(URI address, Transfer transfer) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address.resolve("transfers")).timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofString(transfer.text(), StandardCharsets.US_ASCII)).build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() == 204) {
                acknowledged(transfer);
            } else {
                ledger.leaveOpen(transfer);
                refuse(answer.statusCode() + " " + answer.body());
            }
            return true;
        } catch (IOException e) {
            ledger.leaveOpen(transfer);
            return false;
        }
    }

    private void acknowledged(Transfer transfer) {
        ledger.acknowledge(transfer);
        long now = System.nanoTime();
        buckets.incrementAndGet((int) Math.min(BUCKETS - 1, (now - started) / BUCKET_NANOS));
        synchronized (this) {
            if (firstAnswer == 0) {
                firstAnswer = now;
                notifyAll();
            }
        }
    }

    private synchronized void refuse(String answer) {
        refusals.add(answer);
    }

    /** Returns the answers that were not acknowledgements. */
    synchronized List<String> refusals() {
        return List.copyOf(refusals);
    }

    /** Returns the {@link System#nanoTime} of the first acknowledgement since the opening. */
    synchronized long awaitAnswer(Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (firstAnswer == 0) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0 || server == null) {
                throw new IllegalStateException("no transfer was acknowledged; refused were " + refusals);
            }
            wait(left);
        }
        return firstAnswer;
    }

    /** Returns the {@link System#nanoTime} of the beginning of the first bucket. */
    long started() {
        return started;
    }

    /** Returns the acknowledged transfers in each tenth of a second until now. The last bucket is incomplete. */
    int[] buckets() {
        int count = (int) Math.min(BUCKETS, (System.nanoTime() - started) / BUCKET_NANOS + 1);
        int[] found = new int[count];
        Arrays.setAll(found, buckets::get);
        return found;
    }

    /** Returns the complete contents of the server's bank. */
    Statement statement(URI address) throws IOException, InterruptedException {
        HttpResponse<java.io.InputStream> answer = http.send(HttpRequest.newBuilder(address.resolve("statement"))
                .timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader in = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            if (answer.statusCode() != 200) {
                throw new IOException("no statement: " + answer.statusCode() + " " + in.readLine());
            }
            return Statement.read(in);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            server = null;
            notifyAll();
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            // The threads are daemons, and end after their current request.
            Thread.currentThread().interrupt();
        }
    }
}
