// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.terrace.persist.Promises.Survives;

/** Tests the type numbers of {@code statfs}. Numbers above 2^31 are negative in Java. */
class FileSystemTest {

    @Test
    void kindsAreTold() {
        assertEquals(new FileSystem("ext4", Survives.MACHINE), FileSystem.ofType(0xEF53));
        assertEquals(new FileSystem("ramfs", Survives.PROCESS), FileSystem.ofType(0x858458F6));
        assertEquals(new FileSystem("cifs", Survives.SERVER), FileSystem.ofType(0xFF534D42));
        assertEquals(new FileSystem("0x12345", Survives.MACHINE), FileSystem.ofType(0x12345));
    }

    @Test
    void theKernelIsAsked() {
        LinuxMedium medium = new LinuxMedium();
        // This file exists in every Linux system.
        try (MediumFile file = medium.open(Path.of("/proc/version"), Medium.Mode.READ)) {
            assertEquals("0x9fa0", medium.fileSystem(file).name());
        }
    }
}
