// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends an executor's report of its second heap to the driver, whenever it has changed, and its counts of reads. */
final class ReportSender {

    private static final Logger LOG = LoggerFactory.getLogger(ReportSender.class);

    private static final long PERIOD_MILLIS = 1000;

    private final PluginContext context;
    private final Supplier<ExecutorReport> current;
    private final Supplier<Map.Entry<String, long[]>> counts;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "terrace-report-sender");
        thread.setDaemon(true);
        return thread;
    });
    private ExecutorReport sent; // used by the timer's thread only
    private Object unsent; // counts that could not be sent, or null

    /** @param counts returns the counts since its last call, or null */
    ReportSender(PluginContext context, Supplier<ExecutorReport> current, Supplier<Map.Entry<String, long[]>> counts) {
        this.context = context;
        this.current = current;
        this.counts = counts;
    }

    void start() {
        timer.scheduleWithFixedDelay(this::sendIfChanged, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    void stop() {
        timer.shutdownNow();
        sendCounts();
    }

    private synchronized void sendCounts() {
        while (unsent != null || (unsent = counts.get()) != null) {
            try {
                context.send(unsent);
                unsent = null;
            } catch (Exception e) {
                LOG.debug("Terrace: the counts of reads could not be sent to the driver yet", e);
                return;
            }
        }
    }

    private void sendIfChanged() {
        sendCounts();
        try {
            ExecutorReport report = current.get();
            if (!report.sameFigures(sent)) {
                context.send(report.toMessage());
                sent = report;
            }
        } catch (Exception e) { // unchecked ones as well, because a missing driver must not have other effects
            LOG.debug("Terrace: the report of the second heap could not be sent to the driver", e);
        }
    }
}
