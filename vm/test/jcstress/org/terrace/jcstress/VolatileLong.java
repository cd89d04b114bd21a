// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** Tests that a volatile long is read atomically. */
@JCStressTest
@Outcome(id = {"0", "-1"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class VolatileLong {
    private final Cell cell = Cell.next();

    @Actor
    public void writer() {
        cell.volatileWide = -1;
    }

    @Actor
    public void reader(J_Result r) {
        r.r1 = cell.volatileWide;
    }
}
