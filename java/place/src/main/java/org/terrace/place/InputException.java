// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Thrown if the input cannot be analyzed. The message names the input and the reason. */
final class InputException extends Exception {

    private static final long serialVersionUID = 1;

    InputException(String message) {
        super(message);
    }

    /** Returns a message that names a file once. Java's messages of some exceptions are only the name of the file. */
    static String about(Path file, String problem, Exception e) {
        Exception cause = e instanceof UncheckedIOException unchecked ? unchecked.getCause() : e;
        String message = String.valueOf(cause.getMessage());
        String reason = cause instanceof NoSuchFileException ? "no such file or folder"
                : cause instanceof AccessDeniedException ? "permission denied" : message;
        boolean isTold = reason.equals(message) || message.equals(file.toString()); // not a file in a folder
        return file + " " + problem + ": " + reason + (isTold ? "" : " (" + message + ")");
    }
}
