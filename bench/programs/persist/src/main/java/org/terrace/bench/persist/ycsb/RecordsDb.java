// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.HdrHistogram.Histogram;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/**
 * An adapter from YCSB's interface to a store, with an instance for each thread. Keys, fields and operations come from
 * YCSB, and values from {@link Values}. All values read are checked. Fields have YCSB's names, and are read and written
 * as arrays.
 */
final class RecordsDb extends DB {
    private static final String FIELD = "field";
    /** Digits of the recorded times. */
    static final int DIGITS = 3;

    final Writes writes = new Writes();
    private Histogram reads = new Histogram(DIGITS);
    private Histogram changes = new Histogram(DIGITS);
    private Histogram scans = new Histogram(DIGITS);
    private final Records records;
    private final Shape shape;
    private final int writer;
    private final String[] names;

    /** @param writer the thread's number */
    RecordsDb(Records records, Shape shape, int writer) {
        this.records = records;
        this.shape = shape;
        this.writer = writer;
        names = new String[shape.fields()];
        for (int i = 0; i < names.length; i++) {
            names[i] = FIELD + i;
        }
    }

    /** Returns the nanoseconds of each read since the last {@link #forget}. The other histograms have changes and scans. */
    Histogram reads() {
        return reads;
    }

    Histogram changes() {
        return changes;
    }

    Histogram scans() {
        return scans;
    }

    void forget() {
        reads = new Histogram(DIGITS);
        changes = new Histogram(DIGITS);
        scans = new Histogram(DIGITS);
    }

    @Override
    public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
        long started = System.nanoTime();
        try {
            take(key, records.read(key), result);
        } catch (Exception e) {
            throw failed("read", key, e);
        }
        reads.recordValue(System.nanoTime() - started);
        return Status.OK;
    }

    /** Puts the fields into the result. */
    private void take(String key, byte[] record, Map<String, ByteIterator> result) {
        if (record == null || record.length != shape.recordBytes()) {
            throw new IllegalStateException(record == null ? "it is not there" : "it has " + record.length + " bytes");
        }
        long hash = Values.hash(key);
        for (int field = 0; field < names.length; field++) {
            int from = field * shape.fieldBytes();
            if (!Values.begins(record, from, hash, field)) {
                throw new IllegalStateException(names[field] + " has a value that was never put there");
            }
            result.put(names[field], new ByteArrayByteIterator(record, from, shape.fieldBytes()));
        }
    }

    @Override
    public Status scan(String table, String from, int count, Set<String> fields, Vector<HashMap<String, ByteIterator>> result) {
        long started = System.nanoTime();
        String[] last = {null};
        try {
            records.scan(from, count, (key, record) -> {
                if (last[0] == null ? !key.equals(from) : last[0].compareTo(key) >= 0) {
                    throw new IllegalStateException(key + " comes after " + last[0]);
                }
                last[0] = key;
                HashMap<String, ByteIterator> values = new HashMap<>();
                take(key, record, values);
                result.add(values);
            });
            if (result.isEmpty() || result.size() > count) {
                throw new IllegalStateException(result.size() + " records were found");
            }
        } catch (Exception e) {
            throw failed("scan", from, e);
        }
        scans.recordValue(System.nanoTime() - started);
        return Status.OK;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        long hash = Values.hash(key);
        long started = System.nanoTime();
        try {
            for (String name : values.keySet()) {
                int field = Integer.parseInt(name, FIELD.length(), name.length(), 10);
                byte[] value = new byte[shape.fieldBytes()];
                Values.fill(value, 0, value.length, hash, field, Values.stamp(writer, writes.add(hash, field)));
                records.update(key, field * shape.fieldBytes(), value);
            }
        } catch (Exception e) {
            throw failed("update", key, e);
        }
        changes.recordValue(System.nanoTime() - started);
        return Status.OK;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        long started = System.nanoTime();
        try {
            records.insert(key, record(key, Values.stamp(writer, writes.add(Values.hash(key), Writes.ALL))));
        } catch (Exception e) {
            throw failed("insert", key, e);
        }
        changes.recordValue(System.nanoTime() - started);
        return Status.OK;
    }

    private byte[] record(String key, long stamp) {
        byte[] record = new byte[shape.recordBytes()];
        long hash = Values.hash(key);
        for (int field = 0; field < names.length; field++) {
            Values.fill(record, field * shape.fieldBytes(), shape.fieldBytes(), hash, field, stamp);
        }
        return record;
    }

    /** Not implemented, because no workload of YCSB deletes. */
    @Override
    public Status delete(String table, String key) {
        return Status.NOT_IMPLEMENTED;
    }

    private static IllegalStateException failed(String what, String key, Exception cause) {
        return new IllegalStateException("the " + what + " of " + key + " went wrong: " + cause.getMessage(), cause);
    }
}
