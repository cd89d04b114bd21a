// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

/** Labels spread along edges until none changes. Each iteration makes new labels and unpersists the previous ones. */
object ConnectedComponents {
  private def load(sc: SparkContext, file: String): RDD[(String, String)] =
    sc.textFile(file).map { line => val ends = line.split(" "); (ends(0), ends(1)) }

  def run(sc: SparkContext, file: String, iterations: Int): Long = {
    val edges = load(sc, file)
      .flatMap { case (a, b) => Seq((a, b), (b, a)) } // place: fast edges flatMap
      .cache()
    var labels = edges.keys.distinct().map(v => (v, v)).cache() // place: heap labels map
    var changed = labels.count()
    while (changed > 0) {
      val before = labels
      val offered = edges.join(before).values.reduceByKey((a, b) => if (a < b) a else b)
      labels = before.join(offered).mapValues { case (a, b) => if (a < b) a else b }.cache() // place: heap labels mapValues
      changed = labels.join(before).filter { case (_, (a, b)) => a != b }.count()
      before.unpersist()
    }
    labels.values.distinct().count()
  }
}
