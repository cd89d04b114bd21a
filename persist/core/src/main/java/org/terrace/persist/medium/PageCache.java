// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.util.UUID;

/**
 * Which page cache holds what was written to a file. While it is the same one, the end of a process loses nothing that was written,
 * synced or not.
 *
 * @param boot of the machine
 * @param device that has the file: a snapshot of it, used on the same machine, is as a crash would leave the device
 */
public record PageCache(UUID boot, long device) {
}
