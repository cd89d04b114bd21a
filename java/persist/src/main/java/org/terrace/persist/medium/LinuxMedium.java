package org.terrace.persist.medium;

import com.sun.jna.Native;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.terrace.persist.HeapException;

/** Files and mappings of Linux. */
final class LinuxMedium extends Medium {
    private static final long MAP_FAILED = -1;

    @Override
    public MediumFile open(Path path, Mode mode) {
        int flags = Libc.O_CLOEXEC | switch (mode) {
            case READ -> Libc.O_RDONLY;
            case WRITE -> Libc.O_RDWR;
            case CREATE -> Libc.O_RDWR | Libc.O_CREAT;
        };
        int fd = Libc.open(path.toString(), flags, 0644);
        if (fd < 0) {
            throw failure("cannot open " + path);
        }
        int lock = mode == Mode.READ ? Libc.LOCK_SH : Libc.LOCK_EX;
        if (Libc.flock(fd, lock | Libc.LOCK_NB) != 0) {
            int error = Native.getLastError();
            Libc.close(fd);
            throw new HeapException(error == Libc.EWOULDBLOCK
                    ? path + " is open in another process or another Heap: close that one first"
                    : "cannot lock " + path + ": " + Libc.strerror(error));
        }
        if (mode == Mode.CREATE) {
            empty(path, fd);
        }
        return new LinuxFile(path, fd);
    }

    /** Unless another process has given the file its final name before the lock was had. */
    private static void empty(Path path, int fd) {
        boolean same;
        try {
            same = Files.isSameFile(path, Path.of("/proc/self/fd/" + fd));
        } catch (java.io.IOException e) {
            same = false;
        }
        if (!same || Libc.ftruncate(fd, 0) != 0) {
            HeapException problem = same ? failure("cannot empty " + path)
                    : new HeapException(path + " was just taken by another process: open the heap again");
            Libc.close(fd);
            throw problem;
        }
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public void publish(Path temporary, Path name, Site site) {
        try {
            Files.move(temporary, name, StandardCopyOption.ATOMIC_MOVE);
        } catch (java.io.IOException e) {
            throw new HeapException("cannot rename " + temporary + " to " + name, e);
        }
        Path directory = name.toAbsolutePath().getParent();
        int fd = Libc.open(directory.toString(), Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
        if (fd < 0 || Libc.fsync(fd) != 0) {
            throw failure("cannot sync directory " + directory);
        }
        Libc.close(fd);
    }

    @Override
    public long reserve(long bytes) {
        int flags = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS | Libc.MAP_NORESERVE;
        long address = Libc.mmap(0, bytes, Libc.PROT_NONE, flags, -1, 0);
        if (address == MAP_FAILED) {
            throw failure("cannot reserve " + bytes + " bytes of addresses (see ulimit -v)");
        }
        return address;
    }

    @Override
    public void retire(long address, long bytes) {
        int flags = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS | Libc.MAP_NORESERVE | Libc.MAP_FIXED;
        if (Libc.mmap(address, bytes, Libc.PROT_READ_WRITE, flags, -1, 0) != address) {
            throw failure("cannot unmap " + bytes + " bytes");
        }
    }

    @Override
    public void release(long address, long bytes) {
        if (Libc.munmap(address, bytes) != 0) {
            throw failure("cannot unmap " + bytes + " bytes");
        }
    }

    @Override
    public void map(MediumFile file, long position, long length, long address) {
        int flags = Libc.MAP_PRIVATE | Libc.MAP_FIXED | Libc.MAP_NORESERVE;
        if (Libc.mmap(address, length, Libc.PROT_READ_WRITE, flags, ((LinuxFile) file).fd(), position) != address) {
            throw failure("cannot map " + file.path());
        }
    }

    @Override
    public void discard(MediumFile file, long position, long length, long address) {
        if (Libc.madvise(address, length, Libc.MADV_DONTNEED) != 0) {
            throw failure("cannot drop pages of " + file.path());
        }
    }

    private static HeapException failure(String what) {
        return new HeapException(what + ": " + Libc.strerror(Native.getLastError()));
    }
}
