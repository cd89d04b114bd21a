// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.objects;

/*
 * @test TestSoftReferences
 * @summary A cache of soft references without tags does not grow with H2, because softly reachable objects in H2 count as used in H1.
 *          Objects that are reachable otherwise stay, and so do soft references that are used
 * @library / /java/api/src/main/java
 * @modules java.management
 *
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=768m -Xlog:gc+h2 gc.terrace.h2.objects.TestSoftReferences arrays
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=768m -Xlog:gc+h2 gc.terrace.h2.objects.TestSoftReferences structures
 * @run main/othervm -Xmx64m -XX:AllocateH2At=. -XX:H2Size=768m -Xlog:gc+h2 gc.terrace.h2.objects.TestSoftReferences mixed
 */

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;

import static gc.terrace.h2.H2Test.*;

public class TestSoftReferences {

    private static final int MB = 1 << 20;
    private static final int PUT = 512;
    // The size of H1, and the amount that two collections may move before it counts.
    private static final int MAX_HELD = 3 * 64;

    private static volatile Object junk;

    public static void main(String[] args) {
        requireH2();
        String kind = args[0];
        List<SoftReference<Object>> cache = new ArrayList<>();
        List<Object> kept = new ArrayList<>();
        int mostHeld = 0;
        for (int i = 0; i < PUT; i++) {
            cache.add(new SoftReference<>(kind.equals("structures") ? structure() : new byte[MB]));
            if (kind.equals("mixed") && i % 8 == 0) {
                kept.add(new byte[MB]);
            }
            for (int k = 0; k < 4; k++) {
                junk = new byte[256 << 10];
            }
            if (i % 16 == 0) {
                mostHeld = Math.max(mostHeld, held(cache));
            }
        }
        System.out.println("at most " + mostHeld + " MB of " + PUT + " were held softly, and " + kept.size() + " MB are kept");
        assertTrue(mostHeld <= MAX_HELD, mostHeld + " MB were held softly");
        assertTrue(mostHeld >= 16, "no more than " + mostHeld + " MB were held softly");
        for (Object array : kept) {
            assertEquals(((byte[]) array).length, MB, "the length of what is kept");
        }
    }

    /** Makes a structure of one megabyte. */
    private static Object structure() {
        Object[] structure = new Object[1024];
        for (int i = 0; i < structure.length; i++) {
            structure[i] = new Object[256 - 8];
        }
        return structure;
    }

    // Counts references that are not cleared, without using them.
    private static int held(List<SoftReference<Object>> cache) {
        int held = 0;
        for (SoftReference<Object> reference : cache) {
            held += reference.refersTo(null) ? 0 : 1;
        }
        return held;
    }
}
