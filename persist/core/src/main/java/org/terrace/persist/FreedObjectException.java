// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** A proxy was used after its object had been freed. */
public final class FreedObjectException extends HeapException {
    private static final long serialVersionUID = 1;

    public FreedObjectException(String message) {
        super(message);
    }
}
