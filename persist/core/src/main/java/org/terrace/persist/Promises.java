// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/**
 * What the medium of a heap can promise. A heap promises no more than this, and no more than its {@link Durability} level says; on
 * {@link HeapMedium#DAX} a block is durable when it returns, at each level.
 *
 * @param medium {@link HeapMedium#FILE} or {@link HeapMedium#DAX}
 * @param fileSystem its name, or its number if it is none of the usual ones
 * @param survives what a block that is durable survives
 */
public record Promises(HeapMedium medium, String fileSystem, Survives survives) {

    /** Of the weaker file, if heap and log are on different file systems. */
    public enum Survives {
        /** The end of the program; the files end with the machine. */
        PROCESS("the end of the process; the files are lost with the machine"),

        /** What the server keeps that has the files: the heap takes its word. */
        SERVER("what the server survives that has the files, which is believed when it says that it has synced them"),

        /** A crash of the machine, if the device keeps what it has acknowledged. */
        MACHINE("a crash of the machine");

        private final String text;

        Survives(String text) {
            this.text = text;
        }
    }

    /** Whether a heap of this level may be opened here. */
    public boolean allows(Durability level) {
        return survives != Survives.PROCESS || !level.syncsEachCommit() && level.syncNanos() == 0;
    }

    @Override
    public String toString() {
        return medium + " on " + fileSystem + ": what is durable survives " + survives.text;
    }
}
