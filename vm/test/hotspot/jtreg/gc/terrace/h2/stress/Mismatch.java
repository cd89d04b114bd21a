// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.util.function.Supplier;

import org.terrace.SecondHeap;

/** A difference between the nodes of a thread and their model. */
final class Mismatch extends RuntimeException {

    private static final long serialVersionUID = 1;

    Mismatch(String message) {
        super(message);
    }

    static void check(boolean condition, Supplier<String> message) {
        if (!condition) {
            throw new Mismatch(message.get());
        }
    }

    /** Returns the text of an object. If the object is a node, the text names its heap. */
    static String describe(Object object) {
        return object instanceof Node ? object + " (" + SecondHeap.state(object) + ")" : String.valueOf(object);
    }
}
