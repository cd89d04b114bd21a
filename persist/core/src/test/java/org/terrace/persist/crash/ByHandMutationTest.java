// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.crash;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.terrace.persist.Cell;
import org.terrace.persist.Heap;
import org.terrace.persist.types.PersistentByteArray;

/** Checks that explicit persistence needs each of its calls. The crash tests must detect a program that omits one. */
class ByHandMutationTest {
    private enum Call { PWB_OF_OBJECT, VALIDATE, PFENCE, PWB_OF_REFERENCE, PSYNC }

    private static final byte[] CONTENT = "what a program stores by hand ".repeat(30).getBytes(StandardCharsets.UTF_8);

    /** Replaces the object of the root. A checkpoint may happen at any time, and here happens at the worst moment. */
    private static void replace(Heap heap, Call without) {
        Cell root = heap.root("a", Cell.class);
        // The object spans many cache lines, so that they are not queued together with the header's line.
        PersistentByteArray bytes = new PersistentByteArray(heap, CONTENT);
        call(Call.PWB_OF_OBJECT, without, bytes::pwb);
        call(Call.VALIDATE, without, bytes::validate);
        call(Call.PFENCE, without, heap::pfence);
        root.otherByHand(bytes);
        call(Call.PWB_OF_REFERENCE, without, root::pwb);
        if (without == Call.PFENCE) {
            heap.checkpoint();
        }
        call(Call.PSYNC, without, heap::psync);
    }

    private static void call(Call call, Call without, Runnable action) {
        if (call != without) {
            action.run();
        }
    }

    private static CrashScenario scenario(Consumer<Heap> last) {
        return CrashTest.scenario(CrashScenario.TINY, List.of("bytes of a", "checkpoint")).then(last).inLastOperation();
    }

    @Test
    void withAllCallsNothingIsLost() {
        assertTrue(scenario(heap -> replace(heap, null)).run() > 0);
        assertTrue(scenario(heap -> {
            replace(heap, null);
            heap.checkpoint();
        }).run() > 0);
    }

    @TestFactory
    Stream<DynamicTest> everyCallIsNeeded() {
        return Stream.of(Call.values()).map(without -> DynamicTest.dynamicTest(without.name(),
                () -> assertThrows(AssertionError.class, () -> scenario(heap -> replace(heap, without)).run())));
    }
}
