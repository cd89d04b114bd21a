// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan.configuration;

import java.time.Duration;
import org.terrace.persist.Durability;

/** The condition under which a write to the store is acknowledged. At each level, acknowledged writes survive the end of the process. */
public enum DurabilityLevel {
    /** Acknowledged once it is on stable storage. */
    SYNC,
    /** Acknowledged immediately. It is on stable storage after the group interval and one sync. */
    GROUP,
    /** Acknowledged immediately. A crash of the machine may lose writes after the heap's last checkpoint. */
    PROCESS;

    Durability of(long groupIntervalMillis) {
        return switch (this) {
            case SYNC -> Durability.SYNC;
            case GROUP -> Durability.group(Duration.ofMillis(groupIntervalMillis));
            case PROCESS -> Durability.PROCESS;
        };
    }
}
