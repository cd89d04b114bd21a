// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.heap.files;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.UUID;
import org.terrace.persist.CorruptHeapException;
import org.terrace.persist.HeapException;
import org.terrace.persist.HeapFullException;
import org.terrace.persist.HeapMedium;
import org.terrace.persist.HeapOptions;
import org.terrace.persist.Promises;
import org.terrace.persist.events.HeapEvents;
import org.terrace.persist.heap.Allocator;
import org.terrace.persist.heap.ClassDescriptor;
import org.terrace.persist.heap.Directory;
import org.terrace.persist.heap.Journal;
import org.terrace.persist.heap.Layout;
import org.terrace.persist.heap.ObjectHeader;
import org.terrace.persist.heap.PageLimit;
import org.terrace.persist.heap.Space;
import org.terrace.persist.heap.liveness.FreeSlots;
import org.terrace.persist.heap.liveness.Reachable;
import org.terrace.persist.log.LogFile;
import org.terrace.persist.log.LogReader;
import org.terrace.persist.log.RedoLog;
import org.terrace.persist.medium.Medium;
import org.terrace.persist.medium.MediumFile;
import org.terrace.persist.medium.Site;

/** The two files of an open heap. Opens, creates, replays and closes them. */
public final class Store implements AutoCloseable {
    private static final long INITIAL_BYTES = 1 << 20;
    private static final long FIRST_SEQUENCE = 1;

    private final Space space;
    private final RedoLog log;
    private final LogFile logFile;
    private final Journal journal;
    private final Allocator allocator;
    private final Checkpointer checkpointer;
    private final Background background;
    private final boolean recovered;
    private final boolean readOnly;
    private final long life;
    private final Promises promises;
    /** The objects that an opening after a crash has marked, when the log ended at {@link #reachedAt}. */
    private Reachable reachable;
    private final long reachedAt;

    private Store(Space space, Superblock found, LogFile logFile, HeapOptions options, Promises promises) {
        MediumFile file = space.file();
        this.space = space;
        this.logFile = logFile;
        this.promises = promises;
        this.readOnly = options.isReadOnly();
        this.recovered = !found.clean() || found.recovering();
        this.life = Medium.MEDIUM.random(file.path());
        long end = found.logPosition();
        long limit = options.isSalvaging() ? 0 : found.pageLimit(file);
        if (!found.clean()) {
            end = replay(end, limit, found.life(), options.isSalvaging());
        }
        this.reachable = checked(options);
        this.reachedAt = end;
        this.log = new RedoLog(file.path(), logFile, life, end, this::requestCheckpoint);
        this.journal = new Journal(space, log);
        this.allocator = new Allocator(journal);
        this.checkpointer = new Checkpointer(space, log, found);
        if (readOnly) {
            log.refuse(new HeapException(file.path() + " was opened read-only"));
            this.background = null;
            return;
        }
        if (!found.clean()) {
            // The files as found may be only in the page cache. The log records must be durable before the checkpoint writes their
            // changes. The superblock and its life in the log must be durable, because a superblock that a crash restores must find
            // its own life in the log.
            logFile.sync(Site.RECOVERY_SYNC);
            file.sync(Site.RECOVERY_SYNC);
        }
        checkpointer.setRecovering(recovered);
        checkpointer.beginLimit(end);
        logFile.beginLife(life, log.end(), found.life());
        checkpointer.run(life, false);
        logFile.endFormerLife(life);
        FreeSlots.load(journal, allocator);
        this.background = options.isBackground()
                ? new Background("terrace-persist " + file.path().getFileName(),
                        () -> checkpointer.runUnlessHeld(life), log,
                        options.durability().syncNanos())
                : null;
    }

    /** Rejects a heap before anything is written to its file, for example if it is damaged where this opening would change it. */
    private Reachable checked(HeapOptions options) {
        Map<Integer, ClassDescriptor> classes = Directory.classes(space);
        classes.values().forEach(descriptor -> descriptor.names().forEach(name -> options.checkClass(space.file().path(), name)));
        if (readOnly) {
            return null;
        }
        Directory.roots(space);
        FreeSlots.check(space);
        return !recovered || !options.isCollectingAfterCrash() ? null
                : Reachable.find(space, classes, options.threads(), options.isClearingLostReferences());
    }

    private long replay(long start, long limit, long ofLife, boolean salvaging) {
        HeapEvents.Replay event = HeapEvents.replay();
        LogReader reader = new LogReader(logFile, ofLife, space.layout().recordLimits()).salvaging(salvaging).needing(limit);
        long end = reader.replay(start, space);
        if (event != null) {
            event.records = reader.records();
            event.bytes = end - start;
            event.end(space.file().path());
        }
        return end;
    }

    /** @param named path of the heap, or a link to it */
    public static Store open(Path named, HeapOptions options) {
        Path path = Medium.MEDIUM.withoutLinks(named);
        if (!Medium.MEDIUM.exists(path)) {
            if (options.isReadOnly()) {
                throw new HeapException(path + " does not exist, and read-only opening creates nothing");
            }
            create(path, options);
        }
        MediumFile file = Medium.MEDIUM.open(path, options.isReadOnly() ? Medium.Mode.READ : Medium.Mode.WRITE);
        LogFile log = null;
        Space space = null;
        try {
            Superblock superblock = Superblock.read(file);
            boolean replaceable = superblock.clean() && !options.isReadOnly() && !Medium.MEDIUM.exists(logPath(path));
            log = replaceable ? LogFile.create(realLogPath(path), superblock.uuid(), superblock.logBytes())
                    : openLog(named, path, superblock, options.isReadOnly());
            if (superblock.clean() && !options.isReadOnly()) {
                // A program may have created both names immediately before it was killed.
                Medium.MEDIUM.syncNames(path, Site.NAME_SYNC);
                Medium.MEDIUM.syncNames(log.path(), Site.NAME_SYNC);
            }
            Promises promises = MediumChoice.check(file, log, options);
            if (promises.medium() == HeapMedium.DAX && !options.isReadOnly()) {
                file = Medium.MEDIUM.mapped(file);
                log = log.mapped();
            }
            space = new Space(file, new Layout(superblock.dataBytes()), options.isReadOnly());
            return new Store(space, superblock, log, options, promises);
        } catch (RuntimeException | Error e) {
            if (space != null) {
                // A mapping retains the file's lock even after the file is closed.
                space.unmap();
            }
            file.close();
            if (log != null) {
                log.close();
            }
            throw e;
        }
    }

    /** @param heap path of the heap file itself, because a log belongs to the file and not to a link */
    public static Path logPath(Path heap) {
        return heap.resolveSibling(heap.getFileName() + ".log");
    }

    /** The path of the log after links are resolved. */
    private static Path realLogPath(Path heap) {
        return Medium.MEDIUM.withoutLinks(logPath(heap));
    }

    /**
     * Opens the log of a heap.
     *
     * @param named the path by which the heap was opened, which may be a link
     * @throws HeapException if the log is missing or is not the one that the heap needs
     */
    static LogFile openLog(Path named, Path heap, Superblock superblock, boolean readOnly) {
        if (!superblock.clean() && !superblock.lifeInLog()) {
            checkOnlyLog(named, heap);
        }
        LogFile log = LogFile.open(realLogPath(heap), superblock.uuid(), superblock.logBytes(), readOnly);
        boolean belongs = superblock.clean() || log.isOfLife(superblock.life())
                || !superblock.lifeInLog() && log.tellsNoLife();
        if (!belongs) {
            log.close();
            throw new CorruptHeapException(heap + " was not closed, and " + log.path() + " is not the log of its last opening:"
                    + " what was committed then is in another one. Find that log, and put it beside the heap under this name. It may"
                    + " lie beside another name that the heap has (a hard link) or had when it was open last, or it was replaced by"
                    + " an older or newer copy. Otherwise restore the heap from a backup");
        }
        return log;
    }

    /**
     * Rejects an ambiguous log. Versions that did not write the life into the log used the log beside the link by which the heap
     * was opened.
     */
    private static void checkOnlyLog(Path named, Path heap) {
        Path other = logPath(named);
        if (Medium.MEDIUM.exists(other) && !Medium.MEDIUM.withoutLinks(other).equals(realLogPath(heap))) {
            throw new CorruptHeapException(heap + " was not closed by the version of the library that wrote it, and its log may be "
                    + other + " or " + logPath(heap) + ": keep copies of both, then move the one that was written last to the second"
                    + " name, and the other one away");
        }
    }

    /** Creates a heap file, which appears under its name only when it is complete. An interrupted creation leaves no heap. */
    private static void create(Path path, HeapOptions options) {
        Path temporary = path.resolveSibling(path.getFileName() + ".new");
        Superblock.checkNoHeap(temporary, left -> left.sequence() > FIRST_SEQUENCE);
        try (MediumFile file = Medium.MEDIUM.open(temporary, Medium.Mode.CREATE)) {
            if (Medium.MEDIUM.exists(path)) {
                throw new HeapException(path + " was just created by another process");
            }
            file.extend(0, Layout.BITMAP_OFFSET);
            MediumChoice.checkNew(file, options);
            SecureRandom random = new SecureRandom();
            UUID uuid = new UUID(random.nextLong(), random.nextLong());
            long logBytes = Layout.roundUp(options.logSize(), Layout.PAGE_BYTES);
            LogFile.checkUnused(logPath(path));
            LogFile.create(realLogPath(path), uuid, logBytes).close();
            Layout layout = new Layout(options.maxSize());
            long size = layout.dataOffset() + Math.min(layout.dataBytes(), INITIAL_BYTES);
            file.extend(layout.dataOffset(), size + PageLimit.BYTES);
            file.extend(Layout.BITMAP_OFFSET, Layout.BITMAP_OFFSET + Layout.PAGE_BYTES);
            writeDirectory(file, layout);
            PageLimit.write(file, size, 0, Site.CREATE_HEAP);
            new Superblock(Layout.FORMAT_VERSION, uuid, FIRST_SEQUENCE, layout.dataBytes(), size, 0, logBytes, 0, true, false, true, true)
                    .write(file, Site.CREATE_HEAP);
            file.sync(Site.CREATE_HEAP_SYNC);
            Medium.MEDIUM.publish(temporary, path);
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

    /** Writes all changes to the heap file and frees the log's space. */
    public void checkpoint() {
        checkpointer.run(life, false);
    }

    /** Writes a copy of the heap. Commits continue meanwhile until the log is full. */
    public void backup(Path to) {
        if (readOnly) {
            HeapCopy.write(to, space, superblock(), space.size(), recovered);
        } else {
            checkpointer.hold(life, checkpoint -> HeapCopy.writeOnline(to, space, checkpoint, log, logFile));
        }
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

    /** Whether the heap had not been closed, or was closed before {@link #endRecovery} was called. */
    public boolean isRecovered() {
        return recovered;
    }

    /**
     * The reachable objects that the opening has found. Can be taken once. Null if the opening did not mark, or the heap has
     * changed since.
     */
    public Reachable takeReachable() {
        Reachable taken = log.end() == reachedAt ? reachable : null;
        reachable = null;
        return taken;
    }

    /** Notes that all work after a crash is done. */
    public void endRecovery() {
        checkpointer.setRecovering(false);
    }

    public Superblock superblock() {
        return checkpointer.superblock();
    }

    /** The path of the heap file after links are resolved. */
    public Path path() {
        return space.file().path();
    }

    public Promises promises() {
        return promises;
    }

    public long logBytes() {
        return logFile.capacity();
    }

    /** Closes without a checkpoint, so that the next opening replays the log. */
    public void abandon(HeapException reason) {
        log.refuse(reason);
        shut();
    }

    /**
     * Closes with a last checkpoint, unless the heap has failed or is read-only. The files are always closed.
     *
     * @throws HeapException if the heap has failed, now or earlier
     */
    @Override
    public void close() {
        HeapException error = shut();
        if (error != null) {
            throw new HeapException(path() + " is closed, and had failed before: what was committed last may not be on stable storage;"
                    + " the next opening shows what is: " + error.getMessage(), error);
        }
    }

    private void checkpointToClose() {
        try {
            // Frees space in the log for the following records, because no other thread makes checkpoints any more.
            checkpointer.run(life, false);
            FreeSlots.save(journal, allocator, logFile.capacity());
            checkpointer.run(life, true);
        } catch (HeapFullException e) {
            throw new HeapException(path() + " is closed without its last checkpoint: " + e.getMessage() + ", then open the heap:"
                    + " that replays the log, which has all changes but those that a NotDurableException told of", e);
        }
    }

    /** @return the error with which the heap has failed, or null */
    private HeapException shut() {
        HeapException error;
        try {
            if (background != null) {
                background.close();
            }
            if (!log.hasFailed()) {
                checkpointToClose();
            }
        } finally {
            error = log.error();
            log.refuse(new HeapException("the heap is closed"));
            try {
                space.close();
            } finally {
                log.close();
            }
        }
        return error;
    }
}
