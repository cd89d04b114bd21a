// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that a store has the values that were written. Each field must have a complete value that was written to it,
 * and that is the last one of its writer. The value must not be the initial one if the field was written later. With
 * one thread it must be the last value.
 */
final class Check {
    private static final int NEVER = -1;

    private final Shape shape;
    private final int fillers;
    /** For each writer, a map from the hash of a key to the number of the last write of each field. */
    private final List<Map<Long, int[]>> last = new ArrayList<>();

    /**
     * @param fillers number of writers, from the first on, that filled the store
     * @param writes of each writer
     */
    Check(Shape shape, int fillers, List<Writes> writes) {
        this.shape = shape;
        this.fillers = fillers;
        for (Writes of : writes) {
            Map<Long, int[]> numbers = new HashMap<>();
            for (int number = 0; number < of.size(); number++) {
                int[] fields = numbers.computeIfAbsent(of.key(number), key -> never());
                if (of.field(number) == Writes.ALL) {
                    Arrays.fill(fields, number);
                } else {
                    fields[of.field(number)] = number;
                }
            }
            last.add(numbers);
        }
    }

    private int[] never() {
        int[] fields = new int[shape.fields()];
        Arrays.fill(fields, NEVER);
        return fields;
    }

    private int last(int writer, long hash, int field) {
        int[] fields = last.get(writer).get(hash);
        return fields == null ? NEVER : fields[field];
    }

    /** @throws IllegalStateException if the record of this key is wrong */
    void record(String key, byte[] record) {
        if (record == null || record.length != shape.recordBytes()) {
            throw new IllegalStateException(key + (record == null ? " is not there" : " has " + record.length + " bytes"));
        }
        long hash = Values.hash(key);
        for (int field = 0; field < shape.fields(); field++) {
            int from = field * shape.fieldBytes();
            String problem = problem(record, from, hash, field);
            if (problem != null) {
                throw new IllegalStateException("field " + field + " of " + key + " " + problem);
            }
        }
    }

    private String problem(byte[] record, int from, long hash, int field) {
        if (!Values.isWhole(record, from, shape.fieldBytes(), hash, field)) {
            return "has a value that was never put there";
        }
        long stamp = Values.stampOf(record, from);
        int writer = Values.writer(stamp);
        if (writer >= last.size() || Values.number(stamp) != last(writer, hash, field)) {
            return "has an older value than the last of its writer " + writer;
        }
        for (int other = fillers; writer < fillers && other < last.size(); other++) {
            if (last(other, hash, field) != NEVER) {
                return "has lost the update of writer " + other;
            }
        }
        return null;
    }
}
