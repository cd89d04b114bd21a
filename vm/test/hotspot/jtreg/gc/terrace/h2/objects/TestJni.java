// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestJni
 * @summary JNI references follow objects to H2. Native methods store into objects in H2, lock them and hold their elements
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm/native -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m
 *                          -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                          -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                          gc.terrace.h2.objects.TestJni
 * @run main/othervm/native -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -Xcheck:jni
 *                          gc.terrace.h2.objects.TestJni
 * @run main/othervm/native -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -XX:-UseCompressedOops -XX:ParallelGCThreads=4
 *                          -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                          gc.terrace.h2.objects.TestJni
 * @run main/othervm/native -Xmx128m -XX:AllocateH2At=. -XX:H2Size=256m -Xcomp
 *                          -XX:CompileCommand=compileonly,gc.terrace.h2.objects.TestJni::*
 *                          gc.terrace.h2.objects.TestJni
 */

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestJni {

    static {
        System.loadLibrary("TestJni");
    }

    static final class Node {
        static Object shared = new Object[] { "reachable from a static field" };

        final int id;
        Object next;

        Node(int id) {
            this.id = id;
        }
    }

    // A long is a global or weak global reference. 0 is null.

    private static native long global(Object object);

    private static native long weakGlobal(Object object);

    private static native void deleteGlobal(long global);

    private static native void deleteWeakGlobal(long weak);

    private static native Object resolve(long either);

    private static native boolean isSame(long one, long other);

    /** Runs {@code between} while a native frame refers to the elements, and returns the objects that it refers to afterwards. */
    private static native Object[] holdLocals(Object[] objects, Runnable between);

    private static native Node make(Class<?> type, int id);

    private static native void storeInField(Node node, int id);

    private static native void storeInElement(Object[] array, int index, Class<?> type, int id);

    private static native Object getShared(Class<?> type);

    private static native void setShared(Class<?> type, Object value);

    /** Runs {@code between} while a native frame has a copy of the elements. Then adds to the copy and writes it back. */
    private static native void addToElements(int[] array, int summand, boolean discard, Runnable between);

    /** In a critical section, waits until a transfer is requested and a second longer, and then fills the array. */
    private static native boolean fillDuringTransfer(int[] array, int first);

    private static native boolean isHeld();

    private static native void askingForTransfer();

    private static native void enter(Object object);

    private static native void exit(Object object);

    public static void main(String[] args) throws Exception {
        requireH2();
        globals();
        globalsKeepAlive();
        weakGlobalsDie(false);
        weakGlobalsDie(true);
        weakGlobalsInLiveRegions();
        weakGlobalsBehindH2();
        locals();
        stores();
        classesAndStatics();
        copiesOfElements();
        criticalSections();
        monitors();
    }

    private static void globals() {
        Tree tree = Tree.make(300, 1);
        Object[] objects = parts(tree);
        long[] before = refer(objects);
        moveToH2(tree);
        checkReferences(before, objects);
        long[] after = refer(objects);
        for (int round = 0; round < 3; round++) {
            checkReferences(before, objects);
            checkReferences(after, objects);
            minorGC();
            checkReferences(before, objects);
            majorGC();
        }
        for (int i = 0; i < before.length; i++) {
            assertTrue(isSame(before[i], after[i]), "references " + i + " from before and after the move differ");
            assertTrue(isSame(before[i], after[i ^ 1]), "the weak and the strong reference " + i + " differ");
            assertTrue(!isSame(before[i], after[i ^ 2]), "references " + i + " to two objects are the same");
            assertTrue(!isSame(before[i], 0), "reference " + i + " is null");
        }
        delete(before);
        majorGC();
        checkReferences(after, objects);
        delete(after);
        tree.check(300, 1);
    }

    /** Returns the root and all objects in the tree. */
    private static Object[] parts(Tree tree) {
        List<Object> parts = new ArrayList<>();
        tree.forEach(node -> Collections.addAll(parts, node, node.name, node.numbers, node.boxes));
        return parts.toArray();
    }

    /** Makes a global and a weak global reference to each object. */
    private static long[] refer(Object[] objects) {
        long[] references = new long[2 * objects.length];
        for (int i = 0; i < references.length; i += 2) {
            references[i] = global(objects[i / 2]);
            references[i + 1] = weakGlobal(objects[i / 2]);
        }
        return references;
    }

    private static void checkReferences(long[] references, Object[] objects) {
        for (int i = 0; i < references.length; i++) {
            assertSame(resolve(references[i]), objects[i / 2], "what reference " + i + " refers to");
            assertInH2(resolve(references[i]), "what reference " + i + " refers to");
        }
    }

    private static void delete(long[] references) {
        for (int i = 0; i < references.length; i += 2) {
            deleteGlobal(references[i]);
            deleteWeakGlobal(references[i + 1]);
        }
    }

    // The only reference to an inner object is a global one.
    private static void globalsKeepAlive() {
        long inner = referToInner(tagged(Tree.make(40, 2)));
        minorGC();
        SecondHeap.transfer();
        for (int round = 0; round < 3; round++) {
            Tree root = ((Tree) resolve(inner)).root;
            root.check(40, 2);
            assertInH2(root, "a root that a global reference keeps");
            root.assertInH2();
            minorGC();
            majorGC();
        }
        deleteGlobal(inner);
    }

    private static long referToInner(Tree tree) {
        return global(tree.left.right);
    }

    private static <T> T tagged(T root) {
        long label = freshLabel();
        SecondHeap.tagRoot(root, label);
        SecondHeap.move(label);
        return root;
    }

    // Each moved object has a region to itself, so it can die.
    private static void weakGlobalsDie(boolean moved) {
        long[] references = referToNew(moved);
        for (int round = 0; round < 3; round++) {
            minorGC();
            majorGC();
            checkNew(references, moved);
        }
        deleteGlobal(references[0]);
        // During the first collection, a frame may still have a reference.
        minorGC();
        majorGC();
        majorGC();
        for (int i = 1; i < references.length; i++) {
            String what = "weak reference " + i + " to an unreachable object" + (moved ? " in H2" : "");
            assertTrue(isSame(references[i], 0), what + " is not cleared");
            assertSame(resolve(references[i]), null, what);
            deleteWeakGlobal(references[i]);
        }
    }

    /** Makes a global reference to the left node of a new tree, and weak ones to the left node, the root and an array. */
    private static long[] referToNew(boolean moved) {
        Tree tree = Tree.make(20, 3);
        long early = weakGlobal(tree.left);
        if (moved) {
            moveToH2(tree);
        }
        return new long[] { global(tree.left), early, weakGlobal(tree.left), weakGlobal(tree), weakGlobal(tree.boxes) };
    }

    private static void checkNew(long[] references, boolean moved) {
        Tree root = (Tree) resolve(references[3]);
        root.check(20, 3);
        if (moved) {
            root.assertInH2();
        } else {
            root.assertInH1();
        }
        assertTrue(isSame(references[0], references[1]), "an early weak reference differs from the strong one");
        assertTrue(isSame(references[0], references[2]), "a weak reference differs from the strong one");
        assertSame(resolve(references[1]), root.left, "what the early weak reference refers to");
        assertSame(resolve(references[4]), root.boxes, "the array of a weak reference");
    }

    // Nothing else refers to the object, but its region is alive. The reference yields null or an intact object.
    private static void weakGlobalsInLiveRegions() {
        Object[] trees = { Tree.make(20, 4), Tree.make(20, 5) };
        moveToH2(trees);
        long weak = weakGlobal(trees[1]);
        trees[1] = null;
        for (int round = 0; round < 3; round++) {
            minorGC();
            majorGC();
            Tree tree = (Tree) resolve(weak);
            if (tree != null) {
                tree.check(20, 5);
                tree.assertInH2();
                trees[1] = tree;
                majorGC();
                assertSame(resolve(weak), tree, "what is reachable again");
                trees[1] = null;
            }
        }
        ((Tree) trees[0]).check(20, 4);
        deleteWeakGlobal(weak);
    }

    // The only strong path leads from H1 to H2 and back to H1.
    private static void weakGlobalsBehindH2() {
        Object[] holder = moveToH2(new Object[200]);
        long[] references = new long[holder.length];
        for (int i = 0; i < holder.length; i++) {
            holder[i] = Tree.make(2, 100 + i);
            references[i] = weakGlobal(holder[i]);
        }
        for (int round = 0; round < 3; round++) {
            minorGC();
            majorGC();
            for (int i = 0; i < holder.length; i++) {
                assertSame(resolve(references[i]), holder[i], "what weak reference " + i + " refers to");
                ((Tree) holder[i]).check(2, 100 + i);
            }
        }
        for (int i = 0; i < holder.length; i += 2) {
            holder[i] = null;
        }
        majorGC();
        for (int i = 0; i < holder.length; i++) {
            assertTrue(isSame(references[i], 0) == (i % 2 == 0), "weak reference " + i + " behind H2 is wrong");
            deleteWeakGlobal(references[i]);
        }
    }

    private static void locals() {
        Tree tree = Tree.make(50, 6);
        Object[] objects = parts(tree);
        Object[] held = holdLocals(objects, () -> {
            moveToH2(tree);
            minorGC();
            majorGC();
        });
        tree.assertInH2();
        assertAllSame(held, objects);

        // Only the local references refer to the tree while it moves, and afterwards.
        Object[] others = parts(tagged(Tree.make(50, 7)));
        held = holdLocals(others, () -> {
            Arrays.fill(others, null);
            minorGC();
            SecondHeap.transfer();
            majorGC();
        });
        Tree root = (Tree) held[0];
        root.check(50, 7);
        root.assertInH2();
        assertAllSame(held, parts(root));
    }

    private static void assertAllSame(Object[] held, Object[] expected) {
        assertEquals(held.length, expected.length, "local references");
        for (int i = 0; i < held.length; i++) {
            assertSame(held[i], expected[i], "what local reference " + i + " referred to");
        }
    }

    // Native code creates objects in H1 and stores them in H2, which must mark the cards.
    private static void stores() {
        Node node = moveToH2(new Node(-1));
        Object[] array = moveToH2(new Object[5000]);
        for (int i = 0; i < 200; i++) {
            storeInField(node, i);
            storeInElement(array, 17 * i, Node.class, i);
            assertInH1(node.next, "what native code made");
            if (i % 10 == 0) {
                minorGC();
            }
            if (i % 50 == 0) {
                majorGC();
            }
            assertEquals(((Node) node.next).id, i, "the node that native code stored in a field");
            for (int k = 0; k <= i; k++) {
                assertEquals(((Node) array[17 * k]).id, k, "the node that native code stored in element " + 17 * k);
            }
        }
        // Native code links nodes to chains that begin in H2.
        storeInField((Node) node.next, 300);
        storeInField((Node) ((Node) node.next).next, 301);
        minorGC();
        majorGC();
        assertEquals(((Node) ((Node) ((Node) node.next).next).next).id, 301, "the end of the chain");
    }

    private static void classesAndStatics() {
        Object shared = Node.shared;
        Object[] holder = { Node.class, shared, new Node(8) };
        long type = global(Node.class);
        long weakType = weakGlobal(Node.class);
        long object = global(shared);
        moveToH2(holder);
        for (int round = 0; round < 3; round++) {
            assertSame(resolve(type), Node.class, "the class of a global reference");
            assertSame(resolve(weakType), Node.class, "the class of a weak reference");
            assertInH1(resolve(type), "a class");
            assertSame(resolve(object), shared, "the object of a static field");
            assertInH1(resolve(object), "the object of a static field");
            assertSame(getShared((Class<?>) resolve(type)), shared, "the static field");
            assertSame(holder[1], shared, "the element that the static field has, too");
            assertEquals(make((Class<?>) resolve(weakType), round).id, round, "the id of what was made by reference");
            minorGC();
            majorGC();
        }
        setShared((Class<?>) resolve(type), holder);
        holder = null;
        minorGC();
        majorGC();
        Object[] moved = (Object[]) Node.shared;
        assertInH2(moved, "what native code stored in a static field");
        assertEquals(((Node) moved[2]).id, 8, "the id behind the static field");
        setShared(Node.class, shared);
        deleteGlobal(type);
        deleteWeakGlobal(weakType);
        deleteGlobal(object);
    }

    private static void copiesOfElements() {
        int[] array = numbers(5000, 0);
        addToElements(array, 7, false, () -> {
            moveToH2(array);
            minorGC();
        });
        checkNumbers(array, 7);
        majorGC();
        checkNumbers(array, 7);
        addToElements(array, 1000, false, () -> {
            minorGC();
            majorGC();
        });
        checkNumbers(array, 1007);

        int[] discarded = numbers(5000, 0);
        addToElements(discarded, 7, true, () -> moveToH2(discarded));
        checkNumbers(discarded, 0);
    }

    private static int[] numbers(int length, int first) {
        int[] array = new int[length];
        for (int i = 0; i < length; i++) {
            array[i] = first + i;
        }
        return array;
    }

    private static void checkNumbers(int[] array, int first) {
        for (int i = 0; i < array.length; i++) {
            assertEquals(array[i], first + i, "element " + i);
        }
    }

    private static void criticalSections() throws Exception {
        int[] array = tagged(new int[10_000]);
        transferDuringCriticalSection(array, array, 1000);
        checkNumbers(array, 1000);
        // The held array is in H2, and another array is due.
        int[] other = tagged(numbers(100, 5));
        transferDuringCriticalSection(array, other, 2000);
        checkNumbers(array, 2000);
        checkNumbers(other, 5);
        minorGC();
        majorGC();
        checkNumbers(array, 2000);
    }

    private static void transferDuringCriticalSection(int[] held, int[] due, int first) throws Exception {
        FutureTask<Boolean> transfer = new FutureTask<>(() -> {
            while (!isHeld()) {
                Thread.sleep(1);
            }
            assertState(SecondHeap.State.DUE, due, "an array before the transfer");
            askingForTransfer();
            SecondHeap.transfer();
            return isHeld();
        });
        // Makes free space, so that no thread waits for an earlier collection.
        minorGC();
        Thread thread = new Thread(transfer);
        thread.setDaemon(true);
        thread.start();
        assertTrue(fillDuringTransfer(held, first), "no transfer was asked for during the critical section");
        boolean early = transfer.get();
        assertTrue(STOCK || !early, "the transfer did not wait for the critical section");
        assertInH2(due, "the array that was due during a critical section");
    }

    private static void monitors() throws Exception {
        Object[] lock = tagged(new Object[1]);
        long reference = global(lock);
        enter(lock);
        enter(lock);
        Thread other = new Thread(() -> {
            synchronized (lock) {
                lock[0] = "entered";
            }
        });
        other.start();
        while (other.getState() != Thread.State.BLOCKED) {
            assertTrue(other.isAlive(), "another thread went through the lock");
            Thread.sleep(1);
        }
        SecondHeap.transfer();
        minorGC();
        assertTrue(Thread.holdsLock(lock), "a lock was lost");
        exit(resolve(reference));
        assertTrue(Thread.holdsLock(lock), "a lock was lost on the way back");
        assertSame(lock[0], null, "what was written under the lock by another thread");
        exit(resolve(reference));
        assertTrue(!Thread.holdsLock(lock), "a lock is still held");
        other.join();
        assertEquals(lock[0], "entered", "what the other thread wrote");
        // The lock moves now if it has not moved before.
        SecondHeap.transfer();
        assertInH2(lock, "the lock");
        synchronized (lock) {
            enter(resolve(reference));
            minorGC();
            majorGC();
            exit(lock);
            assertTrue(Thread.holdsLock(lock), "the lock of the enclosing block was lost");
        }
        assertTrue(!Thread.holdsLock(lock), "a lock is still held in H2");
        deleteGlobal(reference);
    }
}
