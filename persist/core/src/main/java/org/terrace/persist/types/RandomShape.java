// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/** Random numbers for the heights of skip lists and the priorities of treaps. A test can seed them to get the same shapes again. */
final class RandomShape {

    private static volatile Random seeded;     // null except in tests

    private RandomShape() {
    }

    static int next() {
        Random source = seeded;
        return source == null ? ThreadLocalRandom.current().nextInt() : source.nextInt();
    }

    /** Uses the numbers of {@code source} from now on, or with null those of the calling threads. */
    static void seed(Random source) {
        seeded = source;
    }
}
