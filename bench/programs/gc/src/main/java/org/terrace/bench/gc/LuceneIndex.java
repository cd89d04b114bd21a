// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.io.IOException;
import java.util.List;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.terrace.bench.harness.Latencies;
import picocli.CommandLine.Command;

/** A program in which several threads create a Lucene index in memory. */
@Command(name = "lucene-index", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Lucene builds an index of --size generated documents in memory.")
final class LuceneIndex extends GcProgram {

    private final Documents documents = new Documents();

    @Override
    Object once(Latencies latencies) throws Exception {
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
            try (IndexWriter writer = documents.writer(directory)) {
                sum(number -> writer.addDocument(documents.document(number)));
            }
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                return List.of(reader.numDocs(), occurrences(reader));
            }
        }
    }

    /** Returns a checksum of all terms that does not depend on the assignment of documents to segments. */
    private static long occurrences(DirectoryReader reader) throws IOException {
        TermsEnum terms = MultiTerms.getTerms(reader, Documents.BODY).iterator();
        long sum = 0;
        while (terms.next() != null) {
            sum += terms.term().utf8ToString().hashCode() * (31L * terms.totalTermFreq() + terms.docFreq());
        }
        return sum;
    }
}
