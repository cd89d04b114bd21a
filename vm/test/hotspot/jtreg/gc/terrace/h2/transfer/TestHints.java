// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestHints
 * @summary Tagging, moving and holding: due structures move with all reachable objects, and no other objects move
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.transfer.TestHints
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestHints
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                   -Xint -XX:-UseCompressedOops -XX:ParallelGCThreads=1
 *                   gc.terrace.h2.transfer.TestHints
 */

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

public class TestHints {

    private static final int SIZE = 500;

    public static void main(String[] args) throws Exception {
        requireH2();
        everythingReachableMoves();
        aTagAloneMovesNothing();
        moveIsSticky();
        holdTakesMoveBack();
        untaggedStays();
        theLastLabelWins();
        labelsAreExact();
        taggingInH2DoesNothing();
        aTagKeepsNothingAlive();
        aTagFollowsItsObject();
        sharedPartsMoveOnce();
        rootsOfAllShapes();
        manyRootsOfManyLabels();
        nullIsRefused();
    }

    private static void everythingReachableMoves() {
        long label = freshLabel();
        Tree tree = Tree.make(SIZE, label);
        assertState(State.IN_H1, tree, "an untagged tree");
        SecondHeap.tagRoot(tree, label);
        assertState(State.IN_H1, tree, "a tagged tree");
        SecondHeap.move(label);
        assertState(State.DUE, tree, "a tree whose label is due");
        assertState(State.IN_H1, tree.left, "what a due root reaches");
        SecondHeap.transfer();
        tree.assertInH2();
        tree.check(SIZE, label);
        majorGC();
        minorGC();
        tree.assertInH2();
        tree.check(SIZE, label);
    }

    private static void aTagAloneMovesNothing() {
        long label = freshLabel();
        Tree tree = Tree.make(SIZE, label);
        SecondHeap.tagRoot(tree, label);
        SecondHeap.transfer();
        majorGC();
        tree.assertInH1();
        tree.check(SIZE, label);
    }

    private static void moveIsSticky() {
        long label = freshLabel();
        SecondHeap.move(label);
        for (int i = 0; i < 3; i++) {
            Tree tree = Tree.make(SIZE, i);
            SecondHeap.tagRoot(tree, label);
            assertState(State.DUE, tree, "a tree tagged with a label that is due, number " + i);
            majorGC();
            tree.assertInH2();
            tree.check(SIZE, i);
        }
    }

    private static void holdTakesMoveBack() {
        long label = freshLabel();
        Tree tree = Tree.make(SIZE, label);
        SecondHeap.tagRoot(tree, label);
        SecondHeap.move(label);
        SecondHeap.hold(label);
        assertState(State.IN_H1, tree, "a tree whose label is held");
        SecondHeap.transfer();
        tree.assertInH1();
        SecondHeap.move(label);
        assertState(State.DUE, tree, "a tree whose label is due again");
        SecondHeap.transfer();
        tree.assertInH2();
        tree.check(SIZE, label);
    }

    private static void untaggedStays() {
        long label = freshLabel();
        Tree tree = Tree.make(SIZE, label);
        SecondHeap.untag(tree);
        SecondHeap.tagRoot(tree, label);
        SecondHeap.move(label);
        SecondHeap.untag(tree);
        assertState(State.IN_H1, tree, "an untagged tree");
        SecondHeap.transfer();
        tree.assertInH1();
        SecondHeap.tagRoot(tree, label);
        SecondHeap.transfer();
        tree.assertInH2();
        tree.check(SIZE, label);
    }

    private static void theLastLabelWins() {
        long first = freshLabel();
        long last = freshLabel();
        Tree tree = Tree.make(SIZE, last);
        SecondHeap.tagRoot(tree, first);
        SecondHeap.tagRoot(tree, last);
        SecondHeap.move(first);
        assertState(State.IN_H1, tree, "a tree whose former label is due");
        SecondHeap.transfer();
        tree.assertInH1();
        SecondHeap.move(last);
        assertState(State.DUE, tree, "a tree whose last label is due");
        SecondHeap.transfer();
        tree.assertInH2();
        tree.check(SIZE, last);
    }

    private static void labelsAreExact() {
        long[] labels = { 0, -1, 1, Long.MIN_VALUE + 16, Long.MAX_VALUE, 1L << 32, 0xffffffffL };
        Tree[] trees = new Tree[labels.length];
        for (int i = 0; i < labels.length; i++) {
            trees[i] = Tree.make(SIZE, i);
            SecondHeap.tagRoot(trees[i], labels[i]);
        }
        for (int due = 0; due < labels.length; due++) {
            SecondHeap.move(labels[due]);
            SecondHeap.transfer();
            for (int i = 0; i < labels.length; i++) {
                assertState(i <= due ? State.IN_H2 : State.IN_H1, trees[i], "the tree of label " + labels[i]);
                trees[i].check(SIZE, i);
            }
        }
    }

    private static void taggingInH2DoesNothing() {
        long label = freshLabel();
        Tree tree = moveToH2(Tree.make(SIZE, 7));
        SecondHeap.tagRoot(tree, label);
        SecondHeap.move(label);
        SecondHeap.tagRoot(tree.left, label);
        assertState(State.IN_H2, tree, "a tree that was tagged in H2");
        SecondHeap.transfer();
        SecondHeap.untag(tree);
        assertState(State.IN_H2, tree, "a tree that was untagged in H2");
        SecondHeap.hold(label);
        majorGC();
        tree.assertInH2();
        tree.check(SIZE, 7);
    }

    private static void aTagKeepsNothingAlive() throws Exception {
        List<WeakReference<Tree>> dropped = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            dropped.add(taggedGarbage(i % 2 == 0));
        }
        SecondHeap.transfer();
        majorGC();
        for (WeakReference<Tree> reference : dropped) {
            assertTrue(reference.get() == null, "a tag kept its object alive");
        }
    }

    private static WeakReference<Tree> taggedGarbage(boolean due) {
        long label = freshLabel();
        Tree tree = Tree.make(20, label);
        SecondHeap.tagRoot(tree, label);
        if (due) {
            SecondHeap.move(label);
        }
        return new WeakReference<>(tree);
    }

    // Roots travel through the survivor spaces and the old generation before their label is due.
    private static void aTagFollowsItsObject() {
        int count = 64;
        long label = freshLabel();
        Tree[] trees = new Tree[count];
        for (int i = 0; i < count; i++) {
            trees[i] = Tree.make(50, i);
            SecondHeap.tagRoot(trees[i], i % 2 == 0 ? label : freshLabel());
            if (i % 8 == 0) {
                minorGC();
            }
        }
        majorGC();
        minorGC(2);
        SecondHeap.move(label);
        for (int i = 0; i < count; i++) {
            assertState(i % 2 == 0 ? State.DUE : State.IN_H1, trees[i], "tree " + i);
        }
        SecondHeap.transfer();
        for (int i = 0; i < count; i++) {
            assertState(i % 2 == 0 ? State.IN_H2 : State.IN_H1, trees[i], "tree " + i);
            trees[i].check(50, i);
        }
    }

    private static void sharedPartsMoveOnce() {
        Tree shared = Tree.make(SIZE, 1);
        Object[] first = { shared, "first" };
        Object[] second = { shared, "second" };
        long label = freshLabel();
        SecondHeap.tagRoot(first, label);
        SecondHeap.tagRoot(second, freshLabel());
        SecondHeap.tagRoot(shared, freshLabel());
        SecondHeap.move(label);
        SecondHeap.transfer();
        shared.assertInH2();
        assertInH1(second, "a root that shares with a moved one");
        assertSame(first[0], shared, "first[0]");
        assertSame(second[0], shared, "second[0]");
        shared.check(SIZE, 1);
        // Both labels are due at once, and the shared object moves once.
        Tree common = Tree.make(SIZE, 2);
        Object[] third = { common };
        Object[] fourth = { common };
        long one = freshLabel();
        long two = freshLabel();
        SecondHeap.tagRoot(third, one);
        SecondHeap.tagRoot(fourth, two);
        SecondHeap.move(one);
        SecondHeap.move(two);
        SecondHeap.transfer();
        assertInH2(third, "third");
        assertInH2(fourth, "fourth");
        assertSame(third[0], common, "third[0]");
        assertSame(fourth[0], common, "fourth[0]");
        common.assertInH2();
        common.check(SIZE, 2);
    }

    private static void rootsOfAllShapes() {
        int n = (int) freshLabel();
        Runnable lambda = () -> System.out.println("lambda " + n);
        Object[] roots = {
            new Object(), new byte[0], new byte[1], new long[1000], new Object[0], new Object[100], new int[3][4],
            new String("a string of its own " + n), Integer.valueOf(n), new Exception("with a stack trace"), lambda,
            new ArrayList<>(List.of(n, n + 1)), new StringBuilder("builder " + n)
        };
        long label = freshLabel();
        for (Object root : roots) {
            SecondHeap.tagRoot(root, label);
        }
        SecondHeap.move(label);
        SecondHeap.transfer();
        for (Object root : roots) {
            assertInH2(root, "a root");
        }
        assertEquals(roots[7], "a string of its own " + n, "the string");
        assertEquals(roots[8], n, "the box");
        assertEquals(((Exception) roots[9]).getStackTrace()[0].getMethodName(), "rootsOfAllShapes", "the stack trace");
        assertEquals(roots[11], List.of(n, n + 1), "the list");
        lambda.run();
    }

    private static void manyRootsOfManyLabels() {
        int count = 3000;
        int labels = 100;
        long[] label = new long[labels];
        for (int i = 0; i < labels; i++) {
            label[i] = freshLabel();
        }
        Tree[] trees = new Tree[count];
        for (int i = 0; i < count; i++) {
            trees[i] = Tree.make(3, i);
            SecondHeap.tagRoot(trees[i], label[i % labels]);
        }
        for (int i = 0; i < labels; i += 10) {
            SecondHeap.move(label[i]);
        }
        SecondHeap.transfer();
        for (int i = 0; i < count; i++) {
            assertState(i % labels % 10 == 0 ? State.IN_H2 : State.IN_H1, trees[i], "tree " + i);
            trees[i].check(3, i);
        }
    }

    private static void nullIsRefused() {
        Runnable[] calls = {
            () -> SecondHeap.tagRoot(null, 1), () -> SecondHeap.untag(null), () -> SecondHeap.state(null)
        };
        for (Runnable call : calls) {
            try {
                call.run();
            } catch (NullPointerException expected) {
                continue;
            }
            throw new RuntimeException("null was accepted");
        }
    }
}
