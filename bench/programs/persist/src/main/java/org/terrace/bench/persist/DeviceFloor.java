// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.persist;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The minimum work of any store: sequential writes into a file that was written before, each with a sync of its data.
 * One thread writes at a time.
 */
final class DeviceFloor implements Store {
    private static final long RING_BYTES = 32L << 20;
    private static final int ZEROS_BYTES = 1 << 20;

    private final FileChannel file;
    private final Level level;
    private long position;

    DeviceFloor(Path folder, Level level) throws IOException {
        this.level = level;
        file = FileChannel.open(folder.resolve("device"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        for (long at = 0; at < RING_BYTES; at += ZEROS_BYTES) {
            file.write(ByteBuffer.allocate(ZEROS_BYTES), at);
        }
        file.force(true);
    }

    @Override
    public synchronized void put(long key, byte[] value) throws IOException {
        if (position + Long.BYTES + value.length > RING_BYTES) {
            position = 0;
        }
        position += file.write(ByteBuffer.allocate(Long.BYTES + value.length).putLong(key).put(value).flip(), position);
        if (level == Level.SYNC) {
            file.force(false);
        }
    }

    /** Finds nothing. */
    @Override
    public byte[] get(long key) {
        return null;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
