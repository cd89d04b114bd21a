// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

/**
 * A loopback address that only this process uses, so that its ports can be constants. A port that was found free could be taken by
 * another process before a server listens on it, or while the server is down.
 */
final class Loopback {
    static final String ADDRESS = address(ProcessHandle.current().pid());
    // Below the range of ephemeral ports in Linux.
    static final int[] CLUSTER_PORTS = {17800, 17801};
    static final int MEMCACHED_PORT = 21211;

    private Loopback() {
    }

    private static String address(long pid) {
        return "127." + (1 + (pid >> 16 & 0x7f)) + "." + (pid >> 8 & 0xff) + "." + (pid & 0xff);
    }
}
