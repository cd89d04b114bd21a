// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

/** What was given cannot be analyzed; the message says what and why. */
final class InputException extends Exception {

    private static final long serialVersionUID = 1;

    InputException(String message) {
        super(message);
    }
}
