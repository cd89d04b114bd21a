// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.storage.StorageLevel;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The common options of all Spark programs in this package. */
final class SparkOptions {

    @Option(names = "--cores", defaultValue = "2", paramLabel = "N",
            description = "Number of concurrent tasks. With --master, the cluster's own settings decide.")
    int cores;

    @Option(names = "--master", paramLabel = "URL",
            description = "Master of a cluster, spark://HOST:PORT. Without it, Spark runs in this JVM.")
    private String master;

    @Option(names = "--storage-level", defaultValue = "MEMORY_AND_DISK", paramLabel = "LEVEL",
            description = "Spark's storage level for cached data.")
    String storageLevel;

    @Option(names = "--local-dir", paramLabel = "DIR",
            description = "Folder for Spark's shuffle files and evicted blocks.")
    String localDir = System.getProperty("java.io.tmpdir");

    @Option(names = "--conf", paramLabel = "KEY=VALUE", showDefaultValue = CommandLine.Help.Visibility.NEVER,
            description = "A Spark setting. May be repeated.")
    Map<String, String> conf = new LinkedHashMap<>();

    StorageLevel level() {
        return StorageLevel.fromString(storageLevel);
    }

    SparkConf sparkConf(String name) {
        SparkConf all = new SparkConf()
                .setMaster(master != null ? master : "local[" + cores + "]")
                .setAppName(name)
                .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.local.dir", localDir);
        conf.forEach(all::set);
        return all;
    }
}
