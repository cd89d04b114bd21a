// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/**
 * The heap or its device has no free space. Nothing was changed, and the heap remains usable. It can be read, and changed once
 * there is space. Objects of a full heap can be freed.
 */
public final class HeapFullException extends HeapException {
    private static final long serialVersionUID = 1;

    public HeapFullException(String message) {
        super(message);
    }
}
