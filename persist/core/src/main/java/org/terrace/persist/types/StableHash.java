// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/** Hash codes that are the same in every process, as hashes are stored: those of enums, for one, are not. */
final class StableHash {
    private StableHash() {
    }

    static int of(Object key) {
        int hash = hash(key);
        return hash ^ hash >>> 16;
    }

    private static int hash(Object key) {
        if (key instanceof Long || key instanceof Integer || key instanceof String) {
            return key.hashCode();
        } else if (key == null) {
            return 0;
        } else if (key instanceof Enum<?> e) {
            return e.name().hashCode();
        } else if (key instanceof UUID u) {
            return Long.hashCode(u.getMostSignificantBits() ^ u.getLeastSignificantBits());
        } else if (key instanceof Instant i) {
            return Long.hashCode(i.getEpochSecond()) * 31 + i.getNano();
        } else if (key instanceof BigInteger b) {
            return Arrays.hashCode(b.toByteArray());
        } else if (key instanceof BigDecimal d) {
            return Arrays.hashCode(d.unscaledValue().toByteArray()) * 31 + d.scale();
        } else if (key instanceof Optional<?> o) {
            return of(o.orElse(null));
        } else if (key instanceof Record) {
            return Records.stableHash(key);
        }
        return key.hashCode();
    }
}
