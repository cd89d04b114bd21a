// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Tests that exactly one of two concurrent compare-and-set operations succeeds. */
@JCStressTest
@Outcome(id = {"true, false, 1", "false, true, 2"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class CompareAndSet {
    private final Cell cell = Cell.next();

    @Actor
    public void first(ZZI_Result r) {
        r.r1 = Cell.X.compareAndSet(cell, 0, 1);
    }

    @Actor
    public void second(ZZI_Result r) {
        r.r2 = Cell.X.compareAndSet(cell, 0, 2);
    }

    @Arbiter
    public void arbiter(ZZI_Result r) {
        r.r3 = cell.x;
    }
}
