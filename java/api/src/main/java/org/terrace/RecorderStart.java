// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.util.HashSet;
import java.util.Set;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * Runs actions when the flight recorder starts. Event classes are registered only then, because the first event class
 * initializes much of the flight recorder, which made every program start about 0.1 s later.
 */
final class RecorderStart {

    private static final Set<Class<?>> ASKED = new HashSet<>();

    private RecorderStart() {
    }

    /**
     * Runs an action when the flight recorder starts, or now if it runs already. Only the first action of each class
     * {@code asking} is run. Has no effect without the module {@code jdk.jfr}.
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

    /** A separate class, because it cannot be linked without the module {@code jdk.jfr}. */
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
