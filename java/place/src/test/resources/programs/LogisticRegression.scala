// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext

object LogisticRegression {
  case class Point(x: Array[Double], y: Double)

  def parse(line: String): Point = {
    val values = line.split(" ").map(_.toDouble)
    Point(values, if (values(0) > 1) 1 else -1)
  }

  def run(sc: SparkContext, file: String, iterations: Int): Double = {
    val lines = sc.textFile(file)
    val points = lines.map(parse).cache() // place: fast points map
    val w = Array.fill(2)(0.5)
    var turn = 0
    while (turn < iterations) {
      val gradient = points.map { p =>
        val margin = p.x.zip(w).map { case (a, b) => a * b }.sum
        p.x.map(_ * (1 / (1 + math.exp(-p.y * margin)) - 1) * p.y)
      }.reduce((a, b) => a.zip(b).map { case (c, d) => c + d })
      for (i <- w.indices) w(i) -= gradient(i)
      turn += 1
    }
    w.sum
  }
}
