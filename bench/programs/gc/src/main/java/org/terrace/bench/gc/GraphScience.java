// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import com.carrotsearch.hppc.LongHashSet;
import java.util.List;
import java.util.Optional;
import org.neo4j.gds.beta.generator.PropertyProducer;
import org.neo4j.gds.beta.generator.RandomGraphGenerator;
import org.neo4j.gds.beta.generator.RelationshipDistribution;
import org.neo4j.gds.collections.ha.HugeDoubleArray;
import org.neo4j.gds.core.concurrency.Concurrency;
import org.neo4j.gds.core.concurrency.DefaultPool;
import org.neo4j.gds.core.huge.HugeGraph;
import org.neo4j.gds.core.utils.paged.dss.DisjointSetStruct;
import org.neo4j.gds.core.utils.progress.tasks.ProgressTracker;
import org.neo4j.gds.pagerank.DegreeFunctions;
import org.neo4j.gds.pagerank.PageRankAlgorithm;
import org.neo4j.gds.pagerank.PageRankComputation;
import org.neo4j.gds.pagerank.PageRankConfig;
import org.neo4j.gds.pagerank.PageRankConfigImpl;
import org.neo4j.gds.pagerank.PageRankVariant;
import org.neo4j.gds.termination.TerminationFlag;
import org.neo4j.gds.wcc.Wcc;
import org.neo4j.gds.wcc.WccParameters;
import org.terrace.bench.harness.Latencies;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A program that runs Neo4j's Graph Data Science library on a generated graph in memory. */
@Command(name = "graph-science", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Runs PageRank and connected components of Neo4j's Graph Data Science library on a graph of --size thousand nodes.")
final class GraphScience extends GcProgram {

    private static final int THOUSAND = 1000;
    private static final int SEED = 17;
    private static final String WEIGHT = "weight";
    /** Precision of a score. The order in which messages are added differs between runs. */
    private static final double PRECISION = 1e-6;

    @Option(names = "--degree", defaultValue = "32", paramLabel = "N", description = "Average number of relationships per node.")
    private int degree;

    private HugeGraph graph;

    @Override
    void prepare() {
        graph = RandomGraphGenerator.builder()
                .nodeCount((long) size * THOUSAND)
                .averageDegree(degree)
                .relationshipDistribution(RelationshipDistribution.POWER_LAW)
                .relationshipPropertyProducer(PropertyProducer.randomDouble(WEIGHT, 0, 1))
                .seed(SEED)
                .build()
                .generate();
    }

    @Override
    Object once(Latencies latencies) {
        long start = System.nanoTime();
        HugeDoubleArray scores = pageRank();
        latencies.record("pagerank", System.nanoTime() - start);
        start = System.nanoTime();
        DisjointSetStruct components = components();
        latencies.record("components", System.nanoTime() - start);
        double sum = 0;
        long roots = 0;
        for (long node = 0; node < graph.nodeCount(); node++) {
            sum += scores.get(node);
            roots += components.setIdOf(node) == node ? 1 : 0;
        }
        return List.of(graph.relationshipCount(), Math.round(sum / graph.nodeCount() / PRECISION), roots);
    }

    private HugeDoubleArray pageRank() {
        PageRankConfig config = PageRankConfigImpl.builder()
                .concurrency(threads)
                .maxIterations(10)
                .tolerance(0)
                .relationshipWeightProperty(WEIGHT)
                .build();
        PageRankComputation<PageRankConfig> computation = new PageRankComputation<>(config, new LongHashSet(),
                DegreeFunctions.pageRankDegreeFunction(graph, true, concurrency()));
        return new PageRankAlgorithm<>(graph, config, computation, PageRankVariant.PAGE_RANK, DefaultPool.INSTANCE,
                ProgressTracker.NULL_TRACKER, TerminationFlag.RUNNING_TRUE).compute().scores();
    }

    private DisjointSetStruct components() {
        return new Wcc(graph, DefaultPool.INSTANCE, THOUSAND, new WccParameters(0, Optional.empty(), concurrency()),
                ProgressTracker.NULL_TRACKER, TerminationFlag.RUNNING_TRUE).compute();
    }

    private Concurrency concurrency() {
        return new Concurrency(threads);
    }
}
