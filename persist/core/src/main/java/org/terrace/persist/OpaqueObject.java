// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** An object whose class this program does not have. It can be kept, referred to and freed. */
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

    /** The class that is missing. */
    public String className() {
        return className;
    }
}
