// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether a store has what was written. Each field has to have a value that was written there, whole, and the last one of its
 * writer; and not that of the filling, if it was written after. With one thread that is the last value, exactly.
 */
final class Check {
    private static final int NEVER = -1;

    private final Shape shape;
    private final int fillers;
    /** Of each writer: by the hash of a key, the number of the last write of each field. */
    private final List<Map<Long, int[]>> last = new ArrayList<>();

    /**
     * @param fillers how many of the writers, the first ones, filled the store
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

    /** @throws IllegalStateException if the record of this key is not what was written */
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
