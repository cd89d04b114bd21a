// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.classification.NaiveBayesModel;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.regression.LabeledPoint;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * MLlib's multinomial naive Bayes over word counts. Like a model selection, it trains and tests once for each candidate
 * of the smoothing, so the cached documents are read several times.
 */
@Command(name = "bayes", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "MLlib's naive Bayes over cached documents, trained and tested once for each smoothing.")
final class NaiveBayes implements Callable<Integer> {

    private static final int MOST_REPEATS = 4;

    /** One of this many words is typical of the class. */
    private static final int TYPICAL = 10;

    @Option(names = "--documents", defaultValue = "100000", paramLabel = "N", description = "Number of documents.")
    private int documents;

    @Option(names = "--words", defaultValue = "50", paramLabel = "N", description = "Maximum number of different words per document.")
    private int words;

    @Option(names = "--vocabulary", defaultValue = "10000", paramLabel = "N", description = "Number of words in the vocabulary.")
    private int vocabulary;

    @Option(names = "--classes", defaultValue = "10", paramLabel = "N", description = "Number of document classes.")
    private int classes;

    @Option(names = "--smoothing", defaultValue = "0.1,0.5,1,2,5", split = ",", paramLabel = "X",
            description = "Smoothing parameters to try.")
    private List<Double> smoothing;

    @Option(names = "--partitions", defaultValue = "32", paramLabel = "N", description = "Number of partitions of the documents.")
    private int partitions;

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N", description = "Random seed of the documents.")
    private long seed;

    @Mixin
    private SparkOptions options;

    @Override
    public Integer call() {
        try (Workbench bench = new Workbench("bayes", options)) {
            JavaRDD<LabeledPoint> data = documents(bench).persist(options.level());
            long cached = bench.phase("load", data::count);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("documents", cached);
            result.put("right", bench.phase("choose", () -> {
                Map<String, Object> right = new LinkedHashMap<>();
                smoothing.forEach(candidate -> right.put(candidate.toString(), right(data, candidate)));
                return right;
            }));

            Map<String, Object> parameters = new LinkedHashMap<>();
            parameters.put("documents", documents);
            parameters.put("words", words);
            parameters.put("vocabulary", vocabulary);
            parameters.put("classes", classes);
            parameters.put("smoothing", smoothing);
            parameters.put("partitions", partitions);
            parameters.put("seed", seed);
            bench.report(parameters, result);
        }
        return 0;
    }

    /** Returns the number of documents that a model with this smoothing classifies correctly. */
    private static long right(JavaRDD<LabeledPoint> data, double smoothing) {
        NaiveBayesModel model = org.apache.spark.mllib.classification.NaiveBayes.train(data.rdd(), smoothing);
        return data.filter(document -> model.predict(document.features()) == document.label()).count();
    }

    private JavaRDD<LabeledPoint> documents(Workbench bench) {
        Writer writer = new Writer(seed, words, vocabulary, classes);
        return bench.numbers(documents, partitions).map(writer::document);
    }

    /** Generates documents. Some words come from the class's part of the vocabulary, the others from all of it. */
    private static final class Writer implements Serializable {

        private static final long serialVersionUID = 1;

        private final long seed;
        private final int words;
        private final int vocabulary;
        private final int classes;

        Writer(long seed, int words, int vocabulary, int classes) {
            this.seed = seed;
            this.words = words;
            this.vocabulary = vocabulary;
            this.classes = classes;
        }

        LabeledPoint document(long number) {
            SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
            int label = random.nextInt(classes);
            int share = vocabulary / classes;
            int[] indices = random.ints(words, 0, TYPICAL * vocabulary)
                    .map(word -> word % TYPICAL == 0 ? label * share + word / TYPICAL % share : word / TYPICAL)
                    .distinct().sorted().toArray();
            double[] counts = random.ints(indices.length, 1, MOST_REPEATS).asDoubleStream().toArray();
            return new LabeledPoint(label, Vectors.sparse(vocabulary, indices, counts));
        }
    }
}
