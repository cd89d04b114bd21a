// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

/** A line of a source file, as stack traces name it: {@code PageRank.scala:14}. */
record Place(String file, int line) {

    @Override
    public String toString() {
        return file + ":" + line;
    }
}
