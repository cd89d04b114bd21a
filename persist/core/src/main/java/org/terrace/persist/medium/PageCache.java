// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.util.UUID;

/**
 * Identifies the page cache that holds the writes to a file. While it is the same one, the end of a process loses no writes, synced
 * or not.
 *
 * @param boot identifies the boot of the machine
 * @param device the device of the file. A snapshot used on the same machine is another device, whose state is like after a crash
 */
public record PageCache(UUID boot, long device) {
}
