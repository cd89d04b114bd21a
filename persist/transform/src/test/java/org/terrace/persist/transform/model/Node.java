// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.transform.model;

import org.terrace.persist.Persistent;

/** An ordinary class with a number, a text and a reference to another node. */
@Persistent
class Node {
    int number;
    String text;
    Node next;

    Node(int number, String text) {
        this.number = number;
        this.text = text;
    }

    void increment() {
        number++;
    }

    boolean isOwnNext() {
        return next == this;
    }
}
