// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.io.IOException;
import java.util.SplittableRandom;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.terrace.bench.harness.Latencies;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A program in which several threads run queries of several kinds on a Lucene index in memory. */
@Command(name = "lucene-search", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Lucene answers --size generated queries from an index in memory.")
final class LuceneSearch extends GcProgram {

    private static final int HITS = 100;
    private static final int PREFIX = 2;
    private static final int KINDS = 5;

    @Option(names = "--documents", defaultValue = "20000", paramLabel = "N", description = "Number of documents in the index.")
    private int count;

    private final Documents documents = new Documents();
    private IndexSearcher searcher;

    @Override
    void prepare() throws IOException {
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        // One thread adds the documents, so they have the same positions in every index.
        try (IndexWriter writer = documents.writer(directory)) {
            for (int number = 0; number < count; number++) {
                writer.addDocument(documents.document(number));
            }
            writer.forceMerge(1);
        }
        searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setQueryCache(null);
    }

    @Override
    Object once(Latencies latencies) throws Exception {
        return sum(latencies, "query", number -> number * search(number));
    }

    /** Returns a checksum of the number of hits and of the first hits of one query. */
    private long search(int number) throws IOException {
        SplittableRandom random = new SplittableRandom(-1 - number);
        Query query = query(random);
        TopDocs found = number % 2 == 0 ? searcher.search(query, HITS)
                : searcher.search(query, HITS, new Sort(new SortField(Documents.YEAR, SortField.Type.INT)));
        long sum = found.scoreDocs.length;
        for (ScoreDoc hit : found.scoreDocs) {
            sum = 31 * sum + searcher.storedFields().document(hit.doc).get(Documents.TITLE).hashCode();
        }
        return sum;
    }

    private Query query(SplittableRandom random) {
        Term first = term(random);
        Term second = term(random);
        switch (random.nextInt(KINDS)) {
            case 0:
                return new TermQuery(first);
            case 1:
                return new BooleanQuery.Builder().add(new TermQuery(first), Occur.SHOULD)
                        .add(new TermQuery(second), Occur.SHOULD)
                        .add(IntPoint.newRangeQuery(Documents.YEAR, 20, 60), Occur.FILTER).build();
            case 2:
                return new PhraseQuery(2, Documents.BODY, first.text(), second.text());
            case 3:
                return new PrefixQuery(new Term(Documents.BODY, first.text().substring(0, PREFIX)));
            default:
                return new FuzzyQuery(first, 1);
        }
    }

    private Term term(SplittableRandom random) {
        return new Term(Documents.BODY, documents.words.next(random));
    }
}
