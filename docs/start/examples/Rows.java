// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;

public class Rows {
    public static void main(String[] args) {
        SparkSession spark = SparkSession.builder().appName("Rows").getOrCreate();
        Dataset<Long> rows = spark.range(0, 80_000_000, 1, 16).cache();
        System.out.println("rows: " + rows.count());
        System.out.println("even ones: " + rows.where("id % 2 = 0").count());
        spark.stop();
    }
}
