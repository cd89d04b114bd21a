// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.graphx.Graph;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import scala.jdk.javaapi.CollectionConverters;

/** GraphX's shortest paths, in edges, from every vertex to some landmarks. */
@Command(name = "sssp", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "GraphX's shortest paths, in edges, from every vertex to the landmarks.")
final class ShortestPaths extends GraphProgram {

    @Option(names = "--landmarks", defaultValue = "0", split = ",", paramLabel = "VERTEX",
            description = "Vertices to which paths are computed.")
    private List<Long> landmarks;

    ShortestPaths() {
        super("sssp");
    }

    @Override
    Graph<Object, Object> load(Workbench bench, String edges, int partitions) {
        return asListed(bench, edges, partitions);
    }

    @Override
    void describe(Map<String, Object> parameters) {
        parameters.put("landmarks", landmarks);
    }

    @Override
    void solve(Workbench bench, Graph<Object, Object> graph, Map<String, Object> result) {
        Graph<scala.collection.Map<Object, Object>, Object> measured = bench.phase("propagate",
                () -> org.apache.spark.graphx.lib.ShortestPaths.run(graph,
                        CollectionConverters.asScala(new ArrayList<Object>(landmarks)).toSeq(), intTag()));
        Digest distances = bench.phase("digest", () -> measured.vertices().toJavaRDD()
                .flatMap(vertex -> CollectionConverters.asJava(vertex._2()).entrySet().stream()
                        .map(way -> new long[] {(Long) vertex._1(), (Long) way.getKey(), (Integer) way.getValue()})
                        .iterator())
                .aggregate(new Digest(), (digest, way) -> digest.add(31 * way[0] + way[1], way[2]), Digest::merge));
        result.put("paths", distances.count());
        result.put("pathEdges", distances.sum());
        result.put("digest", distances.hash());
    }
}
