// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import com.sun.jna.Native;
import java.nio.file.Path;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Supplier;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;

/** A file of the operating system, locked by {@code flock}. */
final class LinuxFile implements MediumFile {
    private static final int BUFFER_BYTES = 1 << 20;

    private final Path path;
    private final int fd;
    private final long buffer = Memory.allocate(BUFFER_BYTES);
    /**
     * Acquired exclusively for closing, because the number of a closed descriptor may be reused for another file. Not reentrant. It
     * allocates nothing after the acquisition, so that a lack of memory cannot leave it held.
     */
    private final StampedLock use = new StampedLock();
    private boolean open = true;

    LinuxFile(Path path, int fd) {
        this.path = path;
        this.fd = fd;
    }

    int fd() {
        return fd;
    }

    @Override
    public Path path() {
        return path;
    }

    private <T> T using(Supplier<T> operation) {
        long stamp = use.readLock();
        try {
            if (!open) {
                throw new HeapException(path + " is closed");
            }
            return operation.get();
        } finally {
            use.unlockRead(stamp);
        }
    }

    @Override
    public long size() {
        return using(this::sizeInUse);
    }

    private long sizeInUse() {
        long size = Libc.lseek(fd, 0, Libc.SEEK_END);
        check(size, "size of");
        return size;
    }

    @Override
    public void read(long position, byte[] into, int from, int length) {
        using(() -> {
            readWhole(position, into, from, length);
            return null;
        });
    }

    private synchronized void readWhole(long position, byte[] into, int from, int length) {
        for (int done = 0; done < length;) {
            long n = Libc.pread(fd, buffer, Math.min(BUFFER_BYTES, length - done), position + done);
            if (n == 0) {
                throw new HeapException(path + " ends at byte " + (position + done) + ", where more should be");
            }
            if (check(n, "read of")) {
                Memory.copy(buffer, into, from + done, (int) n);
                done += (int) n;
            }
        }
    }

    @Override
    public void write(long position, byte[] bytes, int from, int length, Site site) {
        using(() -> {
            writeWhole(position, bytes, from, length);
            return null;
        });
    }

    private synchronized void writeWhole(long position, byte[] bytes, int from, int length) {
        for (int done = 0; done < length;) {
            int part = Math.min(BUFFER_BYTES, length - done);
            Memory.copy(bytes, from + done, buffer, part);
            long n = Libc.pwrite(fd, buffer, part, position + done);
            if (check(n, "write to")) {
                done += (int) n;
            }
        }
    }

    @Override
    public void sync(Site site) {
        using(() -> {
            // Not repeated, because the kernel may mark the lost pages clean after a failed sync.
            if (Libc.fdatasync(fd) != 0) {
                throw failure("sync of", Native.getLastError());
            }
            return null;
        });
    }

    @Override
    public void extend(long from, long size) {
        using(() -> {
            allocate(from, size);
            return null;
        });
    }

    private void allocate(long from, long size) {
        long before = sizeInUse();
        int error;
        do {
            error = Libc.posix_fallocate(fd, from, size - from);
        } while (error == Libc.EINTR);
        if (error != 0) {
            check(sizeInUse() > before ? Libc.ftruncate(fd, before) : 0, "truncation of");
            throw failure("extension of", error);
        }
    }

    @Override
    public void close() {
        long stamp = use.writeLock();
        try {
            if (open) {
                open = false;
                Memory.free(buffer);
                Libc.close(fd);
            }
        } finally {
            use.unlockWrite(stamp);
        }
    }

    /** False if the call was interrupted and must be repeated. */
    private boolean check(long result, String what) {
        if (result >= 0) {
            return true;
        }
        int error = Native.getLastError();
        if (error == Libc.EINTR) {
            return false;
        }
        throw failure(what, error);
    }

    private HeapException failure(String what, int error) {
        String message = what + " " + path + " failed: " + Libc.strerror(error);
        if (error == Libc.ENOSPC || error == Libc.EDQUOT || error == Libc.EFBIG) {
            return new HeapFullException(message + "; make room on its device");
        }
        return new HeapException(message);
    }
}
