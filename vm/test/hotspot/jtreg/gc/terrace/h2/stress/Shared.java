// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/**
 * Objects that nodes of all threads share. Static fields refer to them, so they stay in H1, and regions record them. Most are
 * in Integer's cache. Each of the others is handed to a few nodes and stays in a static field for some collections. Then
 * only those nodes keep it alive, which may be in H2 by now.
 */
final class Shared {
    private static final int NODES = 8;

    private static Shared current = new Shared(0);
    private static Shared older;
    private static Shared oldest;
    private static int handedOut;
    private static long made;

    private final long number;
    private final long check;

    private Shared(long number) {
        this.number = number;
        this.check = Node.mix(number);
    }

    private static synchronized Shared handOut() {
        if (++handedOut == NODES) {
            handedOut = 0;
            oldest = older;
            older = current;
            current = new Shared(++made);
        }
        return current;
    }

    private static boolean isHandedOut(long mixed) {
        return (mixed & 0x1ff0) == 0;
    }

    /** Returns the object for a node with this value. */
    static Object of(long serial, long value) {
        long mixed = Node.mix(serial + value);
        return isHandedOut(mixed) ? handOut() : number(mixed);
    }

    private static Object number(long mixed) {
        // Few different objects for most nodes, more than a region records for some nodes, and none for others.
        int limit = (mixed & 0xff0) == 0 ? 64 : 8;
        return (mixed & 7) == 0 ? null : (Integer) ((int) (mixed >>> 16) & limit - 1);
    }

    /** Returns an error of the object that a node received for this value, or null. */
    static String check(Object object, long serial, long value) {
        long mixed = Node.mix(serial + value);
        if (isHandedOut(mixed)) {
            Shared shared = (Shared) object;
            return shared.check == Node.mix(shared.number) ? null : "what it shares was damaged";
        }
        return object == number(mixed) ? null : "it shares " + object + ", expected " + number(mixed);
    }
}
