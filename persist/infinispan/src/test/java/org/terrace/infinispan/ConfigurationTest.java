// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.configuration.io.ConfigurationWriter;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.configuration.parsing.ConfigurationBuilderHolder;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.manager.DefaultCacheManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.terrace.infinispan.configuration.DurabilityLevel;
import org.terrace.infinispan.configuration.PersistentHeapStoreConfiguration;
import org.terrace.infinispan.configuration.PersistentHeapStoreConfigurationBuilder;

/** Tests the configuration of the store in files and in programs, and invalid options. */
class ConfigurationTest {
    private static final String STORE = "<persistent-heap-store xmlns='urn:terrace:infinispan:1.0' path='data' max-size='2GiB'"
            + " log-size='8MiB' durability='GROUP' group-interval='25' preload='true'><write-behind modification-queue-size='9'/>"
            + "</persistent-heap-store>";

    @TempDir
    Path directory;

    private static String xml(String store) {
        return "<infinispan><cache-container><local-cache name='things'><persistence>" + store
                + "</persistence></local-cache></cache-container></infinispan>";
    }

    private static PersistentHeapStoreConfiguration parse(String text, MediaType type) {
        ConfigurationBuilderHolder holder = new ParserRegistry().parse(text, type);
        return storeOf(holder.getNamedConfigurationBuilders().get("things").build());
    }

    private static PersistentHeapStoreConfiguration storeOf(Configuration configuration) {
        return (PersistentHeapStoreConfiguration) configuration.persistence().stores().get(0);
    }

    private static void check(PersistentHeapStoreConfiguration store) {
        assertEquals("data", store.path());
        assertEquals(2L << 30, store.maxSize());
        assertEquals(8 << 20, store.logSize());
        assertEquals(DurabilityLevel.GROUP, store.durability());
        assertEquals(25, store.groupInterval());
        assertTrue(store.preload());
        assertEquals(9, store.async().modificationQueueSize());
    }

    @Test
    void isReadFromXml() {
        check(parse(xml(STORE), MediaType.APPLICATION_XML));
    }

    @Test
    void isReadFromJsonAndYaml() {
        check(parse("{\"infinispan\": {\"cacheContainer\": {\"caches\": {\"things\": {\"localCache\": {\"persistence\": {"
                + "\"persistentHeapStore\": {\"path\": \"data\", \"maxSize\": \"2GiB\", \"logSize\": \"8MiB\","
                + " \"durability\": \"group\", \"groupInterval\": 25, \"preload\": true,"
                + " \"writeBehind\": {\"modificationQueueSize\": 9}}}}}}}}}", MediaType.APPLICATION_JSON));
        check(parse("infinispan:\n  cacheContainer:\n    caches:\n      things:\n        localCache:\n          persistence:\n"
                + "            persistentHeapStore:\n              path: data\n              maxSize: 2GiB\n"
                + "              logSize: 8MiB\n              durability: GROUP\n              groupInterval: 25\n"
                + "              preload: true\n              writeBehind:\n                modificationQueueSize: 9\n",
                MediaType.APPLICATION_YAML));
    }

    @Test
    void isTheSameAfterWritingAndReading() {
        Configuration configuration = new ParserRegistry().parse(xml(STORE), MediaType.APPLICATION_XML)
                .getNamedConfigurationBuilders().get("things").build();
        for (MediaType type : List.of(MediaType.APPLICATION_XML, MediaType.APPLICATION_JSON, MediaType.APPLICATION_YAML)) {
            StringWriter text = new StringWriter();
            try (ConfigurationWriter writer = ConfigurationWriter.to(text).withType(type).build()) {
                new ParserRegistry().serialize(writer, null, Map.of("things", configuration));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            check(parse(text.toString(), type));
        }
    }

    @Test
    void isWhatTheSchemaAllows() throws Exception {
        var schema = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
                .newSchema(PersistentHeapStore.class.getResource("/schema/terrace-infinispan-1.0.xsd"));
        schema.newValidator().validate(new StreamSource(new java.io.StringReader(STORE)));
        String wrong = STORE.replace("GROUP", "SOMETIMES");
        assertThrows(org.xml.sax.SAXException.class,
                () -> schema.newValidator().validate(new StreamSource(new java.io.StringReader(wrong))));
    }

    @Test
    void hasDefaults() {
        PersistentHeapStoreConfiguration store = parse(xml("<persistent-heap-store xmlns='urn:terrace:infinispan:1.0'/>"),
                MediaType.APPLICATION_XML);
        assertEquals(null, store.path());
        assertEquals(64L << 30, store.maxSize());
        assertEquals(64L << 20, store.logSize());
        assertEquals(DurabilityLevel.SYNC, store.durability());
        assertTrue(store.segmented());
        assertFalse(store.shared());
    }

    @Test
    void aCacheDefinedAtRunTimeIsThereAgain() throws Exception {
        GlobalConfigurationBuilder global = new GlobalConfigurationBuilder().nonClusteredDefault();
        global.globalState().enable().persistentLocation(directory.toString())
                .configurationStorage(org.infinispan.globalstate.ConfigurationStorage.OVERLAY);
        try (DefaultCacheManager manager = new DefaultCacheManager(global.build())) {
            ConfigurationBuilder configuration = new ConfigurationBuilder();
            configuration.persistence().addStore(PersistentHeapStoreConfigurationBuilder.class).logSize(1 << 20);
            manager.administration().createCache("things", configuration.build()).put("key", "value");
            assertTrue(Files.exists(directory.resolve("things.heap")));
        }
        try (DefaultCacheManager manager = new DefaultCacheManager(global.build())) {
            assertEquals(1 << 20, storeOf(manager.getCacheConfiguration("things")).logSize());
            assertEquals("value", manager.getCache("things").get("key"));
        }
    }

    private static void refused(String message, Consumer<PersistentHeapStoreConfigurationBuilder> change) {
        ConfigurationBuilder builder = new ConfigurationBuilder();
        change.accept(builder.persistence().addStore(PersistentHeapStoreConfigurationBuilder.class).path("data"));
        CacheConfigurationException e = assertThrows(CacheConfigurationException.class, builder::build, message);
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    @Test
    void wrongOptionsAreRefused() {
        refused("max-size must be at least 1048576, not 5", s -> s.maxSize(5));
        refused("log-size must be at least 1048576, not -1", s -> s.logSize(-1));
        refused("group-interval must be at least 1, not 0", s -> s.durability(DurabilityLevel.GROUP).groupInterval(0));
        refused("group-interval is for durability=\"GROUP\" only, not SYNC", s -> s.groupInterval(5));
        refused("durability must be SYNC, GROUP or PROCESS", s -> s.durability(null));
        refused("shared=\"true\" is not possible", s -> {
            s.clustering().cacheMode(CacheMode.DIST_SYNC);
            s.shared(true);
        });
        refused("transactional=\"true\" is for local caches only", s -> {
            s.clustering().cacheMode(CacheMode.DIST_SYNC);
            s.transaction().transactionMode(org.infinispan.transaction.TransactionMode.TRANSACTIONAL);
            s.transactional(true);
        });
        refused("transactional=\"true\" needs optimistic locking", s -> {
            s.transaction().transactionMode(org.infinispan.transaction.TransactionMode.TRANSACTIONAL)
                    .lockingMode(org.infinispan.transaction.LockingMode.PESSIMISTIC);
            s.transactional(true);
        });
    }

    @Test
    void wrongTextIsRefused() {
        for (String[] wrong : new String[][] {{"durability='GROUP'", "durability='OFTEN'", "[SYNC, GROUP, PROCESS]"},
            {"max-size='2GiB'", "max-size='2 elephants'", "max-size=\"2 elephants\" is no number of bytes"},
            {"group-interval='25'", "group-interval='soon'", "group-interval"}, {"path='data'", "paths='data'", "paths"}}) {
            Exception e = assertThrows(Exception.class,
                    () -> parse(xml(STORE.replace(wrong[0], wrong[1])), MediaType.APPLICATION_XML), wrong[1]);
            assertTrue(String.valueOf(e.getMessage()).contains(wrong[2]), e.toString());
        }
    }

    @Test
    void aPathIsNeededWithoutGlobalState() {
        try (DefaultCacheManager manager = CacheManagers.local()) {
            ConfigurationBuilder configuration = new ConfigurationBuilder();
            configuration.persistence().addStore(PersistentHeapStoreConfigurationBuilder.class);
            CacheConfigurationException e = assertThrows(CacheConfigurationException.class,
                    () -> manager.createCache("things", configuration.build()));
            assertTrue(e.getMessage().contains("path is required"), e.getMessage());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
