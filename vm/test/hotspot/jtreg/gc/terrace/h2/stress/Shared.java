// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

/**
 * What nodes of all threads share: static fields refer to it, so it stays in H1, and regions remember it. Most is of
 * Integer's cache. The rest is handed to a few nodes, stays in static fields for some collections, and is then only
 * kept by those nodes, which may be in H2 by now.
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

    /** The object for a node with this value. */
    static Object of(long serial, long value) {
        long mixed = Node.mix(serial + value);
        return isHandedOut(mixed) ? handOut() : number(mixed);
    }

    private static Object number(long mixed) {
        // Few for most nodes, more than a region remembers for some; none for some.
        int limit = (mixed & 0xff0) == 0 ? 64 : 8;
        return (mixed & 7) == 0 ? null : (Integer) ((int) (mixed >>> 16) & limit - 1);
    }

    /** What is wrong with the object that a node got for this value, or null. */
    static String check(Object object, long serial, long value) {
        long mixed = Node.mix(serial + value);
        if (isHandedOut(mixed)) {
            Shared shared = (Shared) object;
            return shared.check == Node.mix(shared.number) ? null : "what it shares was damaged";
        }
        return object == number(mixed) ? null : "it shares " + object + ", expected " + number(mixed);
    }
}
