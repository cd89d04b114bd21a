// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model.other;

import org.terrace.persist.Persistent;
import org.terrace.persist.transform.model.Shape;

/** A class in another package than its superclass, whose protected fields it uses. */
@Persistent
public class Square extends Shape {
    private int side = 3;
    private int starts;
    private Square self;

    public Square() {
        self = this;
    }

    public Square(int side) {
        super("square of " + side, (long) side * side);
        this.side = side;
        isVisible = side > 0;
    }

    @Override
    protected void started() {
        // Runs before the initializers of this class, as for any Java object.
        starts = side + 1;
    }

    public int side() {
        return side;
    }

    public int starts() {
        return starts;
    }

    public Square self() {
        return self;
    }

    public String rename(String to) {
        String former = name;
        name = to;
        return former;
    }

    public String label() {
        java.util.function.Supplier<String> label = () -> name + (isVisible ? "" : ", hidden");
        return label.get();
    }
}
