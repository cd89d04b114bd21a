// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/**
 * The device had no space for the log after the changes of a block had been made. The block is not rolled back. All threads see its
 * changes in memory, and it must not be repeated. They become durable, before any later change, with the next block,
 * {@link Heap#psync} or {@link Heap#checkpoint} that returns once the device has space. Until then blocks with changes throw
 * {@link HeapFullException}. If the program ends before, all of these changes are lost.
 */
public final class NotDurableException extends HeapException {
    private static final long serialVersionUID = 1;

    public NotDurableException(String message, Throwable cause) {
        super(message, cause);
    }
}
