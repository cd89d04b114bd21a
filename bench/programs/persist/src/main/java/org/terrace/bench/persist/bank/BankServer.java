// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A bank over HTTP, on a free port of this machine:
 *
 * <pre>
 * POST /transfers       the body is a transfer; 204 once it has reached the bank's level
 * GET /accounts/NUMBER  its balance
 * GET /statement        everything
 * </pre>
 *
 * The server answers an invalid request with 400, an unknown account with 404, and a failure of the bank with 500.
 */
final class BankServer implements AutoCloseable {
    private static final String ACCOUNTS = "/accounts/";

    private final Bank bank;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    BankServer(Bank bank) throws IOException {
        // Otherwise an answer waits for the acknowledgement of its header.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        this.bank = bank;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/transfers", exchange -> answer(exchange, "POST", this::transfer));
        server.createContext(ACCOUNTS, exchange -> answer(exchange, "GET", this::balance));
        server.createContext("/statement", exchange -> answer(exchange, "GET", this::statement));
        server.start();
    }

    /**
     * Serves the bank that the arguments describe, and prints {@code ready PORT}. The server ends at the end of its
     * standard input, so that it does not outlive the program that started it.
     */
    public static void main(String[] arguments) throws IOException {
        BankOptions options = BankOptions.parse(arguments);
        Files.createDirectories(options.folder());
        BankServer server = new BankServer(Bank.open(options));
        System.out.println("ready " + server.port());
        while (System.in.read() >= 0) {
            // The input is ignored.
        }
        Runtime.getRuntime().halt(1);
    }

    int port() {
        return server.getAddress().getPort();
    }

    @FunctionalInterface
    private interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    private static void answer(HttpExchange exchange, String method, Handler handler) throws IOException {
        try (exchange) {
            if (!exchange.getRequestMethod().equals(method)) {
                send(exchange, 405, "only " + method);
                return;
            }
            handler.handle(exchange);
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            throw e;
        }
    }

    private void transfer(HttpExchange exchange) throws IOException {
        Transfer transfer;
        try {
            transfer = Transfer.parse(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException e) {
            send(exchange, 400, e.getMessage());
            return;
        }
        try {
            bank.transfer(transfer);
        } catch (IllegalArgumentException e) {
            send(exchange, 404, e.getMessage());
            return;
        } catch (RuntimeException e) {
            e.printStackTrace();
            send(exchange, 500, e.toString());
            return;
        }
        exchange.sendResponseHeaders(204, -1);
    }

    private void balance(HttpExchange exchange) throws IOException {
        String number = exchange.getRequestURI().getPath().substring(ACCOUNTS.length());
        try {
            send(exchange, 200, "" + bank.balance(Integer.parseInt(number)));
        } catch (NumberFormatException e) {
            send(exchange, 400, "no number of an account: " + number);
        } catch (IllegalArgumentException e) {
            send(exchange, 404, e.getMessage());
        }
    }

    private void statement(HttpExchange exchange) throws IOException {
        Statement statement = bank.statement();
        exchange.sendResponseHeaders(200, 0);
        try (Writer out = new BufferedWriter(new OutputStreamWriter(exchange.getResponseBody(), StandardCharsets.UTF_8))) {
            statement.write(out);
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() throws IOException {
        server.stop(0);
        threads.shutdownNow();
        bank.close();
    }
}
