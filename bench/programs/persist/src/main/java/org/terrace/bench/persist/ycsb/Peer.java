// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** The measured stores, with the actions that provide each level. A level that a store cannot provide is missing. */
enum Peer {
    TERRACE("Terrace, hash map", TerraceRecords::hash, Family.STORE, Scans.NONE,
            "Durability.SYNC", "Durability.PROCESS", "Durability.PROCESS, which promises more"),
    TERRACE_TREE("Terrace, tree map", TerraceRecords::tree, Family.STORE, Scans.FIRST,
            "Durability.SYNC", "Durability.PROCESS"),
    TERRACE_SKIP_LIST("Terrace, skip-list map", TerraceRecords::skipList, Family.STORE, Scans.FIRST,
            "Durability.SYNC", "Durability.PROCESS"),
    ROCKSDB("RocksDB", RocksRecords::new, Family.STORE, Scans.TOO,
            "WriteOptions.setSync(true)", "the log is written, not synced (its default)"),
    LMDB("LMDB", LmdbRecords::new, Family.STORE, Scans.TOO,
            "its default", "MDB_NOSYNC"),
    MAPDB("MapDB, HTreeMap", MapDbRecords::hash, Family.STORE, Scans.NONE,
            "transactionEnable(), and commit() after each change", null),
    MAPDB_TREE("MapDB, BTreeMap", MapDbRecords::tree, Family.STORE, Scans.FIRST,
            "transactionEnable(), and commit() after each change", null),
    CHRONICLE("Chronicle Map", ChronicleRecords::new, Family.STORE, Scans.NONE,
            null, null, "as it is: a mapped file that nothing syncs"),
    MVSTORE("H2 MVStore", MvStoreRecords::new, Family.STORE, Scans.TOO,
            "commit() and sync() after each change", "commit() after each change"),
    XODUS("Xodus", XodusRecords::new, Family.STORE, Scans.TOO,
            "setLogDurableWrite(true)", "setLogDurableWrite(false) (its default)"),
    ECLIPSE("Eclipse Store", EclipseRecords::new, Family.STORE, Scans.NONE,
            null, "as it is: store() writes to files that nothing syncs"),
    INFINISPAN_TERRACE("Infinispan, Terrace's store", InfinispanRecords::terrace, Family.CACHE, Scans.NONE,
            "durability SYNC", "durability PROCESS"),
    INFINISPAN_SIFS("Infinispan, soft-index file store", InfinispanRecords::softIndex, Family.CACHE, Scans.NONE,
            "syncWrites(true)", "syncWrites(false) (its default)"),
    INFINISPAN_FILE("Infinispan, single-file store", InfinispanRecords::singleFile, Family.CACHE, Scans.NONE,
            null, "as it is; it never syncs");

    /** Whether a store supports scans in key order. */
    enum Scans {
        NONE,
        TOO,
        /** The variant for workloads with scans. Another variant of the same store runs the other workloads. */
        FIRST
    }

    /** Groups of stores that are compared with each other. */
    enum Family { STORE, CACHE }

    /** Opens a store in a folder, and creates it if there is none. */
    private interface Opener {
        Records open(Path folder, Level level, Shape shape) throws Exception;
    }

    final String title;
    final Family family;
    final Scans scans;
    /** Descriptions of the actions that provide each level. */
    final Map<Level, String> levels = new EnumMap<>(Level.class);
    private final Opener opener;

    /** @param levels actions for SYNC, PROCESS and MAPPED, with null for unsupported levels */
    Peer(String title, Opener opener, Family family, Scans scans, String... levels) {
        this.title = title;
        this.opener = opener;
        this.family = family;
        this.scans = scans;
        for (int i = 0; i < levels.length; i++) {
            if (levels[i] != null) {
                this.levels.put(Level.values()[i], levels[i]);
            }
        }
    }

    /** @throws IllegalArgumentException if the store does not support the level */
    Records open(Path folder, Level level, Shape shape) throws Exception {
        if (level != Level.CLOSED && !levels.containsKey(level)) {
            throw new IllegalArgumentException(title + " has no level " + level);
        }
        return opener.open(folder, level, shape);
    }
}
