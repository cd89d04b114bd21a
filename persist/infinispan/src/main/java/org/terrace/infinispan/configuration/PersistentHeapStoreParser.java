// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan.configuration;

import java.util.Arrays;
import java.util.Locale;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.configuration.io.ConfigurationReader;
import org.infinispan.commons.util.ByteQuantity;
import org.infinispan.configuration.parsing.CacheParser;
import org.infinispan.configuration.parsing.ConfigurationBuilderHolder;
import org.infinispan.configuration.parsing.ConfigurationParser;
import org.infinispan.configuration.parsing.Namespace;
import org.infinispan.configuration.parsing.ParseUtils;

/** Reads the element of the store in XML, JSON and YAML. */
@Namespace(root = Names.STORE)
@Namespace(uri = Names.NAMESPACE, root = Names.STORE)
public class PersistentHeapStoreParser implements ConfigurationParser {

    @Override
    public void readElement(ConfigurationReader reader, ConfigurationBuilderHolder holder) {
        PersistentHeapStoreConfigurationBuilder builder = holder.getCurrentConfigurationBuilder().persistence()
                .addStore(PersistentHeapStoreConfigurationBuilder.class);
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            ParseUtils.requireNoNamespaceAttribute(reader, i);
            String name = reader.getAttributeName(i);
            String value = reader.getAttributeValue(i);
            switch (name) {
                case "path" -> builder.path(value);
                case "max-size" -> builder.maxSize(bytes(name, value));
                case "log-size" -> builder.logSize(bytes(name, value));
                case "durability" -> builder.durability(level(value));
                case "group-interval" -> builder.groupInterval(ParseUtils.parseLong(reader, i, value));
                default -> CacheParser.parseStoreAttribute(reader, i, builder);
            }
        }
        while (reader.inTag()) {
            CacheParser.parseStoreElement(reader, builder);
        }
    }

    private static long bytes(String name, String value) {
        try {
            return ByteQuantity.parse(value);
        } catch (IllegalArgumentException e) {
            throw new CacheConfigurationException(Names.STORE + ": " + name + "=\"" + value
                    + "\" is no number of bytes: write one like 64MiB or 10GB", e);
        }
    }

    private static DurabilityLevel level(String value) {
        try {
            return DurabilityLevel.valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new CacheConfigurationException(Names.STORE + ": durability=\"" + value + "\" must be one of "
                    + Arrays.toString(DurabilityLevel.values()), e);
        }
    }

    @Override
    public Namespace[] getNamespaces() {
        return ParseUtils.getNamespaceAnnotations(getClass());
    }
}
