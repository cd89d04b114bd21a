// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.infinispan.commons.io.ByteBuffer;
import org.infinispan.commons.io.ByteBufferFactory;
import org.infinispan.marshall.persistence.PersistenceMarshaller;
import org.infinispan.persistence.spi.InitializationContext;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.MarshallableEntryFactory;
import org.infinispan.persistence.spi.PersistenceException;
import org.terrace.persist.types.Bytes;

/** Converts Infinispan's keys and entries to bytes and back. */
final class Entries<K, V> {
    private final PersistenceMarshaller marshaller;
    private final MarshallableEntryFactory<K, V> factory;
    private final ByteBufferFactory buffers;

    Entries(InitializationContext context) {
        marshaller = context.getPersistenceMarshaller();
        factory = context.getMarshallableEntryFactory();
        buffers = context.getByteBufferFactory();
    }

    Bytes bytes(Object key) {
        try {
            return bytes(marshaller.objectToBuffer(key));
        } catch (IOException e) {
            throw new PersistenceException("the key cannot be marshalled: " + key, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PersistenceException(e);
        }
    }

    private static Bytes bytes(ByteBuffer buffer) {
        return Bytes.copyOf(buffer.getBuf(), buffer.getOffset(), buffer.getLength());
    }

    private static byte[] array(ByteBuffer buffer) {
        return buffer == null ? null : bytes(buffer).toArray();
    }

    Change removal(int segment, Object key) {
        return new Change(segment, bytes(key), null);
    }

    Change write(int segment, MarshallableEntry<? extends K, ? extends V> entry) {
        return new Change(segment, bytes(entry.getKeyBytes()), new StoredEntry(array(entry.getValueBytes()),
                array(entry.getMetadataBytes()), array(entry.getInternalMetadataBytes()), entry.created(), entry.lastUsed(),
                entry.expiryTime()));
    }

    MarshallableEntry<K, V> entry(Object key, StoredEntry found) {
        return factory.create(key, buffer(found.value()), buffer(found.metadata()), buffer(found.internalMetadata()),
                found.created(), found.lastUsed());
    }

    /** The entry, or empty if a filter rejects the key. */
    Optional<MarshallableEntry<K, V>> entry(KeyedEntry found, Predicate<? super K> filter, boolean withValue) {
        StoredEntry e = found.entry();
        ByteBuffer value = withValue ? buffer(e.value()) : null;
        if (filter == null) {
            return Optional.of(factory.create(buffer(found.key().toArray()), value, buffer(e.metadata()),
                    buffer(e.internalMetadata()), e.created(), e.lastUsed()));
        }
        return key(found.key(), filter).map(key -> factory.create(key, value, buffer(e.metadata()), buffer(e.internalMetadata()),
                e.created(), e.lastUsed()));
    }

    /** The key, or empty if a filter rejects it. */
    @SuppressWarnings("unchecked")
    Optional<K> key(Bytes key, Predicate<? super K> filter) {
        try {
            K found = (K) marshaller.objectFromByteBuffer(key.toArray());
            return filter == null || filter.test(found) ? Optional.of(found) : Optional.empty();
        } catch (IOException | ClassNotFoundException e) {
            throw new PersistenceException("a stored key cannot be read: " + key, e);
        }
    }

    private ByteBuffer buffer(byte[] bytes) {
        return bytes == null ? null : buffers.newByteBuffer(bytes);
    }
}
