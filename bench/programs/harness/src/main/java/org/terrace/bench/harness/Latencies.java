// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Durations of operations by kind. This class is thread-safe. */
public final class Latencies {

    private static final int DIGITS = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Map<String, Histogram> byKind = new ConcurrentSkipListMap<>();

    public void record(String kind, long nanos) {
        byKind.computeIfAbsent(kind, name -> new ConcurrentHistogram(DIGITS)).recordValue(nanos);
    }

    /** Returns the count and the percentiles in milliseconds of each kind. */
    Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        byKind.forEach((kind, times) -> {
            Map<String, Object> numbers = new LinkedHashMap<>();
            numbers.put("count", times.getTotalCount());
            numbers.put("p50", times.getValueAtPercentile(50) / NANOS_PER_MILLI);
            numbers.put("p99", times.getValueAtPercentile(99) / NANOS_PER_MILLI);
            numbers.put("p999", times.getValueAtPercentile(99.9) / NANOS_PER_MILLI);
            numbers.put("max", times.getMaxValue() / NANOS_PER_MILLI);
            report.put(kind, numbers);
        });
        return report;
    }
}
