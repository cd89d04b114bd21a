// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** Neither the heap nor its device has room left. Nothing was changed; the heap can be read and objects can be freed. */
public final class HeapFullException extends HeapException {
    private static final long serialVersionUID = 1;

    public HeapFullException(String message) {
        super(message);
    }
}
