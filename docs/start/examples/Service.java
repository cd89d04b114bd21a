// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.SplittableRandom;

/** Keeps 400 MB of values and answers requests for them until it is stopped. Argument: for how many seconds at most. */
public class Service {
    static final int VALUES = 400_000;
    static volatile long served;

    public static void main(String[] args) {
        byte[][] values = new byte[VALUES][];
        SplittableRandom random = new SplittableRandom(1);
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("served " + served + " requests")));
        for (int i = 0; i < VALUES; i++) {
            values[i] = new byte[1000];
        }
        for (; System.nanoTime() < end; served++) {
            // Most requests are for a few values.
            int key = (int) (VALUES * Math.pow(random.nextDouble(), 8));
            if (values[key][0]++ == 0) {
                values[key] = new byte[1000];
            }
        }
    }
}
