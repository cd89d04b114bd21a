// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import com.sun.jna.Native;

/** System calls without an interface in the JDK, or whose interface in the JDK is closed by a thread's interruption. */
final class Libc {
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0100;
    static final int O_EXCL = 0200;
    static final int O_CLOEXEC = 02000000;
    static final int LOCK_SH = 1;
    static final int LOCK_EX = 2;
    static final int LOCK_NB = 4;
    static final int PROT_NONE = 0;
    static final int PROT_READ_WRITE = 3;
    static final int MAP_PRIVATE = 2;
    static final int MAP_FIXED = 0x10;
    static final int MAP_ANONYMOUS = 0x20;
    static final int MAP_NORESERVE = 0x4000;
    static final int MADV_DONTNEED = 4;
    static final int SEEK_END = 2;
    static final int EINTR = 4;
    static final int EWOULDBLOCK = 11;
    static final int EACCES = 13;
    static final int ENOSPC = 28;
    static final int EDQUOT = 122;
    static final int EFBIG = 27;

    static {
        Native.register(Libc.class, "c");
    }

    private Libc() {
    }

    static native int open(String path, int flags, int mode);

    static native int close(int fd);

    static native int flock(int fd, int operation);

    static native long lseek(int fd, long offset, int whence);

    static native long pread(int fd, long buffer, long length, long position);

    static native long pwrite(int fd, long buffer, long length, long position);

    static native int fdatasync(int fd);

    static native int fsync(int fd);

    static native void sync();

    static native int fstatfs(int fd, long buffer);

    static native int ftruncate(int fd, long length);

    static native int posix_fallocate(int fd, long offset, long length);

    static native long mmap(long address, long length, int protection, int flags, int fd, long position);

    static native int munmap(long address, long length);

    static native int madvise(long address, long length, int advice);

    static native String strerror(int error);
}
