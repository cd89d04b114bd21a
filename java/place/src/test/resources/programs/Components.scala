// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.graphx.GraphLoader

/** A program with GraphX, which persists by itself, so that the sites are in the plan of its jar. */
object Components {
  def run(sc: SparkContext, file: String): Long = {
    val graph = GraphLoader.edgeListFile(sc, file)
    graph.connectedComponents().vertices.map(_._2).distinct().count()
  }
}
