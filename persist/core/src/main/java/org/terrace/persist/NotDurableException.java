// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/**
 * The device had no room for the log, after the changes of a block had been made. The block is not rolled back: its changes are in
 * memory, all threads see them, and it must not be repeated. They become durable, before any later change, with the next block, {@link
 * Heap#psync} or {@link Heap#checkpoint} that returns once the device has room. Until then blocks that change something throw {@link
 * HeapFullException}. If the program ends before, the changes are lost, all of them.
 */
public final class NotDurableException extends HeapException {
    private static final long serialVersionUID = 1;

    public NotDurableException(String message, Throwable cause) {
        super(message, cause);
    }
}
