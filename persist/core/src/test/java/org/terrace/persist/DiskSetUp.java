// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.terrace.persist.medium.Disk;

/** Gives each test a separate simulated disk. */
public abstract class DiskSetUp {
    public Disk disk;

    @BeforeEach
    public void newDisk() {
        disk = new Disk();
    }

    @AfterEach
    public void disposeOfDisk() {
        disk.dispose();
    }
}
