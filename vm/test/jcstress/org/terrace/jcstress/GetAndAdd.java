// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Tests that no increment is lost. */
@JCStressTest
@Outcome(id = "3", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class GetAndAdd {
    private final Cell cell = Cell.next();

    @Actor
    public void first() {
        Cell.X.getAndAdd(cell, 1);
    }

    @Actor
    public void second() {
        Cell.X.getAndAdd(cell, 2);
    }

    @Arbiter
    public void arbiter(I_Result r) {
        r.r1 = cell.x;
    }
}
