// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/** A persistent heap could not perform an operation. The message names the file and, if there is one, the remedy. */
public class HeapException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public HeapException(String message) {
        super(message);
    }

    public HeapException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The cause itself if it is a HeapException, otherwise a new exception. */
    public static HeapException of(String message, Throwable cause) {
        return cause instanceof HeapException known ? known : new HeapException(message + ": " + cause, cause);
    }
}
