// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.terrace.SecondHeap.Tier;
import scala.Tuple2;

/** Tests which tiers RDDs without an entry in the plan take. The RDDs are Spark's own, but no job runs. */
class LineageTest {

    private static final Map<String, Tier> PLAN =
            Map.of("fast", Tier.FAST, "slow", Tier.SLOW, "heap", Tier.HEAP, "auto", Tier.AUTO);

    private static LocalSpark spark;

    private final Lineage lineage = new Lineage(PLAN::get, true);

    @BeforeAll
    static void start() {
        spark = LocalSpark.stock();
    }

    @AfterAll
    static void stop() {
        spark.close();
    }

    private static JavaRDD<Integer> source(String site) {
        return at(site, () -> spark.sc.parallelize(List.of(1, 2, 3, 4), 2));
    }

    private static JavaRDD<Integer> mapped(String site, JavaRDD<Integer> parent) {
        return at(site, () -> parent.map(number -> number + 1));
    }

    private static JavaPairRDD<Integer, Integer> shuffled(String site, JavaRDD<Integer> parent) {
        return at(site, () -> at("pairs", () -> parent.mapToPair(number -> new Tuple2<>(number, number)))
                .reduceByKey(Integer::sum));
    }

    private static <T> T at(String site, Supplier<T> made) {
        String before = spark.sc.sc().getLocalProperty("callSite.short");
        spark.sc.setCallSite(site);
        try {
            return made.get();
        } finally {
            spark.sc.setCallSite(before);
        }
    }

    private Tier tier(JavaRDD<?> rdd) {
        return lineage.ask(rdd.rdd()).tier;
    }

    private String reason(JavaRDD<?> rdd) {
        return lineage.ask(rdd.rdd()).reason;
    }

    @Test
    void anEntryOfThePlanHolds() {
        for (Map.Entry<String, Tier> entry : PLAN.entrySet()) {
            JavaRDD<Integer> fast = source("fast");
            JavaRDD<Integer> middle = mapped(entry.getKey(), fast);
            tier(mapped("fast", middle));
            assertEquals(entry.getValue(), tier(middle));
            assertEquals("its entry in the plan", reason(middle));
        }
    }

    @Test
    void anRddIsFastIfItIsComputedFromAFastOne() {
        JavaRDD<Integer> source = source("fast");
        JavaRDD<Integer> derived = mapped("b", mapped("a", source));
        assertEquals(Tier.FAST, tier(derived));
        assertEquals("computed from RDD " + source.id() + ", fast", reason(derived));
        for (String site : List.of("b", "slow")) {
            assertEquals(Tier.AUTO, tier(mapped("a", source(site))));
            assertEquals("no entry of the plan decides", reason(mapped("a", source(site))));
        }
    }

    @Test
    void anRddTakesTheTierOfWhatIsComputedFromItInItsStage() {
        for (String site : List.of("fast", "slow")) {
            JavaRDD<Integer> source = source("a");
            JavaRDD<Integer> derived = mapped(site, mapped("b", source));
            tier(derived);
            assertEquals(PLAN.get(site), tier(source));
            assertEquals("computed into RDD " + derived.id() + ", " + site, reason(source));
        }
    }

    @Test
    void shuffledRddsAreIncluded() {
        JavaPairRDD<Integer, Integer> from = shuffled("a", source("fast"));
        assertTrue(from.rdd() instanceof ShuffledRDD, from.rdd()::toString);
        assertEquals(Tier.FAST, lineage.ask(from.rdd()).tier);

        JavaRDD<Integer> before = source("b");
        JavaPairRDD<Integer, Integer> into = shuffled("a", before);
        assertEquals(Tier.AUTO, lineage.ask(into.rdd()).tier);
        lineage.ask(at("slow", () -> into.mapValues(number -> -number)).rdd());
        assertEquals(Tier.SLOW, lineage.ask(into.rdd()).tier);
        assertEquals(Tier.AUTO, tier(before), "slow does not spread into another stage");
        lineage.ask(at("fast", () -> into.mapValues(number -> -number)).rdd());
        assertEquals(Tier.FAST, lineage.ask(into.rdd()).tier);
        assertEquals(Tier.FAST, tier(before));
    }

    @Test
    void fastWinsOverSlow() {
        JavaRDD<Integer> slow = source("slow");
        JavaRDD<Integer> fast = source("fast");
        assertEquals(Tier.FAST, tier(at("a", () -> slow.union(fast))));
        assertEquals(Tier.FAST, tier(at("a", () -> fast.union(slow))));

        JavaRDD<Integer> derived = mapped("a", slow);
        tier(mapped("slow", mapped("b", derived)));
        assertEquals(Tier.SLOW, tier(derived));
        tier(mapped("fast", mapped("b", derived)));
        assertEquals(Tier.FAST, tier(derived), "computed into both");
        tier(mapped("slow", derived));
        assertEquals(Tier.FAST, tier(derived), "what is fast stays fast");

        JavaRDD<Integer> other = mapped("a", fast);
        tier(mapped("slow", other));
        assertEquals(Tier.FAST, tier(other), "computed from fast, but into slow");
    }

    /** A lifetime is not inherited, and what the analysis does not know stays unknown. */
    @Test
    void theNearestEntriesDecide() {
        for (String site : List.of("heap", "auto")) {
            assertEquals(Tier.AUTO, tier(mapped("a", mapped(site, source("fast")))));
            JavaRDD<Integer> source = source("a");
            tier(mapped("fast", mapped(site, source)));
            assertEquals(Tier.AUTO, tier(source));
        }
        assertEquals(Tier.AUTO, tier(mapped("a", mapped("slow", source("fast")))));
    }

    @Test
    void changedAnswersAreTold() {
        JavaRDD<Integer> first = source("a");
        JavaRDD<Integer> second = mapped("b", first);
        JavaRDD<Integer> never = mapped("c", second);
        assertEquals(Tier.AUTO, tier(first));
        assertEquals(Tier.AUTO, tier(second));
        assertEquals(0, lineage.changes());
        tier(mapped("slow", never));
        assertEquals(Map.of(first.id(), Tier.SLOW, second.id(), Tier.SLOW), changes(0), "never was not asked for");
        int known = lineage.changes();
        tier(mapped("slow", second));
        assertEquals(Map.of(), changes(known));
        tier(mapped("fast", first));
        assertEquals(Map.of(first.id(), Tier.FAST), changes(known));
    }

    private Map<Integer, Tier> changes(int known) {
        return lineage.changesSince(known).stream().collect(Collectors.toMap(answer -> answer.rddId, answer -> answer.tier));
    }

    @Test
    void withoutInheritanceOnlyEntriesCount() {
        Lineage alone = new Lineage(PLAN::get, false);
        JavaRDD<Integer> fast = source("fast");
        assertEquals(Tier.FAST, alone.ask(fast.rdd()).tier);
        assertEquals(Tier.AUTO, alone.ask(mapped("a", fast).rdd()).tier);
        assertEquals(0, alone.size());
    }

    /** A program that asks in each iteration, with RDDs that depend on those of all earlier iterations. */
    @Test
    void longChainsTakeLinearTime() {
        int length = 1000;
        JavaRDD<Integer> tip = source("a");
        List<JavaRDD<Integer>> kept = new ArrayList<>(List.of(tip));
        for (int i = 0; i < length; i++) {
            tip = mapped("b", tip);
            kept.add(tip);
            assertEquals(Tier.AUTO, tier(tip));
            if (i >= length / 2) {
                kept.add(mapped("slow", tip)); // the first of them makes the whole chain slow
                tier(kept.get(kept.size() - 1));
            }
            if (i == length / 2) {
                tip = mapped("slow", tip);
            }
        }
        assertEquals(Tier.SLOW, tier(kept.get(0)));
        tier(mapped("fast", tip));
        assertEquals(Tier.FAST, tier(tip));
        assertTrue(lineage.steps() < 8L * length, lineage.steps() + " steps");
    }

    @Test
    void deepChainsDoNotOverflowTheStack() throws InterruptedException {
        JavaRDD<Integer> bottom = mapped("a", source("slow"));
        JavaRDD<Integer> deep = bottom;
        for (int i = 0; i < 3_000; i++) {
            deep = mapped("b", deep);
        }
        JavaRDD<Integer> end = mapped("fast", deep);
        List<Object> found = new ArrayList<>();
        Thread thread = new Thread(null, () -> {
            found.add(tier(end));
            found.add(tier(bottom));
        }, "shallow", 128 << 10);
        thread.start();
        thread.join();
        assertEquals(List.of(Tier.FAST, Tier.FAST), found);
    }

    @Test
    void collectedRddsAreForgotten() throws Exception {
        JavaRDD<Integer> kept = mapped("a", source("fast"));
        assertEquals(Tier.FAST, tier(kept));
        IntStream.range(0, 100).forEach(i -> tier(mapped("c", mapped("b", kept))));
        LocalSpark.until(size -> size <= 2, () -> {
            System.gc();
            return lineage.size();
        });
        assertEquals(Tier.FAST, tier(mapped("b", kept)), "living ones are still known");
    }
}
