// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import scala.collection.mutable

/** Each iteration of the outer loop reads all elements. */
object AllElements {
  def run(sc: SparkContext, turns: Int): Unit = {
    val parts = Array.tabulate(3)(i => sc.parallelize(1 to i + 1).cache()) // place: fast parts parallelize
    val listed = (1 to 3).map(i => sc.parallelize(1 to i).cache()) // place: slow listed parallelize
    for (t <- 1 to turns) parts.foreach(part => println(part.count()))
    listed.foreach(one => println(one.count()))
  }
}

/** The index of an element is not known. */
object Indexed {
  def run(sc: SparkContext, turns: Int): Unit = {
    val array = Array.tabulate(3)(i => sc.parallelize(1 to i + 1).cache()) // place: auto array parallelize
    val seq = (1 to 3).map(i => sc.parallelize(1 to i).cache()) // place: auto seq parallelize
    val byName = Map("a" -> sc.parallelize(1 to 3).cache()) // place: auto byName parallelize
    val sure = sc.parallelize(1 to 10).cache() // place: fast sure parallelize
    for (t <- 1 to turns) {
      println(array(t % 3).count())
      println(seq(t % 3).count())
      println(byName("a").count())
      println(sure.count())
    }
  }
}

object Buffered {
  def run(sc: SparkContext, turns: Int): Unit = {
    val buffer = mutable.ArrayBuffer[RDD[Int]]()
    val made = mutable.Map[Int, RDD[Int]]()
    for (i <- 1 to 3) {
      buffer += sc.parallelize(1 to i).cache() // place: fast buffer parallelize
      made(i) = sc.parallelize(i to 9).cache() // place: auto made parallelize
    }
    for (t <- 1 to turns) {
      for (one <- buffer) println(one.count())
      println(made(t).count())
    }
  }
}

/** A union of all elements reads all of them. */
object United {
  def run(sc: SparkContext, turns: Int): Unit = {
    val days = (1 to 3).map(i => sc.parallelize(1 to i).cache()) // place: fast days parallelize
    val rest = Seq(sc.parallelize(1 to 4).cache()) // place: slow rest parallelize
    for (t <- 1 to turns) println(sc.union(days).filter(_ > t).count())
    rest.foreach(_.unpersist())
  }
}

/** Pairs of a key and an RDD. */
object Paired {
  def run(sc: SparkContext, turns: Int): Unit = {
    val tables = Map("a" -> sc.parallelize(1 to 3).cache(), "b" -> sc.parallelize(1 to 4).cache()) // place: fast tables parallelize
    val others = Map("a" -> sc.parallelize(1 to 3).cache()) // place: slow table parallelize
    for (t <- 1 to turns; (name, table) <- tables) println(name + table.count())
    for ((name, table) <- others) println(name + table.count())
  }
}

/** Elements that a loop reads many times each. */
object Inner {
  def run(sc: SparkContext, turns: Int): Unit = {
    val models = Seq(1, 2).map(i => sc.parallelize(1 to i).cache()) // place: fast model parallelize
    models.zipWithIndex.foreach { case (model, i) =>
      var t = 0
      while (t < turns) {
        println(model.filter(_ > i).count())
        t += 1
      }
    }
  }
}
