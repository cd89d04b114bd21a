// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestCompiledCode
 * @summary Objects move while compiled code refers to them as constants, from frames, inside loops, and in frames that continue
 *          in the interpreter
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 * @build jdk.test.whitebox.WhiteBox
 * @run driver jdk.test.lib.helpers.ClassFileInstaller jdk.test.whitebox.WhiteBox
 *
 * @run main/othervm -Xbootclasspath/a:. -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI
 *                   -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,*TestCompiledCode::*Outside -Xbatch
 *                   -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   gc.terrace.h2.objects.TestCompiledCode
 * @run main/othervm -Xbootclasspath/a:. -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI
 *                   -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,*TestCompiledCode::*Outside -Xbatch
 *                   -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:-TieredCompilation -XX:LoopStripMiningIter=1
 *                   -XX:-UseCompressedOops
 *                   gc.terrace.h2.objects.TestCompiledCode
 * @run main/othervm -Xbootclasspath/a:. -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI
 *                   -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,*TestCompiledCode::*Outside -Xbatch
 *                   -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:TieredStopAtLevel=1
 *                   gc.terrace.h2.objects.TestCompiledCode
 * @run main/othervm -Xbootclasspath/a:. -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI
 *                   -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,*TestCompiledCode::*Outside -Xint
 *                   -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m
 *                   gc.terrace.h2.objects.TestCompiledCode
 */

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicLong;

import jdk.test.whitebox.WhiteBox;
import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestCompiledCode {

    private static final WhiteBox WB = WhiteBox.getWhiteBox();
    private static final boolean COMPILES = !System.getProperty("java.vm.info").contains("interpreted");
    private static final int SIZE = 300;
    private static final int WARM_UP = 20_000;

    public static void main(String[] args) throws Throwable {
        requireH2();
        constants();
        frames();
        loopThatTheInterpreterBegan();
        loopsOverAnArrayThatMoves();
        framesThatReturnToTheInterpreter();
    }

    // The compiler treats the arguments bound to a constant method handle as constants.
    private static final class Constant {
        static final Tree TREE_OF_HANDLE = Tree.make(SIZE, 1);
        static final MethodHandle BOUND = bind();

        static MethodHandle bind() {
            try {
                // A box in between, because objects that static fields refer to stay in H1.
                Object[] box = { TREE_OF_HANDLE.left };
                MethodHandle first = MethodHandles.lookup().findStatic(
                    Constant.class, "first", MethodType.methodType(Object.class, Object[].class));
                return MethodHandles.insertArguments(first, 0, (Object) box);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        static Object first(Object[] box) {
            return box[0];
        }

        static Object get() throws Throwable {
            return BOUND.invoke();
        }
    }

    private static void constants() throws Throwable {
        Method get = Constant.class.getDeclaredMethod("get");
        for (int i = 0; i < WARM_UP; i++) {
            assertTrue(Constant.get() == Constant.TREE_OF_HANDLE.left, "the constant before the move");
        }
        assertCompiled(get);
        Object bound = Constant.get();
        moveToH2(bound);
        for (int i = 0; i < 10; i++) {
            assertSame(Constant.get(), bound, "the constant");
            assertInH2(Constant.get(), "the constant");
            System.gc();
        }
        assertCompiled(get);
        ((Tree) Constant.get()).root.check(SIZE, 1);
    }

    private static void frames() throws Exception {
        Tree unmoved = Tree.make(SIZE, 2);
        for (int i = 0; i < WARM_UP; i++) {
            down(unmoved, unmoved.left, 3, false);
        }
        assertCompiled(TestCompiledCode.class.getDeclaredMethod("down", Tree.class, Tree.class, int.class, boolean.class));
        for (int depth = 1; depth < 60; depth += 7) {
            Tree tree = Tree.make(SIZE, depth);
            long label = freshLabel();
            SecondHeap.tagRoot(tree, label);
            SecondHeap.move(label);
            assertEquals(down(tree, tree.left, depth, true), (long) depth * (tree.id + tree.left.id), "the sum");
            assertInH2(tree, "the tree");
            tree.check(SIZE, depth);
        }
    }

    // Not inlined. A call that was never executed would not be compiled, and the callers would continue in the interpreter.
    private static void transferOutside(boolean move) {
        if (move) {
            SecondHeap.transfer();
        }
    }

    /** Each frame keeps references to both objects while deeper frames run. */
    private static long down(Tree tree, Tree left, int depth, boolean move) {
        if (depth == 0) {
            transferOutside(move);
            return 0;
        }
        long below = down(tree, left, depth - 1, move);
        if (tree.left != left || left.parent != tree) {
            throw new RuntimeException("a frame has lost its objects at depth " + depth);
        }
        return below + tree.id + left.id;
    }

    private static void loopThatTheInterpreterBegan() throws Exception {
        Tree tree = Tree.make(SIZE, 3);
        Tree left = tree.left;
        long label = freshLabel();
        SecondHeap.tagRoot(tree, label);
        SecondHeap.move(label);
        int times = 3_000_000;
        assertEquals(longLoop(tree, left, times), (long) times * (tree.id + left.id), "the sum");
        assertInH2(left, "what the loop had in hand");
        assertTrue(!COMPILES || replaced, "the loop was not compiled while it ran");
    }

    private static boolean replaced;

    private static void turnOutside(int i, int last) throws Exception {
        if (i == last) {
            replaced = WB.isMethodCompiled(
                TestCompiledCode.class.getDeclaredMethod("longLoop", Tree.class, Tree.class, int.class), true);
            SecondHeap.transfer();
        }
    }

    private static long longLoop(Tree tree, Tree left, int times) throws Exception {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            sum += tree.id + left.id;
            if (tree.left != left) {
                throw new RuntimeException("the loop has lost its objects in turn " + i);
            }
            if (i % 1000 == 0) {
                turnOutside(i, times - 1000);
            }
        }
        return sum;
    }

    // Compiled loops hold addresses inside an array.
    private static void loopsOverAnArrayThatMoves() throws Exception {
        // Compiles the method in advance, because the number of calls by the threads below depends on the speed of the machine.
        for (int i = 0; i < WARM_UP; i++) {
            addOne(new int[10]);
        }
        assertCompiled(TestCompiledCode.class.getDeclaredMethod("addOne", int[].class));
        for (int round = 0; round < 12; round++) {
            int[] array = new int[400_000 + round];
            AtomicLong passes = new AtomicLong();
            boolean[] stop = new boolean[1];
            Thread adder = new Thread(() -> {
                while (!stopped(stop)) {
                    addOne(array);
                    passes.incrementAndGet();
                }
            });
            adder.start();
            while (passes.get() < 3) {
                Thread.yield();
            }
            moveToH2(array);
            long after = passes.get() + 2;
            while (passes.get() < after) {
                Thread.yield();
            }
            synchronized (stop) {
                stop[0] = true;
            }
            adder.join();
            for (int i = 0; i < array.length; i++) {
                assertEquals(array[i], passes.get(), "element " + i);
            }
        }
        assertCompiled(TestCompiledCode.class.getDeclaredMethod("addOne", int[].class));
    }

    private static boolean stopped(boolean[] stop) {
        synchronized (stop) {
            return stop[0];
        }
    }

    private static void addOne(int[] array) {
        for (int i = 0; i < array.length; i++) {
            array[i]++;
        }
    }

    /** A class whose instances do not escape. Compiled code has their fields in registers, and deoptimization allocates them. */
    private static final class Pair {
        final Tree first;
        final Tree second;

        Pair(Tree first, Tree second) {
            this.first = first;
            this.second = second;
        }
    }

    private static void framesThatReturnToTheInterpreter() throws Exception {
        Tree unmoved = Tree.make(SIZE, 4);
        for (int i = 0; i < WARM_UP; i++) {
            pairOf(unmoved, false);
        }
        assertCompiled(TestCompiledCode.class.getDeclaredMethod("pairOf", Tree.class, boolean.class));
        Tree tree = Tree.make(SIZE, 5);
        long label = freshLabel();
        SecondHeap.tagRoot(tree, label);
        SecondHeap.move(label);
        assertEquals(pairOf(tree, true), tree.left.id + tree.right.id, "the sum");
        tree.assertInH2();
        tree.check(SIZE, 5);
    }

    private static int pairOf(Tree tree, boolean move) {
        Pair pair = new Pair(tree.left, tree.right);
        deoptimizeOutside(move);
        if (pair.first != tree.left || pair.second != tree.right) {
            throw new RuntimeException("the pair has lost its objects");
        }
        return pair.first.id + pair.second.id;
    }

    private static void deoptimizeOutside(boolean move) {
        if (move) {
            SecondHeap.transfer();
            WB.deoptimizeFrames(true);
            System.gc();
        }
    }

    private static void assertCompiled(Method method) {
        assertTrue(!COMPILES || WB.isMethodCompiled(method), method + " is not compiled");
    }
}
