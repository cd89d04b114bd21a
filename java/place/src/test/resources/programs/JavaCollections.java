// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.StorageLevels;
import org.apache.spark.storage.StorageLevel;

final class JavaCollections {

    static void array(JavaSparkContext sc, int turns) {
        JavaRDD<?>[] all = new JavaRDD<?>[3];
        JavaRDD<?>[] some = new JavaRDD<?>[3];
        JavaRDD<?>[] each = new JavaRDD<?>[3];
        for (int i = 0; i < 3; i++) {
            all[i] = sc.parallelize(Arrays.asList(1, i)).cache(); // place: fast all parallelize
            some[i] = sc.parallelize(Arrays.asList(2, i)).cache(); // place: auto some parallelize
            each[i] = sc.parallelize(Arrays.asList(2, i)).cache(); // place: slow each parallelize
        }
        for (int t = 0; t < turns; t++) {
            for (JavaRDD<?> one : all) {
                System.out.println(one.count());
            }
            System.out.println(some[t % 3].count());
        }
        for (int i = 0; i < 3; i++) {
            System.out.println(each[i].count());
        }
    }

    static void list(JavaSparkContext sc, int turns) {
        List<JavaRDD<Integer>> all = new ArrayList<>();
        Map<String, JavaRDD<Integer>> byName = new HashMap<>();
        List<JavaRDD<Integer>> each = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(sc.parallelize(Arrays.asList(1, i)).cache()); // place: fast all parallelize
            byName.put("a" + i, sc.parallelize(Arrays.asList(2, i)).cache()); // place: auto byName parallelize
            each.add(sc.parallelize(Arrays.asList(2, i)).cache()); // place: slow each parallelize
        }
        for (int t = 0; t < turns; t++) {
            for (JavaRDD<Integer> one : all) {
                System.out.println(one.count());
            }
            System.out.println(byName.get("a" + t).count());
        }
        for (JavaRDD<Integer> one : each) {
            System.out.println(one.count());
        }
    }

    static void entries(JavaSparkContext sc, int turns) {
        Map<String, JavaRDD<Integer>> tables = new HashMap<>();
        tables.put("a", sc.parallelize(Arrays.asList(2, 1)).cache()); // place: fast tables parallelize
        JavaRDD<Integer> once = sc.parallelize(Arrays.asList(3, 4)).cache(); // place: slow once parallelize
        for (int t = 0; t < turns; t++) {
            for (Map.Entry<String, JavaRDD<Integer>> entry : tables.entrySet()) {
                System.out.println(entry.getKey() + entry.getValue().count());
            }
        }
        System.out.println(once.count());
    }

    static void levels(JavaSparkContext sc, int turns, StorageLevel unknown) {
        JavaRDD<Integer> disk = sc.parallelize(Arrays.asList(2, 1)).persist(StorageLevels.DISK_ONLY); // place: auto disk parallelize
        JavaRDD<Integer> off = sc.parallelize(Arrays.asList(2, 1)).persist(StorageLevel.OFF_HEAP()); // place: auto off parallelize
        StorageLevel level = StorageLevels.MEMORY_ONLY_SER_2;
        JavaRDD<Integer> bytes = sc.parallelize(Arrays.asList(2, 1)).persist(level); // place: auto bytes parallelize
        JavaRDD<Integer> own = sc.parallelize(Arrays.asList(2, 1)) // place: auto own parallelize
                .persist(StorageLevels.create(true, false, false, false, 1));
        JavaRDD<Integer> any = sc.parallelize(Arrays.asList(2, 1)).persist(unknown); // place: fast any parallelize
        for (int t = 0; t < turns; t++) {
            System.out.println(disk.union(off).union(bytes).union(own).union(any).count());
        }
    }
}
