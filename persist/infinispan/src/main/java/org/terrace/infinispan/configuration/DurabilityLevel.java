// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan.configuration;

import java.time.Duration;
import org.terrace.persist.Durability;

/** When a write to the store is acknowledged. At each level what was acknowledged survives the end of the process. */
public enum DurabilityLevel {
    /** Once it is on stable storage. */
    SYNC,
    /** At once; it is on stable storage after the group interval and one sync. */
    GROUP,
    /** At once; a crash of the machine may lose what came after the heap's last checkpoint. */
    PROCESS;

    Durability of(long groupIntervalMillis) {
        return switch (this) {
            case SYNC -> Durability.SYNC;
            case GROUP -> Durability.group(Duration.ofMillis(groupIntervalMillis));
            case PROCESS -> Durability.PROCESS;
        };
    }
}
