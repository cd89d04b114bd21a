// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.file.Path;

/**
 * A file on memory that persists. Each write is durable when it returns, and before any later one begins: a crash tears one
 * write at most, and of that it may leave any words of eight bytes. So there is nothing left for a sync to do.
 */
final class MappedFile implements MediumFile {
    private final MediumFile file;
    private final PersistentMapping mapping;

    MappedFile(MediumFile file, PersistentMapping mapping) {
        this.file = file;
        this.mapping = mapping;
        // What a process has stored that was then killed may still be in caches only; the kernel knows the pages.
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
        // As the class says.
    }

    @Override
    public void extend(long from, long size) {
        file.extend(from, size);
        // The length is metadata, which no write-back of lines covers.
        file.sync(Site.EXTEND_SYNC);
    }

    @Override
    public synchronized void close() {
        mapping.close();
        file.close();
    }
}
