// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/**
 * The heap or its device has no room left. Nothing was changed, and the heap goes on: it can be read, and changed once there is room.
 * In a full heap, objects can be freed.
 */
public final class HeapFullException extends HeapException {
    private static final long serialVersionUID = 1;

    public HeapFullException(String message) {
        super(message);
    }
}
