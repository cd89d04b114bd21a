// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestTransferCycles
 * @summary Cycles through both heaps survive as long as anything refers to them
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:H2RegionSize=2m
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2 -XX:+VerifyBeforeGC -XX:+VerifyAfterGC
 *                   -XX:VerifySubSet=threads,heap,string_table,jni_handles,codecache_oops
 *                   gc.terrace.h2.objects.TestTransferCycles
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:-UseCompressedOops -XX:ParallelGCThreads=1
 *                   gc.terrace.h2.objects.TestTransferCycles
 * @run main/othervm -Xmx128m -XX:AllocateH2At=. -XX:H2Size=512m -XX:ParallelGCThreads=4 -Xint
 *                   -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.objects.TestTransferCycles
 */

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;

import static gc.terrace.h2.H2Test.*;

public class TestTransferCycles {

    static final class Link {
        final int id;
        Link next;
        Link previous;
        Object payload;

        Link(int id) {
            this.id = id;
            this.payload = Tree.make(5, id);
        }
    }

    public static void main(String[] args) throws Exception {
        requireH2();
        alternating(100, true);
        alternating(100, false);
        alternating(2000, true);
        growingIntoH2();
        droppedAndMade();
    }

    // A ring in which every other link is in H2, held by a link in either heap.
    private static void alternating(int count, boolean heldInH1) {
        Link[] links = new Link[count];
        long label = freshLabel();
        for (int i = 0; i < count; i++) {
            links[i] = new Link(i);
            if (i % 2 == 0) {
                SecondHeap.tagRoot(links[i], label);
            }
        }
        SecondHeap.move(label);
        SecondHeap.transfer();
        SecondHeap.hold(label);
        for (int i = 0; i < count; i++) {
            links[i].next = links[(i + 1) % count];
            links[(i + 1) % count].previous = links[i];
        }
        Link held = links[heldInH1 ? 1 : 0];
        links = null;
        for (int round = 0; round < 3; round++) {
            if (round > 0) {
                minorGC();
            }
            majorGC();
            Link link = held;
            for (int i = 0; i < count; i++) {
                assertEquals(link.id, (held.id + i) % count, "the id of link " + i);
                assertSame(link.next.previous, link, "the link before the next one of " + i);
                ((Tree) link.payload).check(5, link.id);
                if (link.id % 2 == 0) {
                    assertInH2(link, "link " + link.id);
                } else {
                    assertInH1(link, "link " + link.id);
                }
                link = link.next;
            }
            assertSame(link, held, "the ring");
        }
    }

    // H2 refers to objects in H1, which then move, so that references to H1 become references within H2.
    private static void growingIntoH2() {
        Link first = moveToH2(new Link(0));
        Link last = first;
        for (int i = 1; i < 20; i++) {
            Link link = new Link(i);
            last.next = link;
            link.previous = last;
            link.next = first;
            if (i % 5 == 0) {
                minorGC();
            }
            moveToH2(link);
            last = link;
        }
        first.previous = last;
        last = null;
        for (int round = 0; round < 2; round++) {
            Link link = first;
            for (int i = 0; i < 20; i++) {
                assertEquals(link.id, i, "the id of a link");
                assertInH2(link, "link " + i);
                ((Tree) link.payload).check(5, i);
                assertSame(link.next.previous, link, "the link before the next one of " + i);
                link = link.next;
            }
            assertSame(link, first, "the ring");
            majorGC();
            minorGC();
        }
    }

    // Dead cycles die with their regions, and live ones do not.
    private static void droppedAndMade() {
        List<WeakReference<Link>> dropped = new ArrayList<>();
        Link kept = cycle(-1, null);
        for (int i = 0; i < 30; i++) {
            cycle(i, dropped);
            if (i % 3 == 0) {
                majorGC();
            }
            check(kept, -1);
        }
        minorGC();
        majorGC();
        int cleared = 0;
        for (int i = 0; i < dropped.size(); i++) {
            Link link = dropped.get(i).get();
            if (link == null) {
                cleared++;
            } else {
                check(link, i / 2);
            }
        }
        System.out.println(cleared + " of " + dropped.size() + " dropped links are gone");
        // A frame may still refer to the last one.
        assertTrue(cleared >= dropped.size() - 2, "only " + cleared + " dropped links are gone");
        check(kept, -1);
    }

    private static Link cycle(int id, List<WeakReference<Link>> dropped) {
        Link inH2 = moveToH2(new Link(id));
        Link inH1 = new Link(id);
        inH2.next = inH2.previous = inH1;
        inH1.next = inH1.previous = inH2;
        if (dropped != null) {
            dropped.add(new WeakReference<>(inH2));
            dropped.add(new WeakReference<>(inH1));
        }
        return inH1;
    }

    private static void check(Link link, int id) {
        assertEquals(link.id, id, "the id of one link");
        assertEquals(link.next.id, id, "the id of the other link");
        assertSame(link.next.next, link, "the link after next");
        assertSame(link.previous.previous, link, "the link before the previous");
        ((Tree) link.payload).check(5, id);
        ((Tree) link.next.payload).check(5, id);
    }
}
