// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import org.apache.giraph.comm.messages.InMemoryMessageStoreFactory;
import org.apache.giraph.conf.DefaultImmutableClassesGiraphConfigurable;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.GiraphConstants;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.graph.MapperObserver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.terrace.SecondHeap;

/** Tests of the plugin that need no second heap. */
@SuppressWarnings("rawtypes")
class TerracePluginTest {

    /** A user's own factory. */
    public static final class Own extends InMemoryMessageStoreFactory {
    }

    /** The plugin, installed on a JVM without a second heap. */
    public static final class Installed extends DefaultImmutableClassesGiraphConfigurable implements MapperObserver {
        @Override
        public void setup() {
            TerracePlugin.install(getConf());
        }
    }

    @Test
    void withoutASecondHeapNothingIsSet() {
        assumeFalse(SecondHeap.isAvailable(), "there is one on this VM");
        ImmutableClassesGiraphConfiguration conf = new ImmutableClassesGiraphConfiguration(new GiraphConfiguration());
        TerracePlugin plugin = new TerracePlugin();
        plugin.setConf(conf);
        plugin.setup();
        assertEquals(InMemoryMessageStoreFactory.class, GiraphConstants.MESSAGE_STORE_FACTORY_CLASS.get(conf));
        assertEquals(0, conf.getWorkerObserverClasses().length);
    }

    @ParameterizedTest
    @CsvSource({
        "giraph.useOutOfCoreGraph, true, Leave it out",
        "giraph.async.message.store.threads, 2, Set it to 0",
        "giraph.partitionClass, org.apache.giraph.partition.ByteArrayPartition, Giraph uses SimplePartition",
        "giraph.messageStoreFactoryClass, org.terrace.giraph.TerracePluginTest$Own, Leave it out"})
    void whatCannotGoTogetherIsRefused(String option, String value, String remedy) {
        GiraphConfiguration conf = new GiraphConfiguration();
        conf.set(option, value);
        String message = assertThrows(IllegalArgumentException.class, () -> TerracePlugin.install(conf)).getMessage();
        assertTrue(message.contains(option), message);
        assertTrue(message.contains(remedy), message);
        assertTrue(message.contains("giraph.mapper.observers"), message);
        assertFalse(message.contains("null"), message);
    }

    @Test
    void jobsHaveTheSameResultWithHintsThatDoNothing() throws Exception {
        Labels labels = new Labels(200, 5);
        assertEquals(labels.expected(), labels.run(Installed.class));
    }
}
