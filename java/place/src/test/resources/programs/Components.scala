// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.graphx.GraphLoader

/** With GraphX, which persists by itself: the plan of its jar holds the sites. */
object Components {
  def run(sc: SparkContext, file: String): Long = {
    val graph = GraphLoader.edgeListFile(sc, file)
    graph.connectedComponents().vertices.map(_._2).distinct().count()
  }
}
