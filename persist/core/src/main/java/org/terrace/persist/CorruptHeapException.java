// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** The bytes of a heap or its log contradict themselves. The files were not changed. */
public final class CorruptHeapException extends HeapException {
    private static final long serialVersionUID = 1;

    public CorruptHeapException(String message) {
        super(message);
    }
}
