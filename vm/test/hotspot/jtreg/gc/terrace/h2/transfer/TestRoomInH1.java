// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.transfer;

/*
 * @test TestRoomInH1
 * @summary Collections for metaspace transfer only if more than the low threshold is in use. Collections for an allocation always do
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m
 *                   -XX:MetaspaceSize=12m -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2
 *                   gc.terrace.h2.transfer.TestRoomInH1 50
 * @run main/othervm -Xmx96m -Xmn24m -XX:AllocateH2At=. -XX:H2Size=64m -XX:H2RegionSize=2m
 *                   -XX:MetaspaceSize=12m -XX:H2LowThreshold=0
 *                   gc.terrace.h2.transfer.TestRoomInH1 0
 */

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

import gc.terrace.h2.Tree;
import org.terrace.SecondHeap;
import org.terrace.SecondHeap.State;

import static gc.terrace.h2.H2Test.*;

/** The old generation has 72 MB. The low threshold of 50 percent is at 36 MB, and the high one at 61 MB. */
public class TestRoomInH1 {

    private static final int SIZE = 500;

    private static final List<Class<?>> classes = new ArrayList<>();

    // Keeps an array in use, whatever the compiler knows of the liveness of local variables.
    private static volatile Object held;

    public static void main(String[] args) throws Exception {
        requireH2();
        int low = Integer.parseInt(args[0]);
        long label = freshLabel();
        Tree tree = Tree.make(SIZE, 1);
        SecondHeap.tagRoot(tree, label);
        SecondHeap.move(label);
        collectForMetaspace();
        assertState(low == 0 ? State.IN_H2 : State.DUE, tree, "a due tree in a heap with room");
        tree.check(SIZE, 1);

        byte[][] filling = new byte[42][];
        held = filling;
        for (int i = 0; i < filling.length; i++) {
            filling[i] = new byte[1 << 20];
        }
        collectForMetaspace();
        tree.assertInH2();
        tree.check(SIZE, 1);

        held = null;
        filling = null;
        Tree another = Tree.make(SIZE, 2);
        SecondHeap.tagRoot(another, label);
        majorGC();
        another.assertInH2();
        another.check(SIZE, 2);

        // Less than the threshold, but an allocation does not fit beside it.
        byte[][] due = new byte[30][];
        for (int i = 0; i < due.length; i++) {
            due[i] = new byte[1 << 20];
        }
        SecondHeap.tagRoot(due, label);
        held = new byte[66 << 20];
        assertInH2(due, "what was in the way of an allocation");
    }

    /** A class that is loaded again and again, as a hidden class. */
    private static class Loaded {
        int field;
    }

    private static void collectForMetaspace() throws Exception {
        byte[] bytes = bytesOf(Loaded.class);
        long before = majorCount();
        while (majorCount() == before) {
            classes.add(MethodHandles.lookup().defineHiddenClass(bytes, false).lookupClass());
        }
    }

    private static byte[] bytesOf(Class<?> type) throws IOException {
        try (InputStream in = type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }
}
