// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.io.IOException;
import java.util.SplittableRandom;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.Directory;

/** Generated texts that Lucene indexes and searches. */
final class Documents {

    static final String TITLE = "title";
    static final String BODY = "body";
    static final String YEAR = "year";

    private static final int VOCABULARY = 50_000;
    private static final int TITLE_WORDS = 6;
    private static final int BODY_WORDS = 120;
    private static final int YEARS = 100;
    private static final double BUFFER_MB = 16;

    final Words words = new Words(VOCABULARY);

    IndexWriter writer(Directory directory) throws IOException {
        return new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()).setRAMBufferSizeMB(BUFFER_MB));
    }

    /** Returns the document with this number, which is always the same. */
    Document document(int number) {
        SplittableRandom random = new SplittableRandom(number);
        int year = random.nextInt(YEARS);
        Document document = new Document();
        document.add(new TextField(TITLE, words.text(random, TITLE_WORDS), Field.Store.YES));
        document.add(new TextField(BODY, words.text(random, BODY_WORDS), Field.Store.NO));
        document.add(new IntPoint(YEAR, year));
        document.add(new NumericDocValuesField(YEAR, year));
        document.add(new StoredField("number", number));
        return document;
    }
}
