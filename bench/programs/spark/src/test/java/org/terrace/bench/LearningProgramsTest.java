// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.terrace.bench.Programs.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests the machine-learning programs, SQL and nested records on a small amount of generated data. */
class LearningProgramsTest {

    @Test
    void linearRegressionFindsTheLine() throws IOException {
        JsonNode report = run("linreg", "--rows", "2000", "--columns", "5", "--partitions", "4", "--eps", "0.01");
        assertEquals(2000, report.at("/result/rows").asInt());
        assertTrue(report.at("/result/loss").asDouble() < 0.02, "next to the mean square of the labels, about 0.4");
        assertEquals(4, report.at("/cached/cached").asInt());
    }

    @Test
    void supportVectorMachineSeparates() throws IOException {
        JsonNode report = run("svm", "--rows", "2000", "--columns", "5", "--partitions", "4");
        assertEquals(2000, report.at("/result/rows").asInt());
        assertTrue(report.at("/result/loss").asDouble() < 0.4, "1 is the loss of no separation");
    }

    @Test
    void naiveBayesIsRightMoreOftenThanChance() throws IOException {
        JsonNode report = run("bayes", "--documents", "1000", "--vocabulary", "500", "--classes", "5", "--words", "20",
                "--smoothing", "0.5,100", "--partitions", "2");
        assertEquals(1000, report.at("/result/documents").asInt());
        assertEquals(2, report.at("/result/right").size());
        assertTrue(report.at("/result/right/0.5").asInt() > 400, "one in five is chance");
        assertTrue(report.at("/result/right/0.5").asInt() < 1000, "some documents have no word that is typical");
    }

    @Test
    void queriesGiveTheSameWhicheverWayTheTableIsCached() throws IOException {
        JsonNode objects = run("relation", "--records", "500", "--keys", "20", "--rounds", "2", "--partitions", "2");
        JsonNode columns = run("relation", "--records", "500", "--keys", "20", "--rounds", "1", "--partitions", "2",
                "--cache", "dataset");
        assertEquals(500, objects.at("/result/records").asInt());
        assertEquals(5, objects.at("/result/answers").size());
        assertEquals(objects.at("/result"), columns.at("/result"));
        assertEquals(2, objects.at("/cached/inMemory").asInt());
        assertEquals(2, columns.at("/cached/inMemory").asInt());
    }

    @Test
    void nestedRecordsGiveTheSameSerialized() throws IOException {
        JsonNode objects = run("nested", "--records", "500", "--rounds", "2", "--partitions", "2");
        JsonNode bytes = run("nested", "--records", "500", "--rounds", "1", "--partitions", "2",
                "--storage-level", "MEMORY_ONLY_SER");
        assertEquals(500, objects.at("/result/records").asInt());
        assertEquals(20, objects.at("/result/revenue").size());
        assertTrue(objects.at("/result/gifts").asInt() > 0);
        assertEquals(objects.at("/result"), bytes.at("/result"));
        assertEquals(2, objects.at("/cached/inMemory").asInt());
    }

    @Test
    void kMeansFindsTheClusters() throws IOException {
        JsonNode report = run("kmeans", "--rows", "2000", "--columns", "5", "--clusters", "3", "--partitions", "4");
        assertEquals(2000, report.at("/result/rows").asInt());
        assertTrue(report.at("/result/cost").asDouble() / 2000 < 0.3, "the points' variance about their centres is 0.03");
        assertEquals(4, report.at("/cached/cached").asInt());
    }

    @Test
    void repeatsAProgramAndItsResult() throws IOException {
        String[] program = {"kmeans", "--rows", "500", "--partitions", "2"};
        JsonNode repeated = run("repeat", "--warmup", "1", "--iterations", "2", "--", "kmeans", "--rows", "500",
                "--partitions", "2");
        assertEquals(run(program).at("/result"), repeated.at("/result"));
        assertEquals(2, repeated.at("/seconds").size());
    }
}
