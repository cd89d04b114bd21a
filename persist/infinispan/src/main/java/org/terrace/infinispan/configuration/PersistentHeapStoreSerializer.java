// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan.configuration;

import org.infinispan.commons.configuration.io.ConfigurationWriter;
import org.infinispan.configuration.serializing.AbstractStoreSerializer;
import org.infinispan.configuration.serializing.ConfigurationSerializer;

/** Writes the element that {@link PersistentHeapStoreParser} reads. */
public class PersistentHeapStoreSerializer extends AbstractStoreSerializer
        implements ConfigurationSerializer<PersistentHeapStoreConfiguration> {

    @Override
    public void serialize(ConfigurationWriter writer, PersistentHeapStoreConfiguration configuration) {
        writer.writeStartElement(Names.ELEMENT);
        writer.writeDefaultNamespace(Names.NAMESPACE);
        configuration.attributes().write(writer);
        writeCommonStoreSubAttributes(writer, configuration);
        writeCommonStoreElements(writer, configuration);
        writer.writeEndElement();
    }
}
