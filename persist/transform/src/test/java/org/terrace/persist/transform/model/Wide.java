// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import org.terrace.persist.Persistent;

/** A class whose objects are larger than a block of the heap. */
@Persistent
class Wide {
    long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9;
    String last;
    byte tail;

    /** Uses compound assignments and assignments as values, each of which is a load and a store. */
    long shuffle() {
        a0 = b0 = c9 = 5;
        a1 += a0++ * 2;
        b1 = ++a0 + --c9;
        c0 |= 0x100000000L;
        tail -= 1;
        last += "x";
        return a1 + b1;
    }
}
