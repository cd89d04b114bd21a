// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that contradictions to the clients' knowledge are found. */
class LedgerTest {
    private static final Scale SCALE = new Scale(4, 2);
    private static final Transfer FIRST = new Transfer(1, 0, 3, 5, 10);
    private static final Transfer SECOND = new Transfer(2, 1, 2, 0, 20);

    private final VolatileBank bank = new VolatileBank(SCALE);
    private final Ledger ledger = new Ledger(SCALE);

    private void transfer(Transfer transfer) {
        bank.transfer(transfer);
        ledger.acknowledge(transfer);
    }

    private static Statement with(Statement s, List<Transfer> history) {
        return new Statement(s.accounts(), s.tellers(), s.branches(), history, s.problems());
    }

    private void assertFound(String wanted, Statement statement) {
        List<String> sentences = ledger.check(statement).sentences();
        assertTrue(sentences.stream().anyMatch(sentence -> sentence.contains(wanted)), wanted + " is not in " + sentences);
    }

    @Test
    void whatFitsIsNoFinding() {
        transfer(FIRST);
        transfer(SECOND);
        assertEquals(new Ledger.Findings(0, 0, 0, List.of()), ledger.check(bank.statement()));
    }

    @Test
    void aLostTransfer() {
        ledger.acknowledge(FIRST);
        assertEquals(1, ledger.check(bank.statement()).lost());
        assertFound("1 acknowledged transfers are not in the history", bank.statement());
    }

    @Test
    void aTransferThatIsThereTwice() {
        transfer(FIRST);
        assertFound("more than once", with(bank.statement(), List.of(FIRST, FIRST)));
    }

    @Test
    void aTransferThatNobodyAskedFor() {
        bank.transfer(FIRST);
        assertFound("not asked for", bank.statement());
    }

    @Test
    void aTransferThatIsNotTheOneAskedFor() {
        bank.transfer(new Transfer(1, 0, 3, 5, 11));
        ledger.leaveOpen(FIRST);
        assertFound("not asked for", bank.statement());
    }

    @Test
    void aTransferWithoutAnAnswerMayBeThereOrNot() {
        ledger.leaveOpen(FIRST);
        ledger.leaveOpen(SECOND);
        bank.transfer(SECOND);
        assertEquals(List.of(), ledger.check(bank.statement()).sentences());
        assertEquals(1, ledger.settled());
        // A performed transfer remains performed, and another one is not performed later.
        assertEquals(1, ledger.check(new VolatileBank(SCALE).statement()).lost());
        bank.transfer(FIRST);
        assertFound("known not to have been made", bank.statement());
    }

    @Test
    void halfATransfer() {
        transfer(FIRST);
        Statement half = bank.statement();
        half.accounts()[3] -= 10;
        assertEquals(-10, ledger.check(half).difference());
        assertFound("sum of all accounts", half);
        assertFound("account 3 has 1000, and by its history 1010", half);
        assertFound("branch 1 has 2010, and by the sum of its accounts 2000", half);
    }

    @Test
    void aTransferThatIsNotInTheHistory() {
        transfer(FIRST);
        Ledger.Findings findings = ledger.check(with(bank.statement(), List.of()));
        assertEquals(1, findings.lost());
        // Two accounts, two tellers and two branches.
        assertEquals(6, findings.wrong());
        assertEquals(0, findings.difference());
    }

    @Test
    void aTellerAndABranchThatDiffer() {
        Statement statement = bank.statement();
        statement.tellers()[12]++;
        assertFound("teller 12 has 1, and by its history 0", statement);
        assertFound("branch 1 has 2000, and by the sum of its tellers 2001", statement);
    }

    @Test
    void whatTheStoreFindsWrong() {
        Statement s = bank.statement();
        assertFound("page 7 is torn", new Statement(s.accounts(), s.tellers(), s.branches(), s.history(),
                List.of("page 7 is torn")));
    }

    @Test
    void anEmptyBank() {
        assertFound("0 balances, not 4", new Statement(new long[0], new long[0], new long[0], List.of(), List.of()));
    }

    @Test
    void aStatementIsReadAsItWasWritten() throws IOException {
        transfer(FIRST);
        Statement s = bank.statement();
        StringWriter text = new StringWriter();
        new Statement(s.accounts(), s.tellers(), s.branches(), s.history(), List.of("two\nlines")).write(text);
        Statement read = Statement.read(new BufferedReader(new StringReader(text.toString())));
        assertEquals(List.of("two lines"), read.problems());
        assertEquals(List.of(), ledger.check(with(new Statement(read.accounts(), read.tellers(), read.branches(), List.of(),
                List.of()), read.history())).sentences());
        String early = text.toString().substring(0, text.toString().length() / 2);
        assertThrows(IOException.class, () -> Statement.read(new BufferedReader(new StringReader(early))));
    }
}
