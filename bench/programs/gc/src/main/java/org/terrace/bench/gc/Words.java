// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.util.SplittableRandom;

/** Generated words. As in natural languages, the n-th word of the vocabulary is 1/n as frequent as the first. */
final class Words {

    private static final long SEED = 42;
    private static final int SHORTEST = 3;
    private static final int LONGEST = 12;

    private final String[] vocabulary;
    private final double[] upTo;

    Words(int count) {
        vocabulary = new String[count];
        upTo = new double[count];
        SplittableRandom random = new SplittableRandom(SEED);
        double sum = 0;
        for (int i = 0; i < count; i++) {
            vocabulary[i] = word(random);
            sum += 1.0 / (i + 1);
            upTo[i] = sum;
        }
    }

    private static String word(SplittableRandom random) {
        char[] letters = new char[random.nextInt(SHORTEST, LONGEST)];
        for (int i = 0; i < letters.length; i++) {
            letters[i] = (char) ('a' + random.nextInt(26));
        }
        return new String(letters);
    }

    String next(SplittableRandom random) {
        double wanted = random.nextDouble() * upTo[upTo.length - 1];
        int low = 0;
        int high = upTo.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (upTo[middle] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return vocabulary[low];
    }

    /** Returns {@code count} words separated by spaces. */
    String text(SplittableRandom random, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : " ").append(next(random));
        }
        return text.toString();
    }
}
