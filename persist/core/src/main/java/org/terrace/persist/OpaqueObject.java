// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** An object whose class this program lacks. The program can keep it, refer to it and free it. */
public final class OpaqueObject extends PersistentObject {
    private final String className;

    OpaqueObject(Heap heap, long offset, String className) {
        super(heap, offset);
        this.className = className;
    }

    @Override
    public String toString() {
        return className + "@" + Long.toHexString(offset()) + ", whose class this program lacks";
    }

    /** Name of the missing class. */
    public String className() {
        return className;
    }
}
