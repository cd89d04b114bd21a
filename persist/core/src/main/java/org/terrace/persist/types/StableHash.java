// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.terrace.persist.heap.EnumConstants;

/** Hash codes that are the same in every process, because they are stored. The hash codes of enums, for example, are not. */
final class StableHash {
    private StableHash() {
    }

    static int of(Object key) {
        int hash = hash(key);
        return hash ^ hash >>> 16;
    }

    /** Hashes of an equal key with former names of the constants in it, for a key that is not found by its current hash. */
    static List<Integer> former(Object key) {
        if (!EnumConstants.areSomeRenamed() || !(key instanceof Enum || key instanceof Record || key instanceof Optional)) {
            return List.of();
        }
        return formerUnspread(key).stream().map(hash -> hash ^ hash >>> 16).toList();
    }

    private static List<Integer> formerUnspread(Object key) {
        if (key instanceof Enum<?> e) {
            return EnumConstants.of(e.getDeclaringClass()).formerNames(e.name()).stream().map(String::hashCode).toList();
        }
        return key instanceof Optional<?> o ? former(o.orElse(null)) : Records.formerHashes(key);
    }

    private static int hash(Object key) {
        if (key instanceof Long || key instanceof Integer || key instanceof String) {
            return key.hashCode();
        } else if (key == null) {
            return 0;
        } else if (key instanceof Enum<?> e) {
            return e.name().hashCode();
        } else if (key instanceof MissingConstant m) {
            return m.name().hashCode();
        } else if (key instanceof OpaqueRecord r) {
            return Records.stableHash(r);
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
