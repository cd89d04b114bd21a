// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.graphx.Graph;
import org.apache.spark.graphx.PartitionStrategy;
import org.apache.spark.graphx.PartitionStrategy$;
import org.apache.spark.storage.StorageLevel;
import picocli.CommandLine.Command;
import scala.Option;
import scala.Tuple2;

/** GraphX's triangle count. The graph is loaded without loops and repeated edges, because they do not matter, and neither do directions. */
@Command(name = "triangles", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "GraphX's triangle count of an edge list, taken as an undirected graph.")
final class TriangleCount extends GraphProgram {

    /** All edges between the same two vertices, in both directions, are in one partition. */
    private static final PartitionStrategy BY_BOTH_ENDS =
            PartitionStrategy$.MODULE$.fromString("CanonicalRandomVertexCut");

    private static final int CORNERS = 3;

    TriangleCount() {
        super("triangles");
    }

    @Override
    Graph<Object, Object> load(Workbench bench, String edges, int partitions) {
        JavaRDD<Tuple2<Object, Object>> canonical = bench.sc.textFile(edges, partitions)
                .filter(EdgeList::isEdge)
                .map(EdgeList::parse)
                .filter(edge -> !edge._1().equals(edge._2()))
                .map(edge -> new Tuple2<Object, Object>((long) Math.min(edge._1(), edge._2()),
                        (long) Math.max(edge._1(), edge._2())));
        StorageLevel level = options().level();
        return Graph.fromEdgeTuples(canonical.rdd(), 1, Option.apply(BY_BOTH_ENDS), level, level, intTag());
    }

    @Override
    void solve(Workbench bench, Graph<Object, Object> graph, Map<String, Object> result) {
        Digest corners = bench.phase("count",
                () -> org.apache.spark.graphx.lib.TriangleCount.runPreCanonicalized(graph, intTag(), intTag())
                        .vertices().toJavaRDD()
                        .aggregate(new Digest(), (digest, vertex) -> digest.add((Long) vertex._1(), (Integer) vertex._2()),
                                Digest::merge));
        result.put("triangles", corners.sum() / CORNERS);
        result.put("digest", corners.hash());
    }
}
