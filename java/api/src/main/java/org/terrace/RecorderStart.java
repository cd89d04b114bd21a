// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.HashSet;
import java.util.Set;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * The moment when somebody begins to record. What has to do with events waits for it: the first class of an event
 * initializes much of the flight recorder, which made every start of a program about 0.1 s longer.
 */
final class RecorderStart {

    private static final Set<Class<?>> ASKED = new HashSet<>();

    private RecorderStart() {
    }

    /**
     * Runs an action when the flight recorder starts, or now if it has; only the first that a class asks for, and never without
     * the module {@code jdk.jfr}.
     */
    static synchronized void once(Class<?> asking, Runnable action) {
        try {
            if (ASKED.add(asking)) {
                Listener.add(action);
            }
        } catch (NoClassDefFoundError e) {
            // This runtime has no flight recorder.
        }
    }

    /** A class of its own, as without the module it can't be linked. */
    private static final class Listener implements FlightRecorderListener {

        private final Runnable action;

        private Listener(Runnable action) {
            this.action = action;
        }

        static void add(Runnable action) {
            if (FlightRecorder.isAvailable()) {
                FlightRecorder.addListener(new Listener(action));
            }
        }

        @Override
        public void recorderInitialized(FlightRecorder recorder) {
            action.run();
        }
    }
}
