// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.spark;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.terrace.SecondHeap.Tier;

/**
 * Asks the driver for the tiers of RDDs. The driver has the plan, and knows where RDDs were created. Questions are sent by a
 * separate thread, because a thread that caches a partition holds locks of Spark and must not wait for an answer.
 */
final class TierQuestions {

    private static final Logger LOG = LoggerFactory.getLogger(TierQuestions.class);

    /** Configuration key by which the driver tells executors that it has a plan. */
    static final String PLANNED = "terrace.planned";

    /** Setting that tells whether RDDs without an entry in the plan take the tier of RDDs in their lineage. */
    static final String LINEAGE = "spark.terrace.lineage";

    /** Setting for the time without a read after which a fast RDD becomes slow until its next read. */
    static final String COLD_AFTER = "spark.terrace.coldAfter";

    private final PluginContext context;
    private int knownChanges = -1; // used by the thread only; -1 before the first answer
    private final long coldNanos;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "terrace-tier-questions");
        thread.setDaemon(true);
        return thread;
    });

    TierQuestions(PluginContext context) {
        this.context = context;
        coldNanos = TimeUnit.SECONDS.toNanos(context.conf().getTimeAsSeconds(COLD_AFTER, "300s"));
    }

    long coldNanos() {
        return coldNanos;
    }

    /**
     * Passes the answer to {@code placed}, later, and also earlier answers that have changed. If there is no answer, it passes
     * {@link Tier#AUTO}, because a plan affects only performance.
     */
    void ask(int rddId, BiConsumer<Integer, Tier> placed) {
        thread.execute(() -> {
            try {
                TierAnswers.fromMessage(context.ask(TierAnswers.question(rddId, knownChanges)), placed,
                        changes -> knownChanges = changes);
            } catch (Exception e) {
                LOG.warn("Terrace: the driver did not return the tier of RDD {}, so the tier is auto", rddId, e);
                placed.accept(rddId, Tier.AUTO);
            }
        });
    }

    void stop() {
        thread.shutdown();
    }
}
