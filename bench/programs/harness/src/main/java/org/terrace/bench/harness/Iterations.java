// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.harness;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * Runs a program's work several times to warm up the JVM, and then several times to measure it. Prints one line of JSON
 * with the duration of each measured iteration. The line also has the JVM uptimes of the measurement, which separate
 * its collections from those of the warm-up.
 */
public final class Iterations {

    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;

    @Option(names = "--warmup", defaultValue = "2", paramLabel = "N", description = "Number of iterations before the measured ones.")
    private int warmup;

    @Option(names = "--iterations", defaultValue = "5", paramLabel = "N", description = "Number of measured iterations.")
    private int iterations;

    /** @throws IllegalStateException if an iteration has another result than the one before */
    public void run(String program, Map<String, Object> parameters, Work work) throws Exception {
        Object result = null;
        for (int i = 0; i < warmup; i++) {
            result = checked(result, work.once(new Latencies()));
        }
        Latencies latencies = new Latencies();
        List<Double> seconds = new ArrayList<>();
        double from = uptime();
        long cpu = cpuNanos();
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            result = checked(result, work.once(latencies));
            seconds.add((System.nanoTime() - start) / NANOS);
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("program", program);
        report.put("parameters", parameters);
        report.put("result", result);
        report.put("seconds", seconds);
        report.put("cpuSeconds", (cpuNanos() - cpu) / NANOS);
        report.put("from", from);
        report.put("to", uptime());
        report.put("latencies", latencies.report());
        System.out.println(new ObjectMapper().writeValueAsString(report));
    }

    private static Object checked(Object before, Object now) {
        if (before != null && !before.equals(now)) {
            throw new IllegalStateException("the result was " + before + " before, and is " + now + " now");
        }
        return now;
    }

    private static double uptime() {
        return ManagementFactory.getRuntimeMXBean().getUptime() / MILLIS;
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
