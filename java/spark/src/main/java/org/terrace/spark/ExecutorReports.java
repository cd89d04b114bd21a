// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;

/** The latest report of each executor, including some executors that no longer exist. Guarded by its monitor. */
final class ExecutorReports extends SparkListener {

    /** A report, and whether its executor has been removed. */
    static final class Entry {

        final ExecutorReport report;
        final boolean gone;

        private Entry(ExecutorReport report, boolean gone) {
            this.report = report;
            this.gone = gone;
        }
    }

    private final int retainedGone;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    /** @param retainedGone number of removed executors to keep */
    ExecutorReports(int retainedGone) {
        this.retainedGone = retainedGone;
    }

    /** Adds the report of an executor. A report that arrives after its executor was removed does not revive it. */
    synchronized void add(ExecutorReport report) {
        Entry before = entries.get(report.executorId);
        entries.put(report.executorId, new Entry(report, before != null && before.gone));
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
        synchronized (this) {
            entries.computeIfPresent(removed.executorId(), (id, entry) -> new Entry(entry.report, true));
            long gone = entries.values().stream().filter(entry -> entry.gone).count();
            if (gone > retainedGone) {
                entries.values().stream().filter(entry -> entry.gone).map(entry -> entry.report.executorId)
                        .findFirst().ifPresent(entries::remove);
            }
        }
    }

    /** Returns all entries, in the order of their executors' first reports. */
    synchronized List<Entry> list() {
        return new ArrayList<>(entries.values());
    }
}
