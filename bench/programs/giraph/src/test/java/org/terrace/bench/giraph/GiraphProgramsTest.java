// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that each program has the result of a plain implementation. */
class GiraphProgramsTest extends ProgramsInProcesses {

    @BeforeAll
    static void startAll() throws IOException {
        startAll(10, 5, System.getProperty("java.home"), List.of());
    }

    @ParameterizedTest
    @EnumSource
    void aPlainProgramGetsTheSame(Program program) throws Exception {
        processes.right(program);
    }

    @Test
    void aLabelIsTheLeastOfTheMostFrequent() {
        assertEquals(3, Communities.mostFrequent(new long[] {7, 3, 9, 3, 7, 1}, 6));
        assertEquals(1, Communities.mostFrequent(new long[] {7, 3, 9, 1, 1, 1}, 4));
        assertEquals(5, Communities.mostFrequent(new long[] {5}, 1));
    }
}
