// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Tests that the monitor of an object in H2 provides mutual exclusion. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class Monitor {
    private final Cell cell = Cell.next();

    @Actor
    public void first() {
        synchronized (cell) {
            cell.x++;
        }
    }

    @Actor
    public void second() {
        synchronized (cell) {
            cell.x++;
        }
    }

    @Arbiter
    public void arbiter(I_Result r) {
        r.r1 = cell.x;
    }
}
