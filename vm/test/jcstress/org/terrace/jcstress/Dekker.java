// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Tests that volatile stores and loads have a total order. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class Dekker {
    private final Cell cell = Cell.next();

    @Actor
    public void first(II_Result r) {
        cell.flag = 1;
        r.r1 = cell.other;
    }

    @Actor
    public void second(II_Result r) {
        cell.other = 1;
        r.r2 = cell.flag;
    }
}
