package org.terrace.persist;

/** A persistent heap could not do what was asked. The message names the file and, where there is one, the remedy. */
public class HeapException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public HeapException(String message) {
        super(message);
    }

    public HeapException(String message, Throwable cause) {
        super(message, cause);
    }
}
