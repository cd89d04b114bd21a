// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.channels.FileChannel.MapMode;

/**
 * Uses real files as persistent memory on machines without it. It runs the same code with {@code msync} in place of the write-back
 * of cache lines. It does not simulate crashes of the machine. After a kill of a program, its stores remain, as on persistent
 * memory.
 */
class MappedMedium extends LinuxMedium {
    /** If true, all real files of the process are mapped. */
    static final String PROPERTY = "persist.mapped";

    @Override
    public String obstacleToMapping(MediumFile file) {
        return null;
    }

    @Override
    public MediumFile mapped(MediumFile file) {
        return new MappedFile(file, new ChannelMapping((LinuxFile) file, MapMode.READ_WRITE));
    }
}
