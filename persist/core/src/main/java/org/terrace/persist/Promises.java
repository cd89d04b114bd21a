// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

/**
 * The guarantees of a heap's medium. A heap promises no more than this and no more than its {@link Durability} level. On
 * {@link HeapMedium#DAX}, a block is durable when it returns, at each level.
 *
 * @param medium {@link HeapMedium#FILE} or {@link HeapMedium#DAX}
 * @param fileSystem the name of the file system, or its number if it is not a well-known one
 * @param survives the failures that a durable block survives
 */
public record Promises(HeapMedium medium, String fileSystem, Survives survives) {

    /** The failures that durable data survives. If heap and log are on different file systems, the weaker one counts. */
    public enum Survives {
        /** The end of the program. The files are lost with the machine. */
        PROCESS("the end of the process; the files are lost with the machine"),

        /** The failures that the file server survives. The heap relies on the server's acknowledgement of a sync. */
        SERVER("what the server survives that has the files, which is believed when it says that it has synced them"),

        /** A crash of the machine, if the device keeps data that it has acknowledged. */
        MACHINE("a crash of the machine");

        private final String text;

        Survives(String text) {
            this.text = text;
        }
    }

    /** Whether a heap of this level may be opened on this medium. */
    public boolean allows(Durability level) {
        return survives != Survives.PROCESS || !level.syncsEachCommit() && level.syncNanos() == 0;
    }

    @Override
    public String toString() {
        return medium + " on " + fileSystem + ": what is durable survives " + survives.text;
    }
}
