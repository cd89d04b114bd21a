// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.storage.StorageLevel

/** The program in Panthera's figure 2. */
object PageRank {
  def run(sc: SparkContext, file: String, iterations: Int): Long = {
    val lines = sc.textFile(file, 2)
    val links = lines.map { s =>
      val parts = s.split("\\s+")
      (parts(0), parts(1))
    }.distinct().groupByKey() // place: fast links groupByKey
      .persist(StorageLevel.MEMORY_ONLY)
    var ranks = links.mapValues(v => 1.0) // only computed: slow ranks mapValues
    for (i <- 1 to iterations) {
      val contribs = links.join(ranks).values.flatMap { case (urls, rank) => // place: slow contribs flatMap
        urls.map(url => (url, rank / urls.size))
      }.persist(StorageLevel.MEMORY_AND_DISK_SER)
      ranks = contribs.reduceByKey(_ + _).mapValues(0.15 + 0.85 * _) // only computed: slow ranks mapValues
    }
    ranks.count()
  }
}
