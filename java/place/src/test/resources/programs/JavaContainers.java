// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.StorageLevels;
import org.apache.spark.storage.StorageLevel;

final class JavaContainers {

    private static final StorageLevel SERIALIZED = StorageLevel.MEMORY_ONLY_SER();

    private final List<JavaRDD<Integer>> parts = new ArrayList<>();
    private final JavaRDD<?>[] whole = new JavaRDD<?>[2];

    private JavaContainers(JavaSparkContext sc) {
        parts.add(sc.parallelize(Arrays.asList(1, 2)).cache()); // place: auto parts parallelize
        whole[0] = sc.parallelize(Arrays.asList(3, 4)).cache(); // place: fast whole parallelize
    }

    private void train(int turns) {
        for (int t = 0; t < turns; t++) {
            System.out.println(parts.get(t % 2).count());
            for (JavaRDD<?> one : whole) {
                System.out.println(one.count());
            }
        }
    }

    static void fields(JavaSparkContext sc, int turns) {
        new JavaContainers(sc).train(turns);
    }

    static void grid(JavaSparkContext sc, int turns) {
        JavaRDD<?>[][] grid = new JavaRDD<?>[2][2];
        JavaRDD<?>[][] cells = new JavaRDD<?>[2][2];
        for (int i = 0; i < 2; i++) {
            grid[i][0] = sc.parallelize(Arrays.asList(1, i)).cache(); // place: fast grid parallelize
            cells[i][1] = sc.parallelize(Arrays.asList(2, i)).cache(); // place: auto cells parallelize
        }
        for (int t = 0; t < turns; t++) {
            for (JavaRDD<?>[] row : grid) {
                for (JavaRDD<?> cell : row) {
                    System.out.println(cell.count());
                }
            }
            System.out.println(cells[t % 2][t / 2].count());
        }
    }

    static void fixed(JavaSparkContext sc, int turns) {
        JavaRDD<Integer> a = sc.parallelize(Arrays.asList(1, 2)).cache(); // place: fast all parallelize
        JavaRDD<Integer> b = sc.parallelize(Arrays.asList(3, 4)).cache(); // place: auto b parallelize
        JavaRDD<Integer> c = sc.parallelize(Arrays.asList(5, 6)).cache(); // place: fast c parallelize
        List<JavaRDD<Integer>> all = Arrays.asList(a);
        List<JavaRDD<Integer>> some = Arrays.asList(b);
        for (int t = 0; t < turns; t++) {
            all.forEach(data -> System.out.println(data.count()));
            System.out.println(some.get(t).count());
            System.out.println(Stream.of(c).mapToLong(JavaRDD::count).sum());
        }
    }

    static void streams(JavaSparkContext sc, int turns) {
        List<JavaRDD<Integer>> made = Stream.of(1, 2)
                .map(i -> sc.parallelize(Arrays.asList(i, 2)).cache()) // place: fast made parallelize
                .collect(Collectors.toList());
        List<JavaRDD<Integer>> picked = Stream.of(1, 2)
                .map(i -> sc.parallelize(Arrays.asList(i, 3)).cache()) // place: auto picked parallelize
                .collect(Collectors.toList());
        for (int t = 0; t < turns; t++) {
            System.out.println(made.stream().mapToLong(data -> data.count()).sum());
            System.out.println(picked.get(t % 2).count());
        }
    }

    static void maps(JavaSparkContext sc, int turns) {
        Map<String, JavaRDD<Integer>> values = new HashMap<>();
        Map<String, JavaRDD<Integer>> pairs = new HashMap<>();
        Map<String, JavaRDD<Integer>> keyed = new HashMap<>();
        Map<Integer, JavaRDD<Integer>> memo = new ConcurrentHashMap<>();
        values.put("a", sc.parallelize(Arrays.asList(1, 2)).cache()); // place: fast values parallelize
        pairs.put("a", sc.parallelize(Arrays.asList(3, 4)).cache()); // place: fast pairs parallelize
        keyed.put("a", sc.parallelize(Arrays.asList(5, 6)).cache()); // place: fast keyed parallelize
        for (int t = 0; t < turns; t++) {
            for (JavaRDD<Integer> table : values.values()) {
                System.out.println(table.count());
            }
            pairs.forEach((name, table) -> System.out.println(name + table.count()));
            for (String key : keyed.keySet()) {
                System.out.println(keyed.getOrDefault(key, null).count());
            }
            JavaRDD<Integer> data = memo.computeIfAbsent(t % 3,
                    key -> sc.parallelize(Arrays.asList(key, 2)).cache()); // place: auto memo parallelize
            System.out.println(data.count());
        }
    }

    static void queue(JavaSparkContext sc, int turns) {
        Deque<JavaRDD<Integer>> queue = new ArrayDeque<>();
        List<JavaRDD<Integer>> iterated = new ArrayList<>();
        queue.add(sc.parallelize(Arrays.asList(1, 2)).cache()); // place: auto queue parallelize
        iterated.add(sc.parallelize(Arrays.asList(3, 4)).cache()); // place: fast iterated parallelize
        for (int t = 0; t < turns; t++) {
            System.out.println(queue.peek().count());
            for (Iterator<JavaRDD<Integer>> i = iterated.iterator(); i.hasNext();) {
                System.out.println(i.next().count());
            }
        }
    }

    static void levels(JavaSparkContext sc, int turns, boolean twice, Optional<String> setting) {
        StorageLevel held = StorageLevel.DISK_ONLY();
        StorageLevel either = twice ? StorageLevel.MEMORY_ONLY_2() : StorageLevel.MEMORY_AND_DISK();
        JavaRDD<Integer> disk = sc.parallelize(Arrays.asList(1, 2)).persist(held); // place: auto disk parallelize
        JavaRDD<Integer> disk2 = sc.parallelize(Arrays.asList(1, 2)).persist(StorageLevel.DISK_ONLY_2()); // place: auto disk2 parallelize
        JavaRDD<Integer> disk3 = sc.parallelize(Arrays.asList(1, 2)).persist(StorageLevels.DISK_ONLY_3); // place: auto disk3 parallelize
        JavaRDD<Integer> ser = sc.parallelize(Arrays.asList(1, 2)).persist(SERIALIZED); // place: auto ser parallelize
        JavaRDD<Integer> ser2 = kept(sc.parallelize(Arrays.asList(1)), StorageLevels.MEMORY_AND_DISK_SER_2); // place: auto ser2 parallelize
        JavaRDD<Integer> two = kept(sc.parallelize(Arrays.asList(1, 2)), StorageLevel.MEMORY_ONLY_2()); // place: fast two parallelize
        JavaRDD<Integer> some = sc.parallelize(Arrays.asList(1, 2)).persist(either); // place: fast some parallelize
        StorageLevel read = setting.map(StorageLevel::fromString).orElse(StorageLevel.MEMORY_ONLY());
        JavaRDD<Integer> unknown = sc.parallelize(Arrays.asList(1, 2)).persist(read); // place: fast unknown parallelize
        for (int t = 0; t < turns; t++) {
            System.out.println(disk.union(disk2).union(disk3).union(ser).union(ser2).union(two).union(some).union(unknown).count());
        }
    }

    private static JavaRDD<Integer> kept(JavaRDD<Integer> data, StorageLevel level) {
        return data.persist(level);
    }
}
