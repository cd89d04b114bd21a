// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.file.Path;

/**
 * A file on persistent memory. Each write is durable when it returns, and before any later one begins. A crash tears at most one
 * write, of which any subset of its words of eight bytes may remain. Therefore a sync does nothing.
 */
final class MappedFile implements MediumFile {
    private final MediumFile file;
    private final PersistentMapping mapping;

    MappedFile(MediumFile file, PersistentMapping mapping) {
        this.file = file;
        this.mapping = mapping;
        // Stores of a process that was killed may be only in CPU caches. The kernel knows the modified pages.
        file.sync(Site.MAPPED_SYNC);
    }

    @Override
    public Path path() {
        return file.path();
    }

    @Override
    public MediumFile system() {
        return file;
    }

    @Override
    public long size() {
        return file.size();
    }

    @Override
    public void read(long position, byte[] into, int from, int length) {
        file.read(position, into, from, length);
    }

    @Override
    public synchronized void write(long position, byte[] bytes, int from, int length, Site site) {
        mapping.store(position, bytes, from, length, site);
        mapping.writeBack(position, length, site);
    }

    @Override
    public void sync(Site site) {
        // Nothing to do, see the class comment.
    }

    @Override
    public void extend(long from, long size) {
        file.extend(from, size);
        // The length is metadata, which a write-back of cache lines does not cover.
        file.sync(Site.EXTEND_SYNC);
    }

    @Override
    public synchronized void close() {
        mapping.close();
        file.close();
    }
}
