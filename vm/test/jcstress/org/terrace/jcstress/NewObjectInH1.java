// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Tests that an object in H1 stays alive and has its final fields when it is reached through an object in H2. */
@JCStressTest
@Outcome(id = {"-1, -1", "42, 43"}, expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN)
@State
public class NewObjectInH1 {
    private final Cell cell = Cell.next();

    private static final class Box {
        final int first;
        final int[] second;

        Box() {
            first = 42;
            second = new int[] { 43 };
        }
    }

    @Actor
    public void writer() {
        cell.reference = new Box();
    }

    @Actor
    public void reader(II_Result r) {
        Box box = (Box) cell.reference;
        r.r1 = box == null ? -1 : box.first;
        r.r2 = box == null ? -1 : box.second[0];
    }
}
