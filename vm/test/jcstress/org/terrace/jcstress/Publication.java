// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Tests that a thread that reads a volatile store also sees the stores before it. */
@JCStressTest
@Outcome(id = {"0, 0", "0, 1", "1, 1"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class Publication {
    private final Cell cell = Cell.next();

    @Actor
    public void writer() {
        cell.x = 1;
        cell.flag = 1;
    }

    @Actor
    public void reader(II_Result r) {
        r.r1 = cell.flag;
        r.r2 = cell.x;
    }
}
