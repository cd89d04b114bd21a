// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** The bytes of a heap or its log contradict themselves. The files were not changed. */
public final class CorruptHeapException extends HeapException {
    private static final long serialVersionUID = 1;
    /** Ends the message of damage that was met on the way. */
    public static final String REMEDY = "; fsck says more, and a backup has what was there";

    public CorruptHeapException(String message) {
        super(message);
    }
}
