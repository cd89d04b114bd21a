package org.terrace.persist.medium;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.heap.Directory;

/**
 * Files in memory, with what a crash of the machine can leave of them: each sector of 512 bytes is any version since the last
 * sync that ended. Records everything that is done to it.
 */
public final class Disk {
    public static final int SECTOR = 512;
    private static final Map<String, Disk> DISKS = new ConcurrentHashMap<>();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    /** What happened; {@code note} is of the test: an operation that began or was acknowledged. */
    public record Event(Kind kind, String file, long position, byte[] bytes, Site site, Object note) {
        public enum Kind { WRITE, SYNC, EXTEND, PUBLISH, NOTE }

        @Override
        public String toString() {
            return kind + (file == null ? " " + note : " " + file + " " + site + " at " + position
                    + (bytes == null ? "" : " +" + bytes.length));
        }
    }

    /** One file: the page cache's content, and the versions of sectors that are not synced, oldest first. */
    static final class Inode {
        byte[] content = new byte[0];
        int durableSize;
        final Map<Integer, List<byte[]>> versions = new HashMap<>();

        Inode copy() {
            Inode copy = new Inode();
            copy.content = content.clone();
            copy.durableSize = durableSize;
            versions.forEach((sector, list) -> copy.versions.put(sector, new ArrayList<>(list)));
            return copy;
        }

        void write(long position, byte[] bytes, int from, int length) {
            int end = (int) position + length;
            if (end > content.length) {
                content = Arrays.copyOf(content, end);
            }
            int first = (int) position / SECTOR;
            int last = (end - 1) / SECTOR;
            for (int sector = first; sector <= last; sector++) {
                int number = sector;
                versions.computeIfAbsent(sector, s -> new ArrayList<>(List.of(sector(number))));
            }
            System.arraycopy(bytes, from, content, (int) position, length);
            for (int sector = first; sector <= last; sector++) {
                versions.get(sector).add(sector(sector));
            }
        }

        byte[] sector(int number) {
            return Arrays.copyOfRange(content, number * SECTOR, (number + 1) * SECTOR);
        }

        void sync() {
            versions.clear();
            durableSize = content.length;
        }
    }

    private final String name = Integer.toString(NUMBERS.incrementAndGet());
    private final Map<String, Inode> files = new HashMap<>();
    private final Set<String> durableNames = new HashSet<>();
    private final Set<Inode> locked = new HashSet<>();
    private final List<Event> events = new ArrayList<>();
    private final Set<Site> deleted = new HashSet<>();
    private boolean recording;
    private long room = Long.MAX_VALUE;
    private Site failing;
    private Error failingWith;
    private volatile Runnable atSuperblock = () -> { };

    public Disk() {
        DISKS.put(name, this);
    }

    static Disk of(Path path) {
        Disk disk = DISKS.get(path.getName(1).toString());
        if (disk == null) {
            throw new HeapException("no disk for " + path);
        }
        return disk;
    }

    public Path path(String file) {
        return Path.of("/sim", name, file);
    }

    /** The disk as a crash of the process leaves it: nothing is lost, and nothing more is synced. */
    public synchronized Disk copy() {
        Disk copy = new Disk();
        files.forEach((file, inode) -> copy.files.put(file, inode.copy()));
        copy.deleted.addAll(deleted);
        copy.durableNames.addAll(durableNames);
        return copy;
    }

    public void dispose() {
        DISKS.remove(name);
    }

    public synchronized void record() {
        recording = true;
        events.clear();
    }

    public synchronized List<Event> events() {
        return List.copyOf(events);
    }

    public synchronized void note(Object note) {
        log(new Event(Event.Kind.NOTE, null, 0, null, null, note));
    }

    /** This site does nothing from now on. */
    public void delete(Site site) {
        deleted.add(site);
    }

    /** The next use of this site ends in an error of the device. */
    public void failAt(Site site) {
        failAt(site, null);
    }

    /** With an error of the VM, for instance, instead of the device's. */
    public void failAt(Site site, Error error) {
        failing = site;
        failingWith = error;
    }

    /** Runs before each write of a superblock, while a checkpoint waits for it. */
    public void atSuperblock(Runnable action) {
        atSuperblock = action;
    }

    /** Bytes by which files may still be extended. */
    public void limitRoom(long bytes) {
        room = bytes;
    }

    public synchronized byte[] contentOf(String file) {
        return files.get(file).content;
    }

    /** Changes the name of a class in its descriptor, and the checksum over it. The names are equally long. */
    public synchronized void renameClass(String file, String from, String to) {
        byte[] content = files.get(file).content;
        int at = indexOf(content, from.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        System.arraycopy(to.getBytes(java.nio.charset.StandardCharsets.UTF_8), 0, content, at, to.length());
        java.nio.ByteBuffer buffer = java.nio.ByteBuffer.wrap(content).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        int payload = at - Directory.CLASS_TEXT;
        int length = buffer.getInt(payload + Directory.CLASS_LENGTH);
        byte[] text = Arrays.copyOfRange(content, at, at + length);
        buffer.putInt(payload + Directory.CLASS_CRC, Directory.crc(text));
    }

    private static int indexOf(byte[] content, byte[] wanted) {
        for (int i = 0; i + wanted.length <= content.length; i++) {
            if (Arrays.equals(content, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
        throw new IllegalArgumentException("not in the file");
    }

    /** The directory was synced since the file got its name. */
    public synchronized boolean isNameDurable(String file) {
        return durableNames.contains(file);
    }

    /** Of the content, and of what could be lost of it. */
    public synchronized int hashOf(String file) {
        Inode inode = files.get(file);
        int hash = Arrays.hashCode(inode.content) * 31 + inode.durableSize;
        for (Map.Entry<Integer, List<byte[]>> sector : inode.versions.entrySet()) {
            int versions = sector.getKey();
            for (byte[] version : sector.getValue()) {
                versions = 31 * versions + Arrays.hashCode(version);
            }
            hash += versions;
        }
        return hash;
    }

    Map<String, Inode> files() {
        return files;
    }

    private void log(Event event) {
        if (recording) {
            events.add(event);
        }
    }

    /** Does again what was recorded. */
    public synchronized void apply(Event event) {
        switch (event.kind) {
            case WRITE -> files.get(event.file).write(event.position, event.bytes, 0, event.bytes.length);
            case SYNC -> files.get(event.file).sync();
            case EXTEND -> extend(files.computeIfAbsent(event.file, f -> new Inode()), (int) event.position);
            case PUBLISH -> {
                files.put((String) event.note, files.remove(event.file));
                if (!deleted.contains(event.site)) {
                    durableNames.add((String) event.note);
                }
            }
            case NOTE -> { }
        }
    }

    private static void extend(Inode inode, int size) {
        if (size > inode.content.length) {
            inode.content = Arrays.copyOf(inode.content, size);
        }
    }

    synchronized boolean exists(Path path) {
        return files.containsKey(path.getFileName().toString());
    }

    synchronized void publish(Path temporary, Path to, Site site) {
        Event event = new Event(Event.Kind.PUBLISH, temporary.getFileName().toString(), 0, null, site, to.getFileName().toString());
        apply(event);
        log(event);
    }

    synchronized MediumFile open(Path path, Medium.Mode mode) {
        String file = path.getFileName().toString();
        Inode inode = files.get(file);
        if (inode == null) {
            if (mode != Medium.Mode.CREATE) {
                throw new HeapException("cannot open " + path);
            }
            inode = new Inode();
            files.put(file, inode);
            log(new Event(Event.Kind.EXTEND, file, 0, null, null, null));
        }
        if (!locked.add(inode)) {
            throw new HeapException(path + " is open in another process or another Heap: close that one first");
        }
        return new Handle(this, path, inode);
    }

    /** An open file of a disk. */
    static final class Handle implements MediumFile {
        private final Disk disk;
        private final Path path;
        private final Inode inode;

        Handle(Disk disk, Path path, Inode inode) {
            this.disk = disk;
            this.path = path;
            this.inode = inode;
        }

        private String file() {
            return path.getFileName().toString();
        }

        private boolean isDeleted(Site site) {
            if (site == disk.failing) {
                disk.failing = null;
                if (disk.failingWith != null) {
                    throw disk.failingWith;
                }
                throw new HeapException(site + " of " + path + " failed: Input/output error");
            }
            return disk.deleted.contains(site);
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public long size() {
            synchronized (disk) {
                return inode.content.length;
            }
        }

        @Override
        public void read(long position, byte[] into, int from, int length) {
            synchronized (disk) {
                System.arraycopy(inode.content, (int) position, into, from, length);
            }
        }

        @Override
        public void write(long position, byte[] bytes, int from, int length, Site site) {
            if (site == Site.SUPERBLOCK) {
                disk.atSuperblock.run();
            }
            synchronized (disk) {
                if (!isDeleted(site)) {
                    inode.write(position, bytes, from, length);
                    disk.log(new Event(Event.Kind.WRITE, file(), position, Arrays.copyOfRange(bytes, from, from + length),
                            site, null));
                }
            }
        }

        @Override
        public void sync(Site site) {
            synchronized (disk) {
                if (!isDeleted(site)) {
                    inode.sync();
                    disk.log(new Event(Event.Kind.SYNC, file(), 0, null, site, null));
                }
            }
        }

        @Override
        public void extend(long from, long size) {
            synchronized (disk) {
                long more = size - inode.content.length;
                if (more > disk.room) {
                    throw new HeapFullException("extension of " + path
                            + " failed: No space left on device; make room on its device");
                }
                disk.room -= Math.max(0, more);
                Disk.extend(inode, (int) size);
                disk.log(new Event(Event.Kind.EXTEND, file(), size, null, null, null));
            }
        }

        @Override
        public void close() {
            synchronized (disk) {
                disk.locked.remove(inode);
            }
        }
    }
}
