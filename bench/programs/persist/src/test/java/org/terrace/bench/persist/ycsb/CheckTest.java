// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.ByteIterator;

/** Tests that errors of a store are found. */
class CheckTest {
    private static final Shape SHAPE = new Shape(2, 2, 3, 20, 0);
    private static final Map<String, ByteIterator> FIELD_1 = Map.of("field1", new site.ycsb.StringByteIterator(""));

    /** A store in memory that returns corrupted values. */
    private static final class Faulty implements Records {
        private final Map<String, byte[]> map = new TreeMap<>();
        private Function<byte[], byte[]> fault = Function.identity();
        private boolean losing;

        @Override
        public byte[] read(String key) {
            return fault.apply(map.get(key).clone());
        }

        @Override
        public void insert(String key, byte[] record) {
            map.put(key, record);
        }

        @Override
        public void update(String key, int from, byte[] bytes) {
            if (!losing) {
                System.arraycopy(bytes, 0, map.get(key), from, bytes.length);
            }
        }

        @Override
        public void close() {
        }
    }

    private final Faulty store = new Faulty();
    private final RecordsDb filling = new RecordsDb(store, SHAPE, 0);
    private final RecordsDb writer = new RecordsDb(store, SHAPE, 1);

    private void fill() {
        filling.insert("t", "user1", Map.of());
        filling.insert("t", "user2", Map.of());
    }

    private void check() {
        Check check = new Check(SHAPE, 1, List.of(filling.writes, writer.writes));
        for (String key : List.of("user1", "user2")) {
            check.record(key, store.read(key));
        }
    }

    private String problem() {
        return assertThrows(IllegalStateException.class, this::check).getMessage();
    }

    @Test
    void aGoodStore() {
        fill();
        writer.update("t", "user2", FIELD_1);
        writer.update("t", "user2", FIELD_1);
        assertDoesNotThrow(this::check);
    }

    @Test
    void aLostUpdate() {
        fill();
        store.losing = true;
        writer.update("t", "user2", FIELD_1);
        assertEquals("field 1 of user2 has lost the update of writer 1", problem());
    }

    @Test
    void anOlderValue() {
        fill();
        writer.update("t", "user2", FIELD_1);
        store.losing = true;
        writer.update("t", "user2", FIELD_1);
        assertEquals("field 1 of user2 has an older value than the last of its writer 1", problem());
    }

    @Test
    void aLostRecord() {
        fill();
        store.fault = record -> null;
        assertEquals("user1 is not there", problem());
    }

    @Test
    void theRecordOfAnotherKey() {
        fill();
        store.fault = record -> store.map.get("user2");
        assertEquals("field 0 of user1 has a value that was never put there", problem());
        assertThrows(IllegalStateException.class, () -> writer.read("t", "user1", null, new TreeMap<>()));
    }

    /** The changed bytes are in the first word, the second word, and the rest of the second field. */
    @ParameterizedTest
    @ValueSource(ints = {20, 27, 28, 35, 36, 39})
    void aByteThatChanged(int at) {
        fill();
        store.fault = record -> {
            record[at] ^= 1;
            return record;
        };
        assertEquals("field 1 of user1 has a value that was never put there", problem());
    }

    @Test
    void aValueThatIsNotWhole() {
        fill();
        store.fault = record -> Arrays.copyOf(record, record.length - 1);
        assertEquals("user1 has 59 bytes", problem());
    }
}
