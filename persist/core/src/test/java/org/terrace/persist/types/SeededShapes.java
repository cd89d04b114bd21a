// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Random;

/** Gives skip lists and treaps the same shapes in each run of a test, until it is closed. */
public final class SeededShapes implements AutoCloseable {

    public SeededShapes(long seed) {
        RandomShape.seed(new Random(seed));
    }

    @Override
    public void close() {
        RandomShape.seed(null);
    }
}
