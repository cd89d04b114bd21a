// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the bank over HTTP. */
class BankServerTest {
    private static final Scale SCALE = new Scale(20, 10);

    private final HttpClient http = HttpClient.newHttpClient();
    private final Bank broken = new Bank() {
        private final Bank whole = new VolatileBank(SCALE);

        @Override
        public void transfer(Transfer transfer) {
            if (transfer.amount() == 13) {
                throw new IllegalStateException("no device");
            }
            whole.transfer(transfer);
        }

        @Override
        public long balance(int account) {
            return whole.balance(account);
        }

        @Override
        public Statement statement() {
            return whole.statement();
        }

        @Override
        public void close() throws IOException {
            whole.close();
        }
    };
    private BankServer server;

    @BeforeEach
    void start() throws IOException {
        server = new BankServer(broken);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private URI address() {
        return URI.create("http://localhost:" + server.port() + "/");
    }

    private String get(String path) throws Exception {
        return told(http.send(HttpRequest.newBuilder(address().resolve(path)).build(), HttpResponse.BodyHandlers.ofString()));
    }

    private String post(String path, String body) throws Exception {
        return told(http.send(HttpRequest.newBuilder(address().resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString()));
    }

    private static String told(HttpResponse<String> answer) {
        return answer.statusCode() + " " + answer.body();
    }

    @Test
    void transfersAndBalances() throws Exception {
        assertEquals("204 ", post("transfers", "1 2 3 4 500"));
        assertEquals("200 500", get("accounts/2"));
        assertEquals("200 1500", get("accounts/3"));
    }

    @Test
    void whatIsNoRequestSaysSo() throws Exception {
        assertTrue(post("transfers", "1 2 3").startsWith("400 not five numbers"));
        assertTrue(post("transfers", "1 2 3 4 x").startsWith("400 "));
        assertTrue(post("transfers", "1 2 2 4 5").startsWith("400 no transfer: from 2 to 2"));
        assertEquals("404 there is no account 20", post("transfers", "1 2 20 4 5"));
        assertEquals("404 there is no account 20", get("accounts/20"));
        assertEquals("400 no number of an account: x", get("accounts/x"));
        assertEquals("405 only POST", get("transfers"));
        assertEquals("405 only GET", post("statement", ""));
        assertTrue(post("transfers", "1 2 3 4 13").startsWith("500 "));
        assertTrue(get("nothing").startsWith("404 "));
        assertEquals("200 1000", get("accounts/2"));
    }

    @Test
    void clientsAndServerAgree() throws Exception {
        Ledger ledger = new Ledger(SCALE);
        try (Clients clients = new Clients(SCALE, ledger, 3, new SplittableRandom(5))) {
            clients.open(address());
            while (ledger.size() < 200) {
                clients.awaitAnswer(Duration.ofSeconds(60));
                Thread.sleep(1);
            }
            clients.pause();
            int made = ledger.size();
            assertEquals(made, java.util.Arrays.stream(clients.buckets()).sum());
            Statement statement = clients.statement(address());
            assertEquals(made, statement.history().size());
            assertEquals(List.of(), ledger.check(statement).sentences());
            // Refused transfers remain open, and were not performed.
            assertTrue(clients.refusals().stream().allMatch(text -> text.startsWith("500 ")), clients.refusals()::toString);
        }
    }

    @Test
    void clientsGoOnWithAnotherServer() throws Exception {
        Ledger ledger = new Ledger(SCALE);
        try (Clients clients = new Clients(SCALE, ledger, 2, new SplittableRandom(6));
                BankServer other = new BankServer(broken)) {
            clients.open(address());
            clients.awaitAnswer(Duration.ofSeconds(60));
            server.close();
            clients.pause();
            URI next = URI.create("http://localhost:" + other.port() + "/");
            clients.open(next);
            clients.awaitAnswer(Duration.ofSeconds(60));
            clients.pause();
            assertEquals(List.of(), ledger.check(clients.statement(next)).sentences());
        }
    }
}
