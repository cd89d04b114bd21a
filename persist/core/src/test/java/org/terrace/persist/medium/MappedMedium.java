// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.channels.FileChannel.MapMode;

/**
 * Real files used as memory that persists where there is none: the same code, with {@code msync} for the write-back of lines. Of
 * a crash of the machine nothing is seen; the kill of a program leaves what it has stored, as it does there.
 */
class MappedMedium extends LinuxMedium {
    /** True for all real files of the process. */
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
