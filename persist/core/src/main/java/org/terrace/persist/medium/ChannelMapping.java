// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jdk.nio.mapmode.ExtendedMapMode;
import org.terrace.persist.HeapException;

/**
 * A file that is mapped in segments on the first store. With {@link ExtendedMapMode#READ_WRITE_SYNC} ({@code MAP_SYNC}), the kernel
 * makes the location of a page durable before a store reaches it. Then {@code force} is an intrinsic of the JDK that writes back
 * each cache line ({@code clwb}), followed by a fence.
 */
final class ChannelMapping implements PersistentMapping {
    private static final int SEGMENT_SHIFT = 30;
    private static final int SEGMENT_BYTES = 1 << SEGMENT_SHIFT;

    private final LinuxFile file;
    private final MapMode mode;
    private MappedByteBuffer[] segments = {};
    private boolean open = true;

    ChannelMapping(LinuxFile file, MapMode mode) {
        this.file = file;
        this.mode = mode;
    }

    static ChannelMapping synchronous(LinuxFile file) {
        return new ChannelMapping(file, ExtendedMapMode.READ_WRITE_SYNC);
    }

    /** Why the file cannot be mapped synchronously, or null if it can. */
    static String obstacle(LinuxFile file) {
        try {
            Memory.unmap(map(file, ExtendedMapMode.READ_ONLY_SYNC, 0, 1, StandardOpenOption.READ));
            return null;
        } catch (IOException | UnsupportedOperationException e) {
            return e.getMessage();
        }
    }

    @Override
    public synchronized void store(long position, byte[] bytes, int from, int length, Site site) {
        for (int done = 0; done < length;) {
            int at = (int) (position + done) & SEGMENT_BYTES - 1;
            int part = Math.min(length - done, SEGMENT_BYTES - at);
            segment(position + done, at + part).put(at, bytes, from + done, part);
            done += part;
        }
    }

    @Override
    public synchronized void writeBack(long position, int length, Site site) {
        for (int done = 0; done < length;) {
            int at = (int) (position + done) & SEGMENT_BYTES - 1;
            int part = Math.min(length - done, SEGMENT_BYTES - at);
            segment(position + done, at + part).force(at, part);
            done += part;
        }
    }

    /** The segment of this position, mapped at least up to {@code end}. It is mapped again after the file has grown. */
    private MappedByteBuffer segment(long position, int end) {
        if (!open) {
            throw new HeapException(file.path() + " is closed");
        }
        int index = (int) (position >>> SEGMENT_SHIFT);
        if (index >= segments.length) {
            segments = java.util.Arrays.copyOf(segments, index + 1);
        }
        MappedByteBuffer known = segments[index];
        if (known == null || known.capacity() < end) {
            long start = (long) index << SEGMENT_SHIFT;
            long size = file.size();
            if (size < start + end) {
                throw new HeapException(file.path() + " ends at byte " + size + ", and more is written");
            }
            segments[index] = mapWritable(start, (int) Math.min(SEGMENT_BYTES, size - start));
            if (known != null) {
                Memory.unmap(known);
            }
        }
        return segments[index];
    }

    private MappedByteBuffer mapWritable(long position, int length) {
        try {
            return map(file, mode, position, length, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new HeapException("cannot map " + file.path() + " as memory that persists: " + e.getMessage(), e);
        }
    }

    /** Interruption of a thread closes a channel, but the mapping remains. */
    private static MappedByteBuffer map(LinuxFile file, MapMode mode, long position, int length, StandardOpenOption... access)
            throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (FileChannel channel = FileChannel.open(Path.of("/proc/self/fd/" + file.fd()), access)) {
                    return channel.map(mode, position, length);
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            for (MappedByteBuffer segment : segments) {
                if (segment != null) {
                    Memory.unmap(segment);
                }
            }
        }
    }
}
