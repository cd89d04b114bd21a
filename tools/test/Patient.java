// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.terrace.SecondHeap;

/**
 * Programs that use a second heap badly, each in its own way, and one healthy program. They print {@code ready} and run
 * until they are killed.
 */
public class Patient {
    private static volatile Object sink;
    private static final List<Object> LEFT_ALONE = new ArrayList<>();

    public static void main(String[] args) {
        switch (args[0]) {
            case "crowded": crowded(megabytes(args[1])); break;
            case "thrashing": thrashing(megabytes(args[1])); break;
            case "referring": referring(megabytes(args[1])); break;
            case "pinned": pinned(megabytes(args[1])); break;
            case "replacing": replacing(megabytes(args[1])); break;
            case "half-filled": halfFilled(megabytes(args[1])); break;
            case "healthy": healthy(megabytes(args[1])); break;
            default: throw new IllegalArgumentException(args[0]);
        }
    }

    private static int megabytes(String text) {
        return Integer.parseInt(text);
    }

    /** Most of H1 is alive and not tagged. */
    private static void crowded(int megabytes) {
        moved(1, 1);
        byte[][] live = block(megabytes);
        ready();
        Random random = new Random(1);
        while (true) {
            byte[] row = new byte[1024];
            live[random.nextInt(live.length)] = row;
        }
    }

    /**
     * Reads single rows all over an H2 that exceeds memory. A part with another label is not accessed. There are
     * several threads, because on a busy machine a thread waits more for a processor than for pages.
     */
    private static void thrashing(int megabytes) {
        List<byte[][]> blocks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            LEFT_ALONE.add(moved(2, 5));
        }
        for (int i = 0; i < megabytes / 5; i++) {
            blocks.add((byte[][]) moved(1, 5));
        }
        for (int seed = 0; seed < 8; seed++) {
            Random random = new Random(seed);
            new Thread(() -> readForEver(blocks, random)).start();
        }
        ready();
    }

    private static void readForEver(List<byte[][]> blocks, Random random) {
        long sum = 0;
        while (true) {
            byte[][] block = blocks.get(random.nextInt(blocks.size()));
            sum += block[random.nextInt(block.length)][0];
            sink = sum;
        }
    }

    /** Arrays of a megabyte, two of which do not fit into a region of two because of their headers. */
    private static void halfFilled(int megabytes) {
        byte[][] arrays = new byte[megabytes][1 << 20];
        SecondHeap.tagRoot(arrays, 1);
        SecondHeap.move(1);
        SecondHeap.transfer();
        ready();
        while (true) {
            sink = arrays[0];
        }
    }

    /** Every row in H2 refers to one of many objects that were created later and stay in H1. */
    private static void referring(int megabytes) {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < megabytes << 10; i++) {
            rows.add(new Object[251]);
        }
        SecondHeap.tagRoot(rows, 1);
        SecondHeap.move(1);
        SecondHeap.transfer();
        int[][] late = new int[1000][1];
        for (int i = 0; i < rows.size(); i++) {
            rows.get(i)[0] = late[i % late.length];
        }
        ready();
        while (true) {
            System.gc();
        }
    }

    /**
     * Groups that die at different times have one label and are much smaller than a region. In each region, two of five
     * groups are dead.
     */
    private static void pinned(int megabytes) {
        List<Object> groups = new ArrayList<>();
        SecondHeap.move(1);
        while (SecondHeap.statistics().getFailedTransfers() == 0) {
            byte[][] group = block(1);
            SecondHeap.tagRoot(group, 1);
            groups.add(group);
            SecondHeap.transfer();
        }
        for (int i = 0; i < groups.size(); i++) {
            if (i % 5 < 2) {
                groups.set(i, null);
            }
        }
        sink = groups;
        Object[] due = new Object[megabytes];
        ready();
        for (int i = 0; ; i++) {
            byte[][] group = block(1);
            SecondHeap.tagRoot(group, 1);
            due[i % megabytes] = group;
            SecondHeap.transfer();
        }
    }

    /** Allocates more than H1 can hold, without hints, and replaces all of it again and again. */
    private static void replacing(int megabytes) {
        byte[][] rows = block(megabytes);
        ready();
        Random random = new Random(1);
        while (true) {
            rows[random.nextInt(rows.length)] = new byte[1004];
        }
    }

    /** Moves and reads whole structures, while H1 has free space. */
    private static void healthy(int megabytes) {
        List<byte[][]> blocks = new ArrayList<>();
        for (int i = 0; i < megabytes / 5; i++) {
            blocks.add((byte[][]) moved(1, 5));
        }
        ready();
        long sum = 0;
        while (true) {
            for (byte[][] block : blocks) {
                for (byte[] row : block) {
                    sum += row[0];
                }
            }
            sink = sum;
        }
    }

    private static byte[][] block(int megabytes) {
        byte[][] rows = new byte[megabytes << 10][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = new byte[1004];
        }
        return rows;
    }

    private static Object moved(long label, int megabytes) {
        Object root = block(megabytes);
        SecondHeap.tagRoot(root, label);
        SecondHeap.move(label);
        SecondHeap.transfer();
        return root;
    }

    private static void ready() {
        System.out.println("ready");
    }
}
