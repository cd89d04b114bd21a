// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

object FirstEntry {
  def main(arguments: Array[String]): Unit = {
    val sc = new SparkContext()
    val wanted = sc.parallelize(1 to 10).cache() // place: fast wanted parallelize
    SharedEntry.once(sc)
    println(HeldByEntry.held.count())
    SharedEntry.loop(wanted)
  }
}

/** Its variables are fields, and its body is in another class. */
object SecondEntry extends App {
  val sc = new SparkContext()
  val field = sc.parallelize(1 to 10).cache() // place: fast field parallelize
  for (i <- 1 to 3) println(field.count())
}

object ThirdEntry {
  def main(arguments: Array[String]): Unit =
    println(new SparkContext().parallelize(1 to 10).cache().count()) // place: fast - parallelize
}

object SharedEntry {
  def once(sc: SparkContext): Unit = {
    val shared = sc.parallelize(1 to 10).cache() // place: slow shared parallelize
    println(shared.count())
  }

  private var at = 0

  def loop(data: RDD[Int]): Unit =
    while (at < 3) {
      println(data.filter(_ > at).count())
      at += 1
    }
}

/** Without an entry, it is a program of its own, so that fast memory is free for it. */
object HeldByEntry {
  val held = new SparkContext().parallelize(1 to 10).cache() // place: fast held parallelize
}
