// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

/**
 * Java agent that registers the MBeans and the flight recorder events of Terrace for a program that does not do so itself:
 * {@code java -javaagent:terrace-api.jar …}
 */
final class Agent {

    private Agent() {
    }

    public static void premain(String arguments) {
        SecondHeapManagement.register();
    }

    /** Entry point for a program that already runs: {@code jcmd PID JVMTI.agent_load terrace-api.jar}. */
    public static void agentmain(String arguments) {
        SecondHeapManagement.register();
    }
}
