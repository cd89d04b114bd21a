// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

/**
 * An address of the loopback that is this process's alone, so that its ports can be constants: a port that was found free may be
 * taken by another process before a server listens there, and again while the server is dead.
 */
final class Loopback {
    static final String ADDRESS = address(ProcessHandle.current().pid());
    // Below those that Linux gives to whoever asks for any.
    static final int[] CLUSTER_PORTS = {17800, 17801};
    static final int MEMCACHED_PORT = 21211;

    private Loopback() {
    }

    private static String address(long pid) {
        return "127." + (1 + (pid >> 16 & 0x7f)) + "." + (pid >> 8 & 0xff) + "." + (pid & 0xff);
    }
}
