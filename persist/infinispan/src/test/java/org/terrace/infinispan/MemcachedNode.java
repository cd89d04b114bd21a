// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.io.IOException;
import java.nio.file.Path;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.server.memcached.MemcachedServer;
import org.infinispan.server.memcached.configuration.MemcachedProtocol;
import org.infinispan.server.memcached.configuration.MemcachedServerConfigurationBuilder;

/**
 * A memcached server whose cache has a store. It prints {@code ready}, then serves until it is killed or its standard input ends.
 * Arguments: directory, address.
 */
final class MemcachedNode {
    private MemcachedNode() {
    }

    public static void main(String[] args) throws IOException {
        ConfigurationBuilder builder = CacheManagers.withStore(Path.of(args[0]));
        builder.encoding().key().mediaType(MediaType.TEXT_PLAIN);
        builder.encoding().value().mediaType(MediaType.APPLICATION_OCTET_STREAM);
        DefaultCacheManager manager = CacheManagers.local();
        manager.defineConfiguration(CacheManagers.CACHE, builder.build());
        new MemcachedServer().start(new MemcachedServerConfigurationBuilder().host(args[1]).port(Loopback.MEMCACHED_PORT)
                .protocol(MemcachedProtocol.TEXT).clientEncoding(MediaType.APPLICATION_OCTET_STREAM)
                .defaultCacheName(CacheManagers.CACHE).build(), manager);
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // Input is ignored.
        }
        Runtime.getRuntime().halt(1);
    }
}
