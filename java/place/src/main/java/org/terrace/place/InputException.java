// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

/** Thrown if the input cannot be analyzed. The message names the input and the reason. */
final class InputException extends Exception {

    private static final long serialVersionUID = 1;

    InputException(String message) {
        super(message);
    }
}
