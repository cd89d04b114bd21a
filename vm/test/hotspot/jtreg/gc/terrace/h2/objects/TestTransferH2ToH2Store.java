// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferH2ToH2Store
 * @summary A reference stored from one H2 region into another after the move keeps the other region alive, whatever kind of store
 *          it was and whichever collections came in between
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.unsupported
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferH2ToH2Store
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:ParallelGCThreads=1
 *                   gc.terrace.h2.objects.TestTransferH2ToH2Store
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:ParallelGCThreads=4
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferH2ToH2Store
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -Xint
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferH2ToH2Store
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=1g -XX:H2RegionSize=2m -XX:TieredStopAtLevel=1
 *                   -XX:-UseCompressedOops
 *                   gc.terrace.h2.objects.TestTransferH2ToH2Store
 */

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import sun.misc.Unsafe;

import static gc.terrace.h2.H2Test.*;

/**
 * Sources and targets have separate labels, so that each is in its own region. After the store only the
 * source refers to the target. Collections then give the VM every opportunity to free the target's region, and
 * transfers every opportunity to use it again. The target must remain unchanged.
 */
public class TestTransferH2ToH2Store {

    private static final Unsafe UNSAFE;
    private static final VarHandle FIELD;
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final Field REFLECTED;
    private static final long OFFSET;

    static {
        try {
            Field theUnsafe = Unsafe.class.getDeclaredField("theUnsafe");
            theUnsafe.setAccessible(true);
            UNSAFE = (Unsafe) theUnsafe.get(null);
            FIELD = MethodHandles.lookup().findVarHandle(Source.class, "field", Object.class);
            REFLECTED = Source.class.getDeclaredField("field");
            OFFSET = UNSAFE.objectFieldOffset(REFLECTED);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static final class Source {
        volatile Object field;
        Object plain;
        final Object[] array = new Object[2000];
        Object neighbour;

        Object get() {
            return plain != null ? plain : field != null ? field : array[1500];
        }
    }

    interface Store {
        void store(Source source, Tree target);
    }

    private static final Store[] STORES = {
        (source, target) -> source.plain = target,
        (source, target) -> source.field = target,
        (source, target) -> source.array[1500] = target,
        (source, target) -> System.arraycopy(new Object[] { target }, 0, source.array, 1500, 1),
        (source, target) -> UNSAFE.putObject(source, OFFSET, target),
        (source, target) -> UNSAFE.compareAndSwapObject(source, OFFSET, null, target),
        (source, target) -> FIELD.compareAndSet(source, null, target),
        (source, target) -> FIELD.getAndSet(source, target),
        (source, target) -> FIELD.setRelease(source, target),
        (source, target) -> ELEMENT.setVolatile(source.array, 1500, target),
        (source, target) -> ELEMENT.compareAndExchange(source.array, 1500, null, target),
        (source, target) -> {
            try {
                REFLECTED.set(source, target);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        },
    };

    interface Afterwards {
        void run() throws Exception;
    }

    private static final Afterwards[] AFTERWARDS = {
        () -> majorGC(),
        () -> { minorGC(); majorGC(); },
        () -> { minorGC(3); majorGC(); minorGC(); majorGC(); },
        () -> { majorGC(); majorGC(); minorGC(); majorGC(); },
    };

    public static void main(String[] args) throws Exception {
        requireH2();
        for (int i = 0; i < AFTERWARDS.length; i++) {
            everyKindOfStore(AFTERWARDS[i], i % 2 == 1);
        }
        chains();
        rings();
        theLastOfSeveral();
        hotStores();
    }

    private static void everyKindOfStore(Afterwards collections, boolean withYoungNeighbour) throws Exception {
        int count = STORES.length;
        Source[] sources = new Source[count];
        Tree[] targets = new Tree[count];
        for (int i = 0; i < count; i++) {
            sources[i] = new Source();
            targets[i] = Tree.make(100, i);
        }
        moveSeparately(sources);
        moveSeparately(targets);
        for (int i = 0; i < count; i++) {
            STORES[i].store(sources[i], targets[i]);
            if (withYoungNeighbour) {
                // Changes the state of the same card.
                sources[i].neighbour = new int[i];
                sources[i].array[1499] = new int[i + 1];
            }
        }
        targets = null;
        collections.run();
        reuse();
        for (int i = 0; i < count; i++) {
            Tree target = (Tree) sources[i].get();
            assertInH2(target, "the target of store " + i);
            target.check(100, i);
            if (withYoungNeighbour) {
                assertEquals(((int[]) sources[i].neighbour).length, i, "the neighbour of store " + i);
                assertEquals(((int[]) sources[i].array[1499]).length, i + 1, "the element before store " + i);
            }
        }
    }

    // Moves each root to its own region.
    private static void moveSeparately(Object[] roots) {
        for (Object root : roots) {
            long label = freshLabel();
            SecondHeap.tagRoot(root, label);
            SecondHeap.move(label);
        }
        SecondHeap.transfer();
        for (Object root : roots) {
            assertInH2(root, "a root");
        }
    }

    /** Drops and moves enough objects to overwrite every region that the VM believes to be free. */
    private static void reuse() {
        for (int round = 0; round < 2; round++) {
            Object[] filler = new Object[12];
            for (int i = 0; i < filler.length; i++) {
                long[] junk = new long[150_000];
                Arrays.fill(junk, 0xdeadbeefdeadbeefL);
                filler[i] = junk;
            }
            moveSeparately(filler);
        }
    }

    // A chain from H1 through many regions, with one link in each. Every reference is stored in H2.
    private static void chains() {
        int count = 12;
        Source[] links = new Source[count];
        for (int i = 0; i < count; i++) {
            links[i] = new Source();
        }
        moveSeparately(links);
        Tree[] end = { Tree.make(50, 99) };
        moveSeparately(end);
        links[count - 1].plain = end[0];
        // Begins at the end, with collections in between, so that cards are clean when the chain is complete.
        for (int i = count - 1; i > 0; i--) {
            links[i - 1].array[7 * i] = links[i];
            if (i % 4 == 0) {
                minorGC();
            }
        }
        Source head = links[0];
        links = null;
        end = null;
        for (int round = 0; round < 3; round++) {
            minorGC();
            majorGC();
            reuse();
            Source link = head;
            for (int i = 1; i < count; i++) {
                link = (Source) link.array[7 * i];
                assertInH2(link, "link " + i);
            }
            ((Tree) link.plain).check(50, 99);
        }
    }

    // A ring of regions, which is held in one place, then in another.
    private static void rings() {
        int count = 8;
        Source[] links = new Source[count];
        for (int i = 0; i < count; i++) {
            links[i] = new Source();
            links[i].neighbour = Tree.make(20, i);
        }
        moveSeparately(links);
        for (int i = 0; i < count; i++) {
            links[i].field = links[(i + 1) % count];
        }
        Source held = links[3];
        links = null;
        for (int round = 0; round < 4; round++) {
            majorGC();
            reuse();
            minorGC();
            Source link = held;
            for (int i = 0; i < count; i++) {
                ((Tree) link.neighbour).check(20, (3 + 2 * round + i) % count);
                link = (Source) link.field;
            }
            assertSame(link, held, "the ring");
            held = (Source) ((Source) held.field).field;
        }
    }

    // Many stores to the same slot. Only the last target must live.
    private static void theLastOfSeveral() {
        Source[] source = { new Source() };
        moveSeparately(source);
        for (int round = 0; round < 10; round++) {
            Tree[] targets = { Tree.make(20, round), Tree.make(20, 100 + round) };
            moveSeparately(targets);
            source[0].plain = targets[0];
            source[0].plain = targets[1];
            source[0].array[3] = targets[0];
            source[0].array[3] = null;
            targets = null;
            if (round % 2 == 0) {
                minorGC();
            }
            majorGC();
            if (round % 5 == 4) {
                reuse();
            }
            ((Tree) source[0].plain).check(20, 100 + round);
        }
    }

    // Compiled code makes many stores, with a collection at any point of the loop.
    private static void hotStores() {
        int count = 16;
        Source[] sources = new Source[count];
        Tree[] targets = new Tree[count];
        for (int i = 0; i < count; i++) {
            sources[i] = new Source();
            targets[i] = Tree.make(20, i);
        }
        moveSeparately(sources);
        moveSeparately(targets);
        int[] model = new int[count];
        List<Object> garbage = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            int from = (i * 7) % count;
            int to = (i * 13 + i / 64) % count;
            sources[from].plain = targets[to];
            model[from] = to;
            if (i % 16 == 0) {
                garbage.add(new byte[256]);
                if (garbage.size() > 1000) {
                    garbage.clear();
                }
            }
        }
        targets = null;
        minorGC();
        majorGC();
        reuse();
        for (int i = 0; i < count; i++) {
            ((Tree) sources[i].plain).check(20, model[i]);
        }
    }
}
