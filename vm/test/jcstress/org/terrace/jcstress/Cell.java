// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.jcstress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.terrace.SecondHeap;

/** An object in H2 that the actors of a test share. A background thread runs minor and major collections and transfers. */
final class Cell {

    static final VarHandle X, REFERENCE;
    // More than the number of states that jcstress uses at a time.
    private static final int COUNT = 1 << 17;
    private static final int SHIFT = ThreadLocalRandom.current().nextInt(COUNT);
    private static final Cell[] CELLS = new Cell[COUNT];
    private static final AtomicInteger NEXT = new AtomicInteger(SHIFT);
    private static volatile Object garbage;

    static {
        try {
            X = MethodHandles.lookup().findVarHandle(Cell.class, "x", int.class);
            REFERENCE = MethodHandles.lookup().findVarHandle(Cell.class, "reference", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        for (int i = 0; i < COUNT; i++) {
            CELLS[i] = new Cell();
        }
        SecondHeap.tagRoot(CELLS, 1);
        SecondHeap.move(1);
        SecondHeap.transfer();
        if (SecondHeap.state(CELLS[SHIFT]) != SecondHeap.State.IN_H2) {
            throw new IllegalStateException("the cells are not in H2: is -XX:AllocateH2At on the command line?");
        }
        Thread collector = new Thread(Cell::collect, "collector");
        collector.setDaemon(true);
        collector.start();
    }

    int x;
    int y;
    long wide;
    Object reference;
    volatile int flag;
    volatile int other;
    volatile long volatileWide;

    /** Returns a cleared cell in H2 that no other test uses now. */
    static Cell next() {
        Cell cell = CELLS[NEXT.getAndIncrement() & (COUNT - 1)];
        cell.x = cell.y = 0;
        cell.wide = 0;
        cell.reference = null;
        cell.flag = cell.other = 0;
        cell.volatileWide = 0;
        return cell;
    }

    private static void collect() {
        for (long label = 2;; label++) {
            Object[] moved = new Object[1000];
            for (int i = 0; i < moved.length; i++) {
                moved[i] = new byte[100];
            }
            SecondHeap.tagRoot(moved, label);
            SecondHeap.move(label);
            SecondHeap.transfer();
            for (int i = 0; i < 10_000; i++) {
                garbage = new byte[1000];   // minor collections
            }
        }
    }
}
