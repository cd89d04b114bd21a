package org.terrace.persist.heap;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.log.LogFile;
import org.terrace.persist.log.LogReader;
import org.terrace.persist.log.RedoLog;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/** The two files of an open heap and what works on them: opening, creating, replay, closing. */
public final class Store implements AutoCloseable {
    private static final long INITIAL_BYTES = 1 << 20;

    private final Space space;
    private final RedoLog log;
    private final LogFile logFile;
    private final Journal journal;
    private final Allocator allocator;
    private final Checkpointer checkpointer;
    private final Background background;
    private final boolean recovered;
    private final boolean readOnly;
    private final int epoch;

    private Store(MediumFile file, Superblock found, LogFile logFile, HeapOptions options) {
        this.logFile = logFile;
        this.readOnly = options.isReadOnly();
        this.recovered = !found.clean();
        this.epoch = found.epoch() + 1;
        this.space = new Space(file, new Layout(found.dataBytes()));
        long end = found.logPosition();
        if (recovered) {
            end = new LogReader(logFile, found.epoch()).replay(end, space);
        }
        this.log = new RedoLog(logFile, epoch, end, this::requestCheckpoint);
        this.journal = new Journal(space, log);
        this.allocator = new Allocator(journal);
        this.checkpointer = new Checkpointer(space, log, found);
        if (readOnly) {
            log.fail(new HeapException(file.path() + " was opened read-only"));
            this.background = null;
            return;
        }
        if (recovered) {
            // Records may be in the page cache only; the checkpoint writes what they say.
            logFile.sync(Site.RECOVERY_SYNC);
        }
        checkpointer.run(epoch, false);
        FreeSlots.load(journal, allocator);
        this.background = options.isBackground()
                ? new Background("terrace-persist " + file.path().getFileName(), this::checkpoint, log,
                        options.durability().syncNanos())
                : null;
    }

    public static Store open(Path path, HeapOptions options) {
        if (!Medium.MEDIUM.exists(path)) {
            if (options.isReadOnly()) {
                throw new HeapException(path + " does not exist, and read-only opening creates nothing");
            }
            create(path, options);
        }
        MediumFile file = Medium.MEDIUM.open(path, options.isReadOnly() ? Medium.Mode.READ : Medium.Mode.WRITE);
        LogFile log = null;
        try {
            Superblock superblock = Superblock.read(file);
            Path logPath = logPath(path);
            boolean replaceable = superblock.clean() && !options.isReadOnly() && !Medium.MEDIUM.exists(logPath);
            log = replaceable ? LogFile.create(logPath, superblock.uuid(), superblock.logBytes())
                    : LogFile.open(logPath, superblock.uuid(), superblock.logBytes(), options.isReadOnly());
            return new Store(file, superblock, log, options);
        } catch (RuntimeException e) {
            file.close();
            if (log != null) {
                log.close();
            }
            throw e;
        }
    }

    public static Path logPath(Path heap) {
        return heap.resolveSibling(heap.getFileName() + ".log");
    }

    /** The heap file appears under its name only when it is whole, so an interrupted creation leaves no heap. */
    private static void create(Path path, HeapOptions options) {
        Path temporary = path.resolveSibling(path.getFileName() + ".new");
        try (MediumFile file = Medium.MEDIUM.open(temporary, Medium.Mode.CREATE)) {
            if (Medium.MEDIUM.exists(path)) {
                throw new HeapException(path + " was just created by another process");
            }
            SecureRandom random = new SecureRandom();
            UUID uuid = new UUID(random.nextLong(), random.nextLong());
            long logBytes = Layout.roundUp(options.logSize(), Layout.PAGE_BYTES);
            LogFile.checkUnused(logPath(path));
            LogFile.create(logPath(path), uuid, logBytes).close();
            Layout layout = new Layout(options.maxSize());
            long size = layout.dataOffset() + Math.min(layout.dataBytes(), INITIAL_BYTES);
            file.extend(layout.dataOffset(), size);
            file.extend(Layout.BITMAP_OFFSET, Layout.BITMAP_OFFSET + Layout.PAGE_BYTES);
            writeDirectory(file, layout);
            new Superblock(uuid, 1, layout.dataBytes(), size, 0, logBytes, 0, true).write(file, Site.CREATE_HEAP);
            file.sync(Site.CREATE_HEAP_SYNC);
            Medium.MEDIUM.publish(temporary, path, Site.CREATE_NAME_SYNC);
        }
    }

    private static void writeDirectory(MediumFile file, Layout layout) {
        java.nio.ByteBuffer word = java.nio.ByteBuffer.allocate(Long.BYTES).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        file.write(Layout.BITMAP_OFFSET, word.putLong(0, 1).array(), 0, Long.BYTES, Site.CREATE_HEAP);
        word.putLong(0, ObjectHeader.of(Layout.CLASS_DIRECTORY, true, 0, Layout.BLOCK_BYTES));
        file.write(layout.dataOffset(), word.array(), 0, Long.BYTES, Site.CREATE_HEAP);
    }

    private void requestCheckpoint() {
        if (background != null) {
            background.requestCheckpoint();
        } else if (!readOnly) {
            checkpoint();
        }
    }

    /** Writes what has changed to the heap file, and makes the log's space free. */
    public void checkpoint() {
        checkpointer.run(epoch, false);
    }

    public Space space() {
        return space;
    }

    public RedoLog log() {
        return log;
    }

    public Journal journal() {
        return journal;
    }

    public Allocator allocator() {
        return allocator;
    }

    /** The heap had not been closed. */
    public boolean isRecovered() {
        return recovered;
    }

    public Superblock superblock() {
        return checkpointer.superblock();
    }

    public long logBytes() {
        return logFile.capacity();
    }

    /** Closes without a checkpoint: the next opening replays the log. */
    public void abandon(HeapException reason) {
        log.fail(reason);
        close();
    }

    /** With a last checkpoint, unless the heap has failed or is read-only. */
    @Override
    public void close() {
        try {
            if (background != null) {
                background.close();
            }
            if (!log.hasFailed()) {
                // Room in the log for what comes: nobody else makes any from now on.
                checkpointer.run(epoch, false);
                FreeSlots.save(journal, allocator, logFile.capacity());
                checkpointer.run(epoch, true);
            }
        } finally {
            log.fail(new HeapException("the heap is closed"));
            try {
                space.close();
            } finally {
                log.close();
            }
        }
    }
}
