// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.context.Flag;
import org.infinispan.manager.DefaultCacheManager;

/**
 * One node of a cluster of two, each of which owns all entries. It prints {@code ready} once it has received the other node's
 * entries, if there are any. Then it answers each input line. The answer to {@code put KEY VALUE} is {@code ok}. The answer to
 * {@code entries} is the node's own entries as {@code KEY=VALUE ...}. Arguments: its name, the directory of its store, number of
 * nodes to wait for.
 */
final class ClusterNode {
    private ClusterNode() {
    }

    public static void main(String[] args) throws IOException {
        // Otherwise Infinispan's threads would keep a failed node running, and its client would wait forever.
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        GlobalConfigurationBuilder global = GlobalConfigurationBuilder.defaultClusteredBuilder();
        global.transport().nodeName(args[0]).addProperty("configurationFile", "cluster-of-two.xml")
                .initialClusterSize(Integer.parseInt(args[2]));
        ConfigurationBuilder builder = new ConfigurationBuilder();
        builder.clustering().cacheMode(CacheMode.DIST_SYNC).remoteTimeout(2, TimeUnit.MINUTES).hash().numOwners(2);
        builder.locking().lockAcquisitionTimeout(1, TimeUnit.MINUTES);
        CacheManagers.store(builder, Path.of(args[1]));
        // With this limit, many entries are only in the store.
        builder.memory().maxCount(10);
        DefaultCacheManager manager = new DefaultCacheManager(global.build());
        Cache<String, String> cache = manager.createCache(CacheManagers.CACHE, builder.build());
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            System.out.println(switch (words[0]) {
                case "put" -> {
                    cache.put(words[1], words[2]);
                    yield "ok";
                }
                case "entries" -> {
                    StringJoiner entries = new StringJoiner(" ");
                    cache.getAdvancedCache().withFlags(Flag.CACHE_MODE_LOCAL).forEach((k, v) -> entries.add(k + "=" + v));
                    yield entries;
                }
                default -> throw new IllegalArgumentException(line);
            });
        }
    }
}
