// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import org.apache.giraph.comm.messages.InMemoryMessageStoreFactory;
import org.apache.giraph.conf.DefaultImmutableClassesGiraphConfigurable;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.GiraphConstants;
import org.apache.giraph.edge.InMemoryEdgeStoreFactory;
import org.apache.giraph.graph.MapperObserver;
import org.apache.giraph.partition.ByteArrayPartition;
import org.apache.giraph.partition.Partition;
import org.apache.log4j.Logger;
import org.terrace.SecondHeap;

/**
 * Giraph plugin that keeps edges and messages in the second heap (H2) of a Terrace JDK. It is enabled by
 * {@code giraph.mapper.observers=org.terrace.giraph.TerracePlugin} and the VM's {@code -XX:AllocateH2At=<dir>}. Neither
 * Giraph nor the program changes. Made for Giraph 1.3 on Hadoop 2. The second heap's paper (TeraHeap, section 5) patches
 * Giraph to do this.
 *
 * <p>The input of edges may move as it arrives. The edges of a partition may move once they are complete. The messages of a
 * superstep may move once all have arrived and the superstep begins. They move in a major collection that finds the heap short of
 * free space. Vertices stay in H1, and so do messages that are still being sent. Messages as lists of pointers
 * ({@code giraph.messageEncodeAndStoreType=POINTER_LIST_PER_VERTEX}) stay in H1 as well.
 *
 * <p>In {@code jcmd PID Terrace.h2} edges have the label -1, as Giraph numbers its input superstep, their input has -2, and
 * messages have the superstep that reads them. With {@code giraph.metrics.enable=true} Giraph's metrics include
 * {@code h2-used-bytes}, {@code h2-moved-bytes} and {@code h2-transfers}.
 *
 * <p>The plugin rejects jobs with incompatible options, namely Giraph's own out-of-core graph, partitions of bytes, message
 * stores with their own threads, or a custom message store factory. On any other JVM, or without H2, it logs a warning and
 * Giraph works as usual. A JVM runs one job at a time with the plugin, as Hadoop's JVMs do.
 */
@SuppressWarnings("rawtypes")
public final class TerracePlugin extends DefaultImmutableClassesGiraphConfigurable implements MapperObserver {

    private static final Logger LOG = Logger.getLogger(TerracePlugin.class);

    @Override
    public void setup() {
        requireApi();
        if (!SecondHeap.isAvailable()) {
            LOG.warn("Terrace: this worker runs on " + System.getProperty("java.home") + " ("
                    + System.getProperty("java.vm.version") + ") without a second heap, so Giraph keeps all data on the heap. Start "
                    + "it on a Terrace JDK with -XX:AllocateH2At=<dir> (mapreduce.map.java.opts in a Hadoop job), or leave "
                    + TerracePlugin.class.getName() + " out of " + GiraphConstants.MAPPER_OBSERVER_CLASSES.getKey());
            return;
        }
        install(getConf());
        LOG.info("Terrace: edges and messages may move to the second heap");
    }

    private static void requireApi() {
        try {
            Class.forName("org.terrace.SecondHeap", false, TerracePlugin.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            String message = "Terrace: the class org.terrace.SecondHeap is not on the class path of the Giraph plugin. Put the jar "
                    + "terrace-giraph-<version>.jar there, which contains it, instead of the plugin's classes alone";
            LOG.fatal(message);
            throw new IllegalStateException(message, e);
        }
    }

    /** Configures the worker that is about to be created, or throws if the job has incompatible options. */
    static void install(GiraphConfiguration conf) {
        refuse(GiraphConstants.USE_OUT_OF_CORE_GRAPH.get(conf), GiraphConstants.USE_OUT_OF_CORE_GRAPH.getKey() + "=true",
                "both would move edges and messages out of the heap", "Leave it out, because the second heap replaces it");
        refuse(GiraphConstants.ASYNC_MESSAGE_STORE_THREADS_COUNT.get(conf) > 0,
                GiraphConstants.ASYNC_MESSAGE_STORE_THREADS_COUNT.getKey() + " above 0",
                "messages could change after the plugin has scheduled them for transfer", "Set it to 0");
        Class<? extends Partition> partitions = GiraphConstants.PARTITION_CLASS.get(conf);
        refuse(ByteArrayPartition.class.isAssignableFrom(partitions),
                GiraphConstants.PARTITION_CLASS.getKey() + "=" + partitions.getName(),
                "it keeps the edges and the value of a vertex in one byte array, which changes in every superstep",
                "Leave it out, so that Giraph uses SimplePartition");
        Class<?> factory = GiraphConstants.MESSAGE_STORE_FACTORY_CLASS.get(conf);
        refuse(factory != InMemoryMessageStoreFactory.class && factory != TerraceMessageStoreFactory.class,
                GiraphConstants.MESSAGE_STORE_FACTORY_CLASS.getKey() + "=" + factory.getName(),
                "only Giraph's own in-memory stores are supported", "Leave it out");
        GiraphConstants.MESSAGE_STORE_FACTORY_CLASS.set(conf, TerraceMessageStoreFactory.class);
        // With a custom edge store, edges move as well, but only after all of them are loaded.
        if (GiraphConstants.EDGE_STORE_FACTORY_CLASS.get(conf) == InMemoryEdgeStoreFactory.class) {
            GiraphConstants.EDGE_STORE_FACTORY_CLASS.set(conf, TerraceEdgeStoreFactory.class);
        }
        conf.addWorkerObserverClass(EdgeMover.class);
    }

    private static void refuse(boolean is, String what, String why, String remedy) {
        if (is) {
            String message = "Terrace: " + TerracePlugin.class.getName() + " does not work with " + what + ": " + why + ". "
                    + remedy + ", or leave the plugin out of " + GiraphConstants.MAPPER_OBSERVER_CLASSES.getKey();
            // Giraph serializes exceptions by Kryo before it logs them. On JDK 17 that fails, and they are lost.
            LOG.fatal(message);
            throw new IllegalArgumentException(message);
        }
    }
}
