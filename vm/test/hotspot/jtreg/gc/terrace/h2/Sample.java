// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Selects the cases that a test runs. It runs all cases, or, if the environment has a seed, a random sample of them.
 *
 * <p>{@code ./terrace test} sets TERRACE_TEST_SEED to a number of the commit; {@code ./terrace nightly} runs everything.
 */
public final class Sample {

    private static final String SEED = System.getenv("TERRACE_TEST_SEED");

    private Sample() {
    }

    /** Returns at most a number of the cases. */
    public static <T> List<T> of(List<T> cases, int most) {
        if (SEED == null || cases.size() <= most) {
            return cases;
        }
        System.out.println("TERRACE_TEST_SEED=" + SEED + ": " + most + " of " + cases.size());
        List<T> shuffled = new ArrayList<>(cases);
        Collections.shuffle(shuffled, new Random(Long.parseLong(SEED)));
        return shuffled.subList(0, most);
    }

    /** Returns how often, or for how many seconds, a test repeats random work: the given number, or half if the environment has a seed. */
    public static int part(int all) {
        return SEED == null ? all : (all + 1) / 2;
    }
}
