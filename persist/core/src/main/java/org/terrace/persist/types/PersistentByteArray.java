// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Arrays;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;

/** An array of bytes with a fixed length. */
public final class PersistentByteArray extends FixedArray {
    static final PersistentClass<PersistentByteArray> CLASS = PersistentClass.bytes(PersistentByteArray.class,
            PersistentByteArray::new);
    private static final int BYTES = 4;

    /** Creates a copy of these bytes. */
    public PersistentByteArray(Heap heap, byte[] bytes) {
        this(heap, bytes.length);
        putBytes(BYTES, bytes, 0, bytes.length);
    }

    /** Creates an array of zeros. */
    public PersistentByteArray(Heap heap, int length) {
        super(CLASS, heap, length, BYTES, Byte.BYTES);
    }

    private PersistentByteArray(Heap heap, long offset) {
        super(heap, offset);
    }

    @Override
    public int length() {
        return storedLength(BYTES, Byte.BYTES);
    }

    public byte get(int index) {
        checkRange(index, 1);
        return getByte(BYTES + (long) index);
    }

    public void set(int index, byte value) {
        checkRange(index, 1);
        setByte(BYTES + (long) index, value);
    }

    public void get(int index, byte[] into, int from, int length) {
        checkRange(index, length);
        getBytes(BYTES + (long) index, into, from, length);
    }

    public void set(int index, byte[] bytes, int from, int length) {
        checkRange(index, length);
        putBytes(BYTES + (long) index, bytes, from, length);
    }

    private void checkRange(int index, int length) {
        java.util.Objects.checkFromIndexSize(index, length, knownLength());
    }

    public byte[] toArray() {
        byte[] bytes = new byte[length()];
        getBytes(BYTES, bytes, 0, bytes.length);
        return bytes;
    }

    @Override
    public String toString() {
        return Arrays.toString(toArray());
    }
}
