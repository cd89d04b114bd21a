// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringReader;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerException;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;
import org.terrace.bench.harness.Latencies;
import picocli.CommandLine.Command;

/** A program in which Xalan transforms documents by a stylesheet in several threads. */
@Command(name = "xalan", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Xalan transforms --size generated documents with a stylesheet.")
final class Stylesheets extends GcProgram {

    private static final int DIFFERENT = 8;
    private static final int ITEMS = 1500;
    private static final int GROUPS = 40;

    private final String[] documents = new String[DIFFERENT];
    private Templates stylesheet;

    @Override
    void prepare() throws IOException, TransformerException {
        Words words = new Words(5000);
        for (int i = 0; i < DIFFERENT; i++) {
            documents[i] = catalogue(words, new SplittableRandom(i));
        }
        try (InputStream source = Stylesheets.class.getResourceAsStream("catalogue.xsl")) {
            stylesheet = new TransformerFactoryImpl().newTemplates(new StreamSource(source));
        }
    }

    private static String catalogue(Words words, SplittableRandom random) {
        StringBuilder text = new StringBuilder("<catalogue>");
        for (int i = 0; i < ITEMS; i++) {
            text.append("<item id='i").append(i).append("' group='g").append(random.nextInt(GROUPS)).append("'><name>")
                    .append(words.text(random, 3)).append("</name><price>").append(random.nextInt(1, 1000))
                    .append("</price><text>").append(words.text(random, 30)).append("</text></item>");
        }
        return text.append("</catalogue>").toString();
    }

    @Override
    Object once(Latencies latencies) throws Exception {
        return sum(latencies, "document", number -> transformed(documents[number % DIFFERENT]));
    }

    private long transformed(String document) throws IOException, TransformerException {
        try (CheckedOutputStream out = new CheckedOutputStream(OutputStream.nullOutputStream(), new CRC32())) {
            stylesheet.newTransformer().transform(new StreamSource(new StringReader(document)), new StreamResult(out));
            return out.getChecksum().getValue();
        }
    }
}
