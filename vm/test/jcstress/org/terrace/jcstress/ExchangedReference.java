// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Tests that a reference is neither lost nor duplicated when two threads exchange it. */
@JCStressTest
@Outcome(id = {"0, 1, 2", "2, 0, 1"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class ExchangedReference {
    private final Cell cell = Cell.next();

    private static int number(Object value) {
        return value == null ? 0 : ((int[]) value)[0];
    }

    @Actor
    public void first(III_Result r) {
        r.r1 = number(Cell.REFERENCE.getAndSet(cell, new int[] { 1 }));
    }

    @Actor
    public void second(III_Result r) {
        r.r2 = number(Cell.REFERENCE.getAndSet(cell, new int[] { 2 }));
    }

    @Arbiter
    public void arbiter(III_Result r) {
        r.r3 = number(cell.reference);
    }
}
