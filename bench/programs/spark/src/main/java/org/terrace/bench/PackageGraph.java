// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Creates the graph of dependencies between Debian packages. */
@Command(name = "packagegraph", mixinStandardHelpOptions = true,
        description = "Converts the output of 'apt-cache dumpavail' to an edge list. Each package has edges to the packages "
            + "that it depends on, recommends or suggests, including alternatives.")
final class PackageGraph implements Callable<Integer> {

    private static final Set<String> RELATIONS = Set.of("Depends", "Pre-Depends", "Recommends", "Suggests");

    @Parameters(index = "0", paramLabel = "OUT",
            description = "The edge list to write. The names of the packages are written to OUT.names.")
    private Path out;

    @Parameters(index = "1", arity = "0..1", paramLabel = "IN",
            description = "The output of apt-cache dumpavail. Default: standard input")
    private Path in;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        long packages = 0;
        EdgeList graph = new EdgeList(out);
        try (graph; BufferedReader lines = in == null
                ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                : Files.newBufferedReader(in)) {
            String name = null;
            Set<Integer> targets = new LinkedHashSet<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty()) {
                    packages += write(graph, name, targets);
                    name = null;
                } else if (line.startsWith("Package: ")) {
                    name = line.substring("Package: ".length());
                } else {
                    int colon = line.indexOf(": ");
                    if (colon > 0 && RELATIONS.contains(line.substring(0, colon))) {
                        for (String target : line.substring(colon + 2).split("[,|]")) {
                            targets.add(graph.vertex(packageName(target)));
                        }
                    }
                }
            }
            packages += write(graph, name, targets);
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("workload", "packagegraph");
        report.put("result", Map.of("vertices", graph.vertices(), "edges", graph.edges(), "packages", packages));
        report.put("seconds", Map.of("total", Workbench.secondsSince(start)));
        Workbench.print(report);
        return 0;
    }

    private static int write(EdgeList graph, String name, Set<Integer> targets) throws IOException {
        if (name == null) {
            return 0;
        }
        graph.edges(graph.vertex(name), targets);
        targets.clear();
        return 1;
    }

    /** Extracts {@code "libc6"} from {@code " libc6:any (>= 2.14)"}. */
    private static String packageName(String relation) {
        String name = relation.trim();
        int end = 0;
        while (end < name.length() && " :(".indexOf(name.charAt(end)) < 0) {
            end++;
        }
        return name.substring(0, end);
    }
}
