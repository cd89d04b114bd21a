// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.SplittableRandom;

/** Keeps 400 MB of values and answers requests for them. Argument: for how many seconds. */
public class Service {
    static final int VALUES = 400_000;

    public static void main(String[] args) {
        byte[][] values = new byte[VALUES][];
        SplittableRandom random = new SplittableRandom(1);
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;
        long requests = 0;
        for (; System.nanoTime() < end; requests++) {
            // Most requests are for a few values.
            int key = (int) (VALUES * Math.pow(random.nextDouble(), 8));
            if (requests < VALUES) {
                values[(int) requests] = new byte[1000];
            } else if (values[key][0]++ == 0) {
                values[key] = new byte[1000];
            }
        }
        System.out.println("served " + (requests - VALUES) + " requests");
    }
}
