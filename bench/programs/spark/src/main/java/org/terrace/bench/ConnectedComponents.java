// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.Map;
import org.apache.spark.graphx.Graph;
import picocli.CommandLine.Command;
import scala.Tuple2;

/** GraphX's connected components, which assigns to every vertex the lowest number in its component. */
@Command(name = "components", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "GraphX's connected components of an edge list.")
final class ConnectedComponents extends GraphProgram {

    ConnectedComponents() {
        super("components");
    }

    @Override
    Graph<Object, Object> load(Workbench bench, String edges, int partitions) {
        return asListed(bench, edges, partitions);
    }

    @Override
    void solve(Workbench bench, Graph<Object, Object> graph, Map<String, Object> result) {
        Graph<Object, Object> labelled = bench.phase("propagate",
                () -> org.apache.spark.graphx.lib.ConnectedComponents.run(graph, intTag(), intTag()));
        Digest labels = bench.phase("digest", () -> labelled.vertices().toJavaRDD()
                .aggregate(new Digest(), (digest, vertex) -> digest.add((Long) vertex._1(), (Long) vertex._2()),
                        Digest::merge));
        result.put("components", labelled.vertices().toJavaRDD().filter(ConnectedComponents::isLowest).count());
        result.put("digest", labels.hash());
    }

    private static boolean isLowest(Tuple2<Object, Object> vertex) {
        return vertex._1().equals(vertex._2());
    }
}
