// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

/** A loop on one path through the program, and the position at which it ends. */
final class LoopVisit {

    final Place place;
    int end;

    LoopVisit(Place place) {
        this.place = place;
    }

    @Override
    public String toString() {
        return place.toString();
    }
}
