// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import org.apache.spark.rdd.RDD;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.terrace.SecondHeap.Tier;

/**
 * The driver's answers to {@link TierQuestions}. Also defines the messages. They consist of JDK classes only, because Spark reads
 * them with a class loader that does not know a plugin from {@code --jars}.
 */
final class TierAnswers {

    private static final Logger LOG = LoggerFactory.getLogger(TerracePlugin.class);

    /** Number of RDDs that the user interface shows. */
    private static final int RETAINED = 1000;

    private final Lineage lineage;
    private final Map<Integer, Lineage.Answer> given = new LinkedHashMap<>(); // guarded by lineage

    TierAnswers(Lineage lineage) {
        this.lineage = lineage;
    }

    /** @param knownChanges number of changed answers that the executor knows; -1 before its first question */
    static Object question(int rddId, int knownChanges) {
        return new int[] {rddId, knownChanges};
    }

    static boolean isQuestion(Object message) {
        return message instanceof int[];
    }

    static int rddId(Object question) {
        return ((int[]) question)[0];
    }

    /**
     * Returns the answer to a question as a message: the tier of the RDD, and changes of earlier answers.
     *
     * @param rdd null if the RDD is no longer cached
     */
    Object answer(Object question, RDD<?> rdd) {
        synchronized (lineage) {
            Map<Integer, Tier> tiers = new LinkedHashMap<>();
            int changesBefore = lineage.changes();
            if (rdd == null) {
                tiers.put(rddId(question), Tier.AUTO);
            } else {
                Lineage.Answer answer = lineage.ask(rdd);
                tiers.put(answer.rddId, answer.tier);
                note(answer);
            }
            lineage.changesSince(changesBefore).forEach(this::note);
            int known = ((int[]) question)[1];
            if (known >= 0) {
                lineage.changesSince(known).forEach(change -> tiers.put(change.rddId, change.tier));
            }
            return new Object[] {lineage.changes(), tiers.keySet().stream().mapToInt(id -> id).toArray(),
                    tiers.values().stream().map(Tier::name).toArray(String[]::new)};
        }
    }

    static void fromMessage(Object message, BiConsumer<Integer, Tier> placed, IntConsumer changes) {
        Object[] parts = (Object[]) message;
        int[] ids = (int[]) parts[1];
        String[] tiers = (String[]) parts[2];
        for (int i = 0; i < ids.length; i++) {
            placed.accept(ids[i], Tier.valueOf(tiers[i]));
        }
        changes.accept((Integer) parts[0]);
    }

    private void note(Lineage.Answer answer) {
        Lineage.Answer before = given.remove(answer.rddId);
        given.put(answer.rddId, answer);
        if (before == null || before.tier != answer.tier) {
            LOG.info("Terrace: RDD {}, {}, belongs to tier {}: {}", answer.rddId, answer.site, answer.tier, answer.reason);
        }
        if (given.size() > RETAINED) {
            given.remove(given.keySet().iterator().next());
        }
    }

    /** Returns the latest answers, one for each RDD. */
    List<Lineage.Answer> list() {
        synchronized (lineage) {
            return new ArrayList<>(given.values());
        }
    }
}
