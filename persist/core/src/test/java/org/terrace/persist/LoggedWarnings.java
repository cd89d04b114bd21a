// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist;

import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the library's log messages. */
public final class LoggedWarnings {

    private LoggedWarnings() {
    }

    public static <T> T during(List<String> told, Supplier<T> code) {
        Logger logger = Logger.getLogger("org.terrace.persist");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                told.add(record.getMessage());
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        logger.addHandler(handler);
        try {
            return code.get();
        } finally {
            logger.removeHandler(handler);
        }
    }
}
