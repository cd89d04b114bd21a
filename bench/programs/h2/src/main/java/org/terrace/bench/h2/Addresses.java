// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Addresses of objects, as an offset from a constant address, which suffices to distinguish regions. */
final class Addresses {

    private static final Unsafe UNSAFE = unsafe();
    private static final long FIRST = UNSAFE.arrayBaseOffset(Object[].class);
    private static final boolean COMPRESSED = UNSAFE.arrayIndexScale(Object[].class) == 4;
    private static final Object[] HOLDER = new Object[1];

    private Addresses() {
    }

    /** Compressed references are in units of 8 bytes if the heaps together are larger than 4 GB. */
    static synchronized long of(Object object) {
        HOLDER[0] = object;
        long address = COMPRESSED ? (UNSAFE.getInt(HOLDER, FIRST) & 0xffffffffL) << 3 : UNSAFE.getLong(HOLDER, FIRST);
        HOLDER[0] = null;
        return address;
    }

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
