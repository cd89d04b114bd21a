// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist.ycsb;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.terrace.bench.persist.PersistPrograms;
import picocli.CommandLine.Command;

/** Lists the workloads, stores and levels of {@link Ycsb}. */
@Command(name = "ycsb-list", mixinStandardHelpOptions = true,
        description = "Lists the workloads, and the stores with their durability levels.")
public final class YcsbList implements Callable<Integer> {

    @Override
    public Integer call() {
        Map<String, String> workloads = new LinkedHashMap<>();
        for (Workload.Kind kind : Workload.Kind.values()) {
            workloads.put(kind.name(), kind.title);
        }
        List<Map<String, Object>> peers = new ArrayList<>();
        for (Peer peer : Peer.values()) {
            peers.add(Map.of("name", peer.name(), "title", peer.title, "family", peer.family, "scans", peer.scans,
                    "levels", peer.levels));
        }
        PersistPrograms.print(Map.of("workloads", workloads, "peers", peers));
        return 0;
    }
}
