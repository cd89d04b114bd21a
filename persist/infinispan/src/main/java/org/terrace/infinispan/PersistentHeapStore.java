// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.infinispan;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.reactivex.rxjava3.core.Flowable;
import jakarta.transaction.Transaction;
import org.infinispan.commons.configuration.ConfiguredBy;
import org.infinispan.commons.executors.NonBlockingResource;
import org.infinispan.commons.time.TimeService;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.infinispan.commons.util.concurrent.CompletableFutures;
import org.infinispan.configuration.cache.ClusteringConfiguration;
import org.infinispan.persistence.PersistenceUtil;
import org.infinispan.persistence.spi.InitializationContext;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.NonBlockingStore;
import org.infinispan.persistence.spi.PersistenceException;
import org.infinispan.util.concurrent.BlockingManager;
import org.reactivestreams.Publisher;
import org.terrace.infinispan.configuration.DurabilityLevel;
import org.terrace.infinispan.configuration.PersistentHeapStoreConfiguration;
import org.terrace.persist.HeapException;

/**
 * A cache store in a persistent heap, with one file for each cache. A write is acknowledged when it is as durable as the configured
 * level promises. Writes of several threads share a sync. Nodes cannot share a store.
 *
 * <p>Operations that may wait for the device for a long time run on Infinispan's blocking threads. {@link #supplyShort} describes
 * the exceptions.
 */
@ConfiguredBy(PersistentHeapStoreConfiguration.class)
public class PersistentHeapStore<K, V> implements NonBlockingStore<K, V> {
    private static final int PREFETCHED_PAGES = 1;

    /** The changes of prepared transactions until these end. */
    private final Map<Transaction, List<Change>> prepared = new ConcurrentHashMap<>();
    private BlockingManager blockingManager;
    private TimeService timeService;
    private Entries<K, V> entries;
    private boolean segmented;
    private boolean clustered;
    private boolean syncing;
    private volatile CacheHeap heap;

    @Override
    public Set<Characteristic> characteristics() {
        return EnumSet.of(Characteristic.BULK_READ, Characteristic.EXPIRATION, Characteristic.SEGMENTABLE,
                Characteristic.TRANSACTIONAL);
    }

    @Override
    public CompletionStage<Void> start(InitializationContext context) {
        blockingManager = context.getBlockingManager();
        timeService = context.getTimeService();
        entries = new Entries<>(context);
        PersistentHeapStoreConfiguration configuration = context.getConfiguration();
        String cache = context.getCache().getName();
        ClusteringConfiguration clustering = context.getCache().getCacheConfiguration().clustering();
        segmented = configuration.segmented();
        clustered = clustering.cacheMode().isClustered();
        syncing = configuration.durability() == DurabilityLevel.SYNC;
        int segments = segmented ? clustering.hash().numSegments() : 1;
        return run("start", () -> {
            Path directory = PersistenceUtil.getLocation(context.getGlobalConfiguration(), configuration.path());
            heap = CacheHeap.open(HeapFiles.prepare(directory, cache), configuration.heapOptions(), cache, segments);
        });
    }

    @Override
    public CompletionStage<Void> stop() {
        return run("stop", () -> {
            if (heap != null) {
                heap.close();
                heap = null;
            }
        });
    }

    @Override
    public CompletionStage<Void> destroy() {
        return run("destroy", () -> {
            if (heap != null) {
                Path file = heap.path();
                heap.close();
                heap = null;
                HeapFiles.delete(file);
            }
        });
    }

    /** False after an error of the device, because the heap must be opened again. A full heap is available for reads and removals. */
    @Override
    public CompletionStage<Boolean> isAvailable() {
        CacheHeap open = heap;
        return CompletableFuture.completedFuture(open != null && open.isWritable());
    }

    /** @throws PersistenceException before the start and after the stop, which can happen during running operations */
    private CacheHeap heap() {
        CacheHeap open = heap;
        if (open == null) {
            throw new PersistenceException("the store is not started, or was stopped");
        }
        return open;
    }

    /** The number of a segment in the heap. Without segmentation, callers may pass any number. */
    private int number(int segment) {
        return segmented ? segment : 0;
    }

    private IntSet numbers(IntSet segments) {
        return segmented ? segments : IntSets.immutableSet(0);
    }

    private long now() {
        return timeService.wallClockTime();
    }

    @Override
    public CompletionStage<MarshallableEntry<K, V>> load(int segment, Object key) {
        return supplyShort("load", () -> {
            StoredEntry found = heap().get(number(segment), entries.bytes(key), now());
            return found == null ? null : entries.entry(key, found);
        });
    }

    @Override
    public CompletionStage<Boolean> containsKey(int segment, Object key) {
        return supplyShort("containsKey", () -> heap().contains(number(segment), entries.bytes(key), now()));
    }

    @Override
    public CompletionStage<Void> write(int segment, MarshallableEntry<? extends K, ? extends V> entry) {
        return supplyWrite("write", () -> {
            heap().change(entries.write(number(segment), entry));
            return null;
        });
    }

    @Override
    public CompletionStage<Boolean> delete(int segment, Object key) {
        return supplyWrite("delete", () -> heap().change(entries.removal(number(segment), key)));
    }

    @Override
    public CompletionStage<Void> clear() {
        return run("clear", () -> heap().clear());
    }

    @Override
    public CompletionStage<Void> addSegments(IntSet segments) {
        return run("addSegments", () -> heap().addSegments(segments));
    }

    @Override
    public CompletionStage<Void> removeSegments(IntSet segments) {
        return run("removeSegments", () -> heap().removeSegments(segments));
    }

    @Override
    public CompletionStage<Long> size(IntSet segments) {
        return supply("size", () -> heap().size(numbers(segments), now()));
    }

    @Override
    public CompletionStage<Long> approximateSize(IntSet segments) {
        return supply("approximateSize", () -> heap().sizeWithExpired(numbers(segments)));
    }

    /** Writes the changes in one block if they fit in a quarter of the log, otherwise in several. */
    @Override
    public CompletionStage<Void> batch(int publisherCount, Publisher<SegmentedPublisher<Object>> removePublisher,
            Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> writePublisher) {
        return blockingManager.thenApplyBlocking(collect(publisherCount, removePublisher, writePublisher), changes ->
                guarded("batch", () -> {
                    heap().changeInTurn(changes);
                    return null;
                }), "persistent-heap-batch");
    }

    @Override
    public CompletionStage<Void> prepareWithModifications(Transaction transaction, int publisherCount,
            Publisher<SegmentedPublisher<Object>> removePublisher,
            Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> writePublisher) {
        return collect(publisherCount, removePublisher, writePublisher)
                .thenAccept(changes -> prepared.put(transaction, changes));
    }

    /** Writes the changes in one block. Therefore a transaction may change at most half of the log. */
    @Override
    public CompletionStage<Void> commit(Transaction transaction) {
        List<Change> changes = prepared.remove(transaction);
        return changes == null ? CompletableFutures.completedNull() : run("commit", () -> heap().changeAtOnce(changes));
    }

    @Override
    public CompletionStage<Void> rollback(Transaction transaction) {
        prepared.remove(transaction);
        return CompletableFutures.completedNull();
    }

    /** Subscribes to both publishers and to all of their inner publishers concurrently, because each waits for the others. */
    private CompletionStage<List<Change>> collect(int publisherCount, Publisher<SegmentedPublisher<Object>> removePublisher,
            Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> writePublisher) {
        int concurrency = Math.max(1, publisherCount);
        Flowable<Change> removals = Flowable.fromPublisher(removePublisher).flatMap(of -> Flowable.fromPublisher(of)
                .map(key -> entries.removal(number(of.getSegment()), key)), concurrency);
        Flowable<Change> writes = Flowable.fromPublisher(writePublisher).flatMap(of -> Flowable.fromPublisher(of)
                .map(entry -> entries.write(number(of.getSegment()), entry)), concurrency);
        return Flowable.merge(writes, removals).toList().toCompletionStage();
    }

    @Override
    public Publisher<MarshallableEntry<K, V>> publishEntries(IntSet segments, Predicate<? super K> filter,
            boolean includeValues) {
        return publish(segments, true, found -> entries.entry(found, filter, includeValues));
    }

    @Override
    public Publisher<K> publishKeys(IntSet segments, Predicate<? super K> filter) {
        return publish(segments, false, found -> entries.key(found.key(), filter));
    }

    private <T> Publisher<T> publish(IntSet segments, boolean withEntries, Function<KeyedEntry, Optional<T>> convert) {
        return pages(() -> numbers(segments), scan -> scan.page(withEntries, now()), (segment, page) -> page, convert);
    }

    @Override
    public Publisher<MarshallableEntry<K, V>> purgeExpired() {
        long now = now();
        return pages(() -> heap().mortalSegments(), scan -> scan.expired(now),
                (segment, keys) -> heap().removeExpired(segment, keys, now), found -> entries.entry(found, null, true));
    }

    /**
     * Publishes pages of scans of the segments. A page is read on demand and shows the current state of its segment. The caller's
     * thread must not block.
     *
     * @param page the next page of a scan, or null at its end
     * @param found converts a page to entries to publish
     */
    private <P, T> Publisher<T> pages(Supplier<IntSet> segments, Function<SegmentScan, List<P>> page,
            BiFunction<Integer, List<P>, List<KeyedEntry>> found, Function<KeyedEntry, Optional<T>> convert) {
        Flowable<IntSet> all = Flowable.fromCallable(() -> guarded("scan", segments));
        Flowable<List<KeyedEntry>> pages = all.concatMapIterable(of -> of).concatMap(segment -> Flowable
                .<List<KeyedEntry>, SegmentScan>generate(() -> guarded("scan", () -> heap().scan(segment)), (scan, emitter) -> {
                    List<P> next = guarded("scan", () -> page.apply(scan));
                    if (next == null) {
                        emitter.onComplete();
                    } else {
                        emitter.onNext(guarded("scan", () -> found.apply(segment, next)));
                    }
                }));
        return blockingManager.blockingPublisher(pages.concatMapIterable(list -> list, PREFETCHED_PAGES)
                .mapOptional(convert::apply));
    }

    private CompletionStage<Void> run(String what, Runnable action) {
        return supply(what, () -> {
            action.run();
            return null;
        });
    }

    private <T> CompletionStage<T> supply(String what, Supplier<T> action) {
        return blockingManager.supplyBlocking(() -> guarded(what, action), "persistent-heap-" + what);
    }

    /**
     * Runs an action on the caller's thread if that may wait, as application threads may. Passing it to another thread takes longer
     * than an operation in the page cache. In a cluster, the caller may be an unmarked thread of JGroups, which must continue to
     * receive messages.
     */
    private <T> CompletionStage<T> supplyShort(String what, Supplier<T> action) {
        if (clustered || Thread.currentThread().getThreadGroup() instanceof NonBlockingResource) {
            return supply(what, action);
        }
        try {
            return CompletableFuture.completedFuture(guarded(what, action));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Runs a write. If it waits for the device, it runs asynchronously, so that concurrent writes share a sync. */
    private <T> CompletionStage<T> supplyWrite(String what, Supplier<T> action) {
        return syncing ? supply(what, action) : supplyShort(what, action);
    }

    private static <T> T guarded(String what, Supplier<T> action) {
        try {
            return action.get();
        } catch (HeapException e) {
            throw new PersistenceException(what + " failed: " + e.getMessage(), e);
        }
    }
}
