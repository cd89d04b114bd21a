// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

/** A lazy value is made once, even if a loop is the first to use it. */
object LazyLocal {
  def run(sc: SparkContext, turns: Int): Long = {
    lazy val data = sc.parallelize(1 to 10).cache() // place: fast data parallelize
    lazy val once = sc.parallelize(1 to 5).cache() // place: slow once parallelize
    for (i <- 1 to turns) println(data.filter(_ > i).count())
    once.count()
  }
}

class LazyTables(sc: SparkContext) {
  lazy val links: RDD[Int] = sc.parallelize(1 to 10).cache() // place: fast links parallelize
  lazy val names: RDD[Int] = sc.parallelize(1 to 5).cache() // place: slow names parallelize
}

object LazyMember {
  def run(sc: SparkContext, turns: Int): Long = {
    val tables = new LazyTables(sc)
    for (i <- 1 to turns) println(tables.links.filter(_ > i).count())
    tables.names.count()
  }
}

class LazyModel(sc: SparkContext) {
  private lazy val points = sc.parallelize(1 to 10).cache() // place: fast points parallelize
  private lazy val labels = points.map(_ % 2).cache() // place: slow labels map

  def train(turns: Int): Long = {
    var i = 0
    while (i < turns) {
      println(points.filter(_ > i).count())
      i += 1
    }
    labels.count()
  }
}

trait LazyMixed {
  def sc: SparkContext
  lazy val mixed: RDD[Int] = sc.parallelize(1 to 10).cache() // place: fast mixed parallelize
}

class LazyMixing(val sc: SparkContext) extends LazyMixed {
  private val other = sc.parallelize(1 to 5).cache() // place: slow other parallelize

  def train(turns: Int): Long = {
    for (i <- 1 to turns) println(mixed.filter(_ > i).count())
    other.count()
  }
}

object LazyInTrait {
  def run(sc: SparkContext, turns: Int): Long = new LazyMixing(sc).train(turns)
}

/** Each iteration of a loop has its own lazy value. */
object LazyInLoop {
  def run(sc: SparkContext, turns: Int): Unit = {
    val base = sc.parallelize(1 to 10).cache() // place: fast base parallelize
    for (i <- 1 to turns) {
      lazy val part = base.filter(_ > i).cache() // place: slow part filter
      if (i > 1) println(part.count())
    }
  }
}
