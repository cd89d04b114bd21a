// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import scala.Tuple2;

/**
 * Writes a graph as text with one line per edge, which has two vertex numbers. A second file has the vertices' names in
 * order of number.
 */
final class EdgeList implements Closeable {

    private final Path names;
    private final BufferedWriter writer;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> byNumber = new ArrayList<>();
    private long edges;

    EdgeList(Path file) throws IOException {
        this.names = file.resolveSibling(file.getFileName() + ".names");
        this.writer = Files.newBufferedWriter(file);
    }

    /** Returns whether a line is an edge, rather than empty or a comment. */
    static boolean isEdge(String line) {
        return !line.isEmpty() && line.charAt(0) != '#';
    }

    /** Returns the two vertices of a line that is an edge. */
    static Tuple2<Integer, Integer> parse(String line) {
        int gap = 0;
        while (!Character.isWhitespace(line.charAt(gap))) {
            gap++;
        }
        return new Tuple2<>(Integer.valueOf(line.substring(0, gap)), Integer.valueOf(line.substring(gap).trim()));
    }

    int vertex(String name) {
        Integer number = numbers.get(name);
        if (number == null) {
            number = byNumber.size();
            numbers.put(name, number);
            byNumber.add(name);
        }
        return number;
    }

    void edges(int from, Collection<Integer> to) throws IOException {
        for (int target : to) {
            edge(from, target);
        }
    }

    void edge(int from, int to) throws IOException {
        writer.write(Integer.toString(from));
        writer.write(' ');
        writer.write(Integer.toString(to));
        writer.write('\n');
        edges++;
    }

    int vertices() {
        return byNumber.size();
    }

    long edges() {
        return edges;
    }

    @Override
    public void close() throws IOException {
        writer.close();
        Files.write(names, byNumber);
    }
}
