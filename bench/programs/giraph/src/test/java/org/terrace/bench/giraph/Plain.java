// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.giraph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.TreeMap;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Writable;

/** Textbook implementations of the programs without Giraph. */
final class Plain {

    /** Targets of each vertex with outgoing edges. Repeated edges are repeated here. */
    private final TreeMap<Long, List<Long>> edges = new TreeMap<>();

    Plain(int scale, int degree, long seed, boolean bothWays) {
        for (int part = 0; part < RmatEdgeFormat.PARTS; part++) {
            Rmat rmat = new Rmat(scale, seed, part);
            for (long i = 0; i < RmatEdgeFormat.edgesOfPart(scale, degree); i++) {
                rmat.next();
                add(rmat.source(), rmat.target());
                if (bothWays) {
                    add(rmat.target(), rmat.source());
                }
            }
        }
    }

    private void add(long source, long target) {
        edges.computeIfAbsent(source, vertex -> new ArrayList<>()).add(target);
    }

    /** Returns the number of vertices with outgoing edges. */
    int sources() {
        return edges.size();
    }

    private List<Long> from(long vertex) {
        return edges.getOrDefault(vertex, List.of());
    }

    TreeMap<Long, Writable> run(Program program, int iterations) {
        switch (program) {
            case PAGERANK:
                return pageRank(iterations);
            case WCC:
                return components();
            case BFS:
                return breadthFirst();
            case SSSP:
                return shortestPaths();
            default:
                return communities(iterations);
        }
    }

    private TreeMap<Long, Writable> pageRank(int iterations) {
        TreeMap<Long, Double> ranks = new TreeMap<>();
        edges.keySet().forEach(vertex -> ranks.put(vertex, 1.0));
        for (int i = 0; i < iterations; i++) {
            TreeMap<Long, Double> sums = new TreeMap<>();
            edges.keySet().forEach(vertex -> sums.put(vertex, 0.0));
            edges.forEach((vertex, targets) -> targets.forEach(
                    target -> sums.merge(target, ranks.get(vertex) / targets.size(), Double::sum)));
            sums.forEach((vertex, sum) -> ranks.put(vertex, 1 - PageRank.DAMPING + PageRank.DAMPING * sum));
        }
        TreeMap<Long, Writable> result = new TreeMap<>();
        ranks.forEach((vertex, rank) -> result.put(vertex, new DoubleWritable(rank)));
        return result;
    }

    private TreeMap<Long, Writable> components() {
        TreeMap<Long, Writable> result = new TreeMap<>();
        for (long least : edges.keySet()) {
            Queue<Long> waiting = new ArrayDeque<>(List.of(least));
            while (!waiting.isEmpty()) {
                long vertex = waiting.remove();
                if (result.putIfAbsent(vertex, new LongWritable(least)) == null) {
                    waiting.addAll(from(vertex));
                }
            }
        }
        return result;
    }

    private TreeMap<Long, Writable> breadthFirst() {
        TreeMap<Long, Writable> result = new TreeMap<>();
        edges.keySet().forEach(vertex -> result.put(vertex, new IntWritable(BreadthFirst.FAR)));
        List<Long> front = List.of(0L);
        for (int level = 0; !front.isEmpty(); level++) {
            List<Long> next = new ArrayList<>();
            for (long vertex : front) {
                Writable before = result.get(vertex);
                if (before == null || ((IntWritable) before).get() == BreadthFirst.FAR) {
                    result.put(vertex, new IntWritable(level));
                    next.addAll(from(vertex));
                }
            }
            front = next;
        }
        return result;
    }

    private static final class Reached {
        private final long vertex;
        private final float distance;

        private Reached(long vertex, float distance) {
            this.vertex = vertex;
            this.distance = distance;
        }
    }

    private TreeMap<Long, Writable> shortestPaths() {
        TreeMap<Long, Writable> result = new TreeMap<>();
        PriorityQueue<Reached> waiting = new PriorityQueue<>((a, b) -> Float.compare(a.distance, b.distance));
        waiting.add(new Reached(0, 0));
        while (!waiting.isEmpty()) {
            Reached next = waiting.remove();
            if (result.putIfAbsent(next.vertex, new FloatWritable(next.distance)) == null) {
                for (long target : from(next.vertex)) {
                    waiting.add(new Reached(target, next.distance + Rmat.weight(next.vertex, target)));
                }
            }
        }
        edges.keySet().forEach(vertex -> result.putIfAbsent(vertex, new FloatWritable(Float.POSITIVE_INFINITY)));
        return result;
    }

    private TreeMap<Long, Writable> communities(int iterations) {
        TreeMap<Long, Long> labels = new TreeMap<>();
        edges.keySet().forEach(vertex -> labels.put(vertex, vertex));
        for (int i = 0; i < iterations; i++) {
            TreeMap<Long, Long> next = new TreeMap<>();
            edges.forEach((vertex, neighbours) -> {
                TreeMap<Long, Integer> counts = new TreeMap<>();
                neighbours.forEach(neighbour -> counts.merge(labels.get(neighbour), 1, Integer::sum));
                int most = counts.values().stream().max(Integer::compare).orElseThrow();
                next.put(vertex, counts.keySet().stream().filter(label -> counts.get(label) == most).findFirst().orElseThrow());
            });
            labels.putAll(next);
        }
        TreeMap<Long, Writable> result = new TreeMap<>();
        labels.forEach((vertex, label) -> result.put(vertex, new LongWritable(label)));
        return result;
    }
}
