// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Writable;

/** Summarizes the values of all vertices in a few numbers that do not depend on their order. */
final class Digest implements ResultFormat.Sink {

    private long vertices;
    private long checksum;
    private double sum;
    private double greatest = Double.NEGATIVE_INFINITY;
    private boolean exact = true;
    private long completed;

    @Override
    public synchronized void accept(long vertex, Writable value) {
        double number = number(value);
        vertices++;
        if (value instanceof DoubleWritable) {
            exact = false; // sums depend on the order of messages
        } else {
            checksum += mix(vertex * 31 + Double.doubleToLongBits(number));
        }
        if (Double.isFinite(number)) {
            sum += number;
            greatest = Math.max(greatest, number);
        }
    }

    @Override
    public synchronized void close() {
        completed = System.nanoTime();
    }

    /** Returns the {@link System#nanoTime} at which the last part was complete. */
    synchronized long completed() {
        return completed;
    }

    static double number(Writable value) {
        if (value instanceof DoubleWritable) {
            return ((DoubleWritable) value).get();
        } else if (value instanceof FloatWritable) {
            return ((FloatWritable) value).get();
        } else if (value instanceof LongWritable) {
            return ((LongWritable) value).get();
        }
        return ((IntWritable) value).get();
    }

    private static long mix(long bits) {
        long mixed = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    synchronized String json() {
        return "{\"vertices\": " + vertices + (exact ? ", \"checksum\": \"" + Long.toHexString(checksum) + "\"" : "")
                + ", \"sum\": " + sum + ", \"greatest\": " + greatest + "}";
    }
}
