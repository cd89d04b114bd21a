// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.bank;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The complete contents of a bank: balances in cents, by number, and the history in the bank's order.
 *
 * @param problems inconsistencies that the store has found in itself, as sentences
 */
record Statement(long[] accounts, long[] tellers, long[] branches, List<Transfer> history, List<String> problems) {

    void write(Writer out) throws IOException {
        for (long[] balances : List.of(accounts, tellers, branches)) {
            write(out, Arrays.stream(balances).mapToObj(Long::toString).toList());
        }
        write(out, history.stream().map(Transfer::text).toList());
        write(out, problems.stream().map(problem -> problem.replace('\n', ' ')).toList());
    }

    private static void write(Writer out, List<String> lines) throws IOException {
        out.append(lines.size() + "\n");
        for (String line : lines) {
            out.append(line).append('\n');
        }
    }

    static Statement read(BufferedReader in) throws IOException {
        return new Statement(balances(in), balances(in), balances(in), lines(in).stream().map(Transfer::parse).toList(),
                lines(in));
    }

    private static long[] balances(BufferedReader in) throws IOException {
        return lines(in).stream().mapToLong(Long::parseLong).toArray();
    }

    private static List<String> lines(BufferedReader in) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int left = Integer.parseInt(line(in)); left > 0; left--) {
            lines.add(line(in));
        }
        return lines;
    }

    private static String line(BufferedReader in) throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("the statement ends early");
        }
        return line;
    }
}
