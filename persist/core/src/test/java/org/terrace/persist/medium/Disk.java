// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.medium;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.heap.Directory;

/**
 * Files in memory, with the states that a crash of the machine can leave. On a disk of sectors, each sector of 512 bytes has any
 * version since the last completed sync. On a disk of lines, which simulates persistent memory, each line of 64 bytes contains a
 * prefix of the stores since its last write-back. A store of several words may be partial ({@link CrashStates} tries some
 * variants). The disk records all operations.
 */
public final class Disk {
    private static final int SECTOR = 512;
    private static final int LINE = 64;
    private static final Map<String, Disk> DISKS = new ConcurrentHashMap<>();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    /** A recorded operation. {@code note} comes from the test, for an operation that began or was acknowledged. */
    public record Event(Kind kind, String file, long position, byte[] bytes, Site site, Object note) {
        public enum Kind { WRITE, WRITE_BACK, SYNC, EXTEND, EMPTY, PUBLISH, NAMES, RANDOM, NOTE }

        @Override
        public String toString() {
            return kind + (file == null ? " " + note : " " + file + " " + site + " at " + position
                    + (bytes == null ? "" : " +" + bytes.length));
        }
    }

    private final String name = Integer.toString(NUMBERS.incrementAndGet());
    private final int grain;
    private final Map<String, Inode> files = new HashMap<>();
    private final Set<String> durableNames = new HashSet<>();
    /** Replaced files whose directory was not synced since. A crash may restore them. */
    private final Map<String, Inode> replaced = new HashMap<>();
    private final Set<Inode> locked = new HashSet<>();
    private final List<Event> events = new ArrayList<>();
    private final Set<Site> deleted = new HashSet<>();
    private final Set<Site> withoutWriteBack = new HashSet<>();
    private boolean recording;
    /** Number of boots of the machine. */
    private int boots = 1;
    /** Number of random numbers drawn. They are the same after each crash at the same moment, so that equal states are recognized. */
    private long draws;
    private long room = Long.MAX_VALUE;
    private long writable = Long.MAX_VALUE;
    private Site failing;
    private Throwable failingWith;
    private final Map<Site, Runnable> actions = new ConcurrentHashMap<>();

    /** Creates a disk of sectors. */
    public Disk() {
        this(SECTOR);
    }

    private Disk(int grain) {
        this.grain = grain;
        DISKS.put(name, this);
    }

    /** Creates a disk of persistent memory. */
    public static Disk ofLines() {
        return new Disk(LINE);
    }

    boolean hasLines() {
        return grain == LINE;
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

    /** The disk after a crash of the process, which loses nothing and syncs nothing. */
    public Disk copy() {
        return copy(true);
    }

    /** @param withVersions whether a crash of the copy may still undo unsynced writes */
    synchronized Disk copy(boolean withVersions) {
        Disk copy = new Disk(grain);
        files.forEach((file, inode) -> copy.files.put(file, inode.copy(withVersions)));
        copy.deleted.addAll(deleted);
        copy.withoutWriteBack.addAll(withoutWriteBack);
        copy.durableNames.addAll(durableNames);
        copy.draws = draws;
        copy.boots = boots;
        replaced.forEach((file, inode) -> copy.replaced.put(file, inode.copy(withVersions)));
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

    /** Disables all operations of this site. */
    public void delete(Site site) {
        deleted.add(site);
    }

    /** Disables the write-back of stores to persistent memory at this site. */
    public void deleteWriteBack(Site site) {
        withoutWriteBack.add(site);
    }

    /** Makes the next use of this site fail with an error of the device. */
    public void failAt(Site site) {
        failAt(site, (HeapException) null);
    }

    /** Makes it fail with another error, such as one of the VM. */
    public void failAt(Site site, Error error) {
        failing = site;
        failingWith = error;
    }

    public void failAt(Site site, HeapException error) {
        failing = site;
        failingWith = error;
    }

    /** Sets an action that runs before each write of this site, which waits for it. */
    public void at(Site site, Runnable action) {
        actions.put(site, action);
    }

    /** Limits the bytes by which files may still be extended. */
    public void limitRoom(long bytes) {
        room = bytes;
    }

    /**
     * Limits the bytes that may still be written to new or old places, as on a copy-on-write file system. The write that exceeds
     * the limit writes its first bytes, but no part of a sector that is written alone.
     */
    public synchronized void limitWrites(long bytes) {
        writable = bytes;
    }

    /** The number of bytes of a write that fit within the limit. */
    private int takeWritable(int length) {
        int taken = length == SECTOR && writable < SECTOR ? 0 : (int) Math.min(length, writable);
        writable -= writable == Long.MAX_VALUE ? 0 : taken;
        return taken;
    }

    public synchronized void remove(String file) {
        files.remove(file);
    }

    /** Durably sets the contents of a file. */
    public synchronized void replace(String file, byte[] content) {
        Inode inode = new Inode(grain);
        inode.resize(content.length);
        inode.patch(0, content, 0, content.length);
        inode.durableSize = content.length;
        files.put(file, inode);
    }

    public synchronized byte[] contentOf(String file) {
        return files.get(file).expose();
    }

    /** Renames a class in its descriptor and corrects the checksum. The names must have the same length. */
    public synchronized void renameClass(String file, String from, String to) {
        byte[] content = files.get(file).expose();
        byte[] wanted = from.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        java.nio.ByteBuffer buffer = java.nio.ByteBuffer.wrap(content).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        int found = 0;
        for (int at = Directory.CLASS_TEXT; at + wanted.length <= content.length; at++) {
            int payload = at - Directory.CLASS_TEXT;
            int length = buffer.getInt(payload + Directory.CLASS_LENGTH);
            // The file still contains freed descriptors too.
            if (Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)
                    && crcOf(content, at, length) == buffer.getInt(payload + Directory.CLASS_CRC)) {
                System.arraycopy(to.getBytes(java.nio.charset.StandardCharsets.UTF_8), 0, content, at, to.length());
                buffer.putInt(payload + Directory.CLASS_CRC, crcOf(content, at, length));
                found++;
            }
        }
        if (found == 0) {
            throw new IllegalArgumentException(from + " is not in the file");
        }
    }

    private static int crcOf(byte[] content, int from, int length) {
        return length < 0 || from + length > content.length ? 0 : Directory.crc(Arrays.copyOfRange(content, from, from + length));
    }

    /** Whether the directory was synced since the file got its name. */
    public synchronized boolean isNameDurable(String file) {
        return durableNames.contains(file);
    }

    /** A hash of the contents and of the versions that could be lost. States with equal hashes are considered equal. */
    public synchronized long hashOf(String file) {
        return files.get(file).hash();
    }

    Map<String, Inode> files() {
        return files;
    }

    /** A number that changes with each crash of the machine. */
    public int boots() {
        return boots;
    }

    /** Simulates a crash of the machine, which also undoes unsynced changes of the directory. */
    void reboot() {
        boots++;
        files.putAll(replaced);
        replaced.clear();
    }

    private void log(Event event) {
        if (recording) {
            events.add(event);
        }
    }

    /** Repeats a recorded operation. */
    public synchronized void apply(Event event) {
        switch (event.kind) {
            case WRITE -> files.get(event.file).write(event.position, event.bytes, 0, event.bytes.length);
            case WRITE_BACK -> files.get(event.file).writeBack(event.position, (int) event.note);
            case SYNC -> files.get(event.file).sync();
            case EXTEND -> extend(files.computeIfAbsent(event.file, f -> new Inode(grain)), (int) event.position);
            case EMPTY -> files.put(event.file, new Inode(grain));
            case PUBLISH -> {
                Inode before = files.put((String) event.note, files.remove(event.file));
                durableNames.remove((String) event.note);
                if (before != null) {
                    replaced.putIfAbsent((String) event.note, before);
                }
            }
            case NAMES -> {
                durableNames.addAll(files.keySet());
                replaced.clear();
            }
            case RANDOM -> draws++;
            case NOTE -> { }
        }
    }

    private static void extend(Inode inode, int size) {
        if (size > inode.size()) {
            inode.resize(size);
        }
    }

    synchronized boolean exists(Path path) {
        return files.containsKey(path.getFileName().toString());
    }

    synchronized void publish(Path temporary, Path to) {
        Event event = new Event(Event.Kind.PUBLISH, temporary.getFileName().toString(), 0, null, null,
                to.getFileName().toString());
        apply(event);
        log(event);
    }

    synchronized void syncNames(Site site) {
        if (!deleted.contains(site)) {
            Event event = new Event(Event.Kind.NAMES, null, 0, null, site, "names");
            apply(event);
            log(event);
        }
    }

    synchronized long random() {
        Event event = new Event(Event.Kind.RANDOM, null, 0, null, null, "random number");
        apply(event);
        log(event);
        return draws * 0x9E3779B97F4A7C15L;
    }

    synchronized MediumFile open(Path path, Medium.Mode mode) {
        String file = path.getFileName().toString();
        Inode inode = files.get(file);
        if (inode == null) {
            if (mode != Medium.Mode.CREATE) {
                throw new HeapException("cannot open " + path);
            }
            inode = new Inode(grain);
            files.put(file, inode);
            log(new Event(Event.Kind.EXTEND, file, 0, null, null, null));
        }
        if (locked.contains(inode)) {
            throw new HeapException(path + " is open in another process or another Heap: close that one first");
        }
        if (mode == Medium.Mode.CREATE && inode.size() > 0) {
            Event event = new Event(Event.Kind.EMPTY, file, 0, null, null, null);
            apply(event);
            log(event);
            inode = files.get(file);
        }
        locked.add(inode);
        return new Handle(this, path, inode);
    }

    /** An open file on a disk. */
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
                if (disk.failingWith instanceof Error error) {
                    throw error;
                }
                if (disk.failingWith instanceof HeapException error) {
                    throw error;
                }
                throw new HeapException(site + " of " + path + " failed: Input/output error");
            }
            return disk.deleted.contains(site);
        }

        @Override
        public Path path() {
            return path;
        }

        PageCache pageCache() {
            return new PageCache(new UUID(0, disk.boots), 0);
        }

        @Override
        public long size() {
            synchronized (disk) {
                return inode.size();
            }
        }

        @Override
        public void read(long position, byte[] into, int from, int length) {
            synchronized (disk) {
                inode.read((int) position, into, from, length);
            }
        }

        @Override
        public void write(long position, byte[] bytes, int from, int length, Site site) {
            disk.actions.getOrDefault(site, () -> { }).run();
            synchronized (disk) {
                if (!isDeleted(site)) {
                    int written = disk.takeWritable(length);
                    inode.write(position, bytes, from, written);
                    disk.log(new Event(Event.Kind.WRITE, file(), position, Arrays.copyOfRange(bytes, from, from + written),
                            site, null));
                    if (written < length) {
                        throw new HeapFullException("write to " + path + " failed: No space left on device; make room on its device");
                    }
                }
            }
        }

        /** Null on a disk of sectors. */
        PersistentMapping mapping() {
            return disk.hasLines() ? new Mapping() : null;
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
                long more = size - inode.size();
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

        private final class Mapping implements PersistentMapping {
            @Override
            public void store(long position, byte[] bytes, int from, int length, Site site) {
                write(position, bytes, from, length, site);
            }

            @Override
            public void writeBack(long position, int length, Site site) {
                synchronized (disk) {
                    if (!isDeleted(site) && !disk.withoutWriteBack.contains(site)) {
                        inode.writeBack(position, length);
                        disk.log(new Event(Event.Kind.WRITE_BACK, file(), position, null, site, length));
                    }
                }
            }

            @Override
            public void close() {
                // The handle is closed after this.
            }
        }
    }
}
