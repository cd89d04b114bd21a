// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.util.Map;
import java.util.Properties;
import site.ycsb.Client;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/** YCSB's workloads A to F, with their proportions of operations and their choice of records. */
final class Workload extends CoreWorkload {

    /** The available workloads. */
    enum Kind {
        A("half reads, half updates", Map.of(READ_PROPORTION_PROPERTY, "0.5", UPDATE_PROPORTION_PROPERTY, "0.5")),
        B("95 % reads, 5 % updates", Map.of(READ_PROPORTION_PROPERTY, "0.95", UPDATE_PROPORTION_PROPERTY, "0.05")),
        C("reads only", Map.of(READ_PROPORTION_PROPERTY, "1", UPDATE_PROPORTION_PROPERTY, "0")),
        D("95 % reads of what is new, 5 % inserts", Map.of(READ_PROPORTION_PROPERTY, "0.95", UPDATE_PROPORTION_PROPERTY, "0",
                INSERT_PROPORTION_PROPERTY, "0.05", REQUEST_DISTRIBUTION_PROPERTY, "latest")),
        E("95 % scans of 1 to 100 records, 5 % inserts", Map.of(READ_PROPORTION_PROPERTY, "0", UPDATE_PROPORTION_PROPERTY, "0",
                SCAN_PROPORTION_PROPERTY, "0.95", INSERT_PROPORTION_PROPERTY, "0.05", MAX_SCAN_LENGTH_PROPERTY, "100")),
        F("half reads, half reads and updates of the same record", Map.of(READ_PROPORTION_PROPERTY, "0.5",
                UPDATE_PROPORTION_PROPERTY, "0", READMODIFYWRITE_PROPORTION_PROPERTY, "0.5"));

        final String title;
        private final Map<String, String> properties;

        Kind(String title, Map<String, String> properties) {
            this.title = title;
            this.properties = properties;
        }

        boolean scans() {
            return this == E;
        }

        boolean inserts() {
            return properties.containsKey(INSERT_PROPORTION_PROPERTY);
        }
    }

    private Workload() {
    }

    /** Creates a workload. Records have a Zipf distribution unless the kind defines another one. */
    static Workload of(Kind kind, Shape shape, long operations) throws WorkloadException {
        Properties all = new Properties();
        all.setProperty(REQUEST_DISTRIBUTION_PROPERTY, "zipfian");
        all.setProperty(Client.RECORD_COUNT_PROPERTY, "" + shape.records());
        all.setProperty(Client.OPERATION_COUNT_PROPERTY, "" + operations);
        all.setProperty(FIELD_COUNT_PROPERTY, "" + shape.fields());
        all.setProperty(FIELD_LENGTH_PROPERTY, "" + shape.fieldBytes());
        all.putAll(kind.properties);
        // A workload reads these properties when it is created.
        Measurements.setProperties(all);
        Workload workload = new Workload();
        workload.init(all);
        return workload;
    }

    /** Returns the key of a record by the number of its insert. */
    String key(long number) {
        return buildKeyName(number);
    }
}
