// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import com.sun.jna.Native;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.UUID;
import org.terrace.persist.HeapException;
import org.terrace.persist.Promises.Survives;

/** Files and mappings of Linux. */
class LinuxMedium extends Medium {
    private static final long MAP_FAILED = -1;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    /** The limit of the kernel. */
    private static final int MAX_LINKS = 40;
    /** Larger than {@code struct statfs}. */
    private static final int STATFS_BYTES = 256;

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
        if (!isSameFile(path, fd)) {
            Libc.close(fd);
            throw new HeapException(path + " was just taken by another process: open the heap again");
        }
        if (mode == Mode.CREATE && Libc.ftruncate(fd, 0) != 0) {
            HeapException problem = failure("cannot empty " + path);
            Libc.close(fd);
            throw problem;
        }
        return new LinuxFile(path, fd);
    }

    /** Before the lock was acquired, another process may have renamed the file or reused its name. */
    private static boolean isSameFile(Path path, int fd) {
        try {
            return Files.isSameFile(path, ofDescriptor(fd));
        } catch (java.io.IOException e) {
            return false;
        }
    }

    private static Path ofDescriptor(int fd) {
        return Path.of("/proc/self/fd/" + fd);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public void publish(Path temporary, Path name) {
        try {
            Files.move(temporary, name, StandardCopyOption.ATOMIC_MOVE);
        } catch (java.io.IOException e) {
            throw new HeapException("cannot rename " + temporary + " to " + name, e);
        }
    }

    @Override
    public Path withoutLinks(Path file) {
        Path absolute = file.toAbsolutePath();
        try {
            Path real = Files.exists(absolute) ? absolute.toRealPath() : withoutLinksToNothing(absolute);
            return real.equals(absolute) ? file : real;
        } catch (java.io.IOException e) {
            throw new HeapException("cannot find " + file + ": " + reason(e), e);
        }
    }

    private static Path withoutLinksToNothing(Path file) throws java.io.IOException {
        Path name = file;
        for (int links = 0; Files.isSymbolicLink(name); links++) {
            if (links == MAX_LINKS) {
                throw new FileSystemLoopException(file.toString());
            }
            name = name.resolveSibling(Files.readSymbolicLink(name));
        }
        return name.getParent().toRealPath().resolve(name.getFileName());
    }

    private static String reason(java.io.IOException e) {
        if (e instanceof NoSuchFileException) {
            return "No such file or directory: " + e.getMessage();
        }
        return e instanceof AccessDeniedException ? "Permission denied: " + e.getMessage() : e.toString();
    }

    @Override
    public void copyAccess(MediumFile from, MediumFile to) {
        try {
            PosixFileAttributes wanted = Files.readAttributes(from.path(), PosixFileAttributes.class);
            PosixFileAttributeView view = Files.getFileAttributeView(to.path(), PosixFileAttributeView.class);
            PosixFileAttributes actual = view.readAttributes();
            boolean sameGroup = actual.group().equals(wanted.group());
            boolean sameOwner = actual.owner().equals(wanted.owner());
            if (sameGroup && sameOwner && actual.permissions().equals(wanted.permissions())) {
                // Some file systems use the same owner or permissions for all files and reject changes.
                return;
            }
            // No one else may open it until all attributes are set.
            view.setPermissions(Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
            if (!sameGroup) {
                view.setGroup(wanted.group());
            }
            if (!sameOwner) {
                view.setOwner(wanted.owner());
            }
            view.setPermissions(wanted.permissions());
        } catch (java.io.IOException e) {
            throw new HeapException("the owner and the permissions of " + from.path() + " cannot be given to " + to.path(), e);
        }
    }

    @Override
    public void syncNames(Path file, Site site) {
        syncDirectory(withoutLinks(file).toAbsolutePath().getParent());
    }

    private static void syncDirectory(Path directory) {
        int fd = Libc.open(directory.toString(), Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
        if (fd < 0 && Native.getLastError() == Libc.EACCES) {
            // The directory allows access to its files but cannot be listed.
            Libc.sync();
            return;
        }
        if (fd < 0) {
            throw failure("cannot open directory " + directory);
        }
        int result = Libc.fsync(fd);
        HeapException problem = result == 0 ? null : failure("cannot sync directory " + directory);
        Libc.close(fd);
        if (problem != null) {
            throw problem;
        }
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
        if (Libc.mmap(address, length, Libc.PROT_READ_WRITE, flags, ((LinuxFile) file.system()).fd(), position) != address) {
            throw failure("cannot map " + file.path());
        }
    }

    @Override
    public void discard(MediumFile file, long position, long length, long address) {
        if (Libc.madvise(address, length, Libc.MADV_DONTNEED) != 0) {
            throw failure("cannot drop pages of " + file.path());
        }
    }

    @Override
    public FileSystem fileSystem(MediumFile file) {
        long buffer = Memory.allocate(STATFS_BYTES);
        try {
            if (Libc.fstatfs(((LinuxFile) file).fd(), buffer) != 0) {
                throw failure("cannot find out on what file system " + file.path() + " is");
            }
            return FileSystem.ofType(Memory.getInt(buffer));
        } finally {
            Memory.free(buffer);
        }
    }

    @Override
    public PageCache pageCache(MediumFile file) {
        if (fileSystem(file).survives() == Survives.SERVER) {
            return null;
        }
        try {
            UUID boot = UUID.fromString(Files.readString(BOOT_ID).strip());
            return new PageCache(boot, (Long) Files.getAttribute(ofDescriptor(((LinuxFile) file).fd()), "unix:dev"));
        } catch (java.io.IOException | IllegalArgumentException e) {
            // Some containers lack this file.
            return null;
        }
    }

    @Override
    public String obstacleToMapping(MediumFile file) {
        try {
            return ChannelMapping.obstacle((LinuxFile) file);
        } catch (NoClassDefFoundError e) {
            return "this Java has no module jdk.nio.mapmode";
        }
    }

    @Override
    public MediumFile mapped(MediumFile file) {
        return new MappedFile(file, ChannelMapping.synchronous((LinuxFile) file));
    }

    private static HeapException failure(String what) {
        return new HeapException(what + ": " + Libc.strerror(Native.getLastError()));
    }
}
