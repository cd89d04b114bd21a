// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel
import scala.collection.mutable

/** An array of arrays. */
object Grid {
  def run(sc: SparkContext, turns: Int): Unit = {
    val grid = Array.tabulate(2, 2)((i, j) => sc.parallelize(i to j + 2).cache()) // place: fast grid parallelize
    val cells = Array.tabulate(2, 2)((i, j) => sc.parallelize(i to j + 2).cache()) // place: auto cells parallelize
    for (t <- 1 to turns) {
      grid.foreach(row => row.foreach(cell => println(cell.count())))
      println(cells(t % 2)(t / 2).count())
    }
  }
}

/** Single elements that the program does not determine. */
object Picks {
  def run(sc: SparkContext, turns: Int): Unit = {
    val first = Seq(1, 2).map(i => sc.parallelize(1 to i).cache()) // place: auto first parallelize
    val last = List(1, 2).map(i => sc.parallelize(1 to i).cache()) // place: auto last parallelize
    val found = Vector(1, 2).map(i => i -> sc.parallelize(1 to i).cache()) // place: auto found parallelize
    val given = Map(1 -> sc.parallelize(1 to 2).cache()) // place: auto given parallelize
    val zipped = Seq(1, 2).map(i => sc.parallelize(1 to i).cache()) // place: fast zipped parallelize
    for (t <- 1 to turns) {
      println(first.head.count() + last.last.count())
      found.find(_._1 == t).foreach(pair => println(pair._2.count()))
      println(given.get(t).map(_.count()).getOrElse(0L))
      zipped.zip(1 to 2).foreach { case (data, i) => println(data.filter(_ > i).count()) }
    }
  }
}

/** A table that is filled when a key is asked for the first time. */
object Memo {
  def run(sc: SparkContext, turns: Int): Unit = {
    val memo = mutable.HashMap[Int, RDD[Int]]()
    val sure = sc.parallelize(1 to 10).cache() // place: fast sure parallelize
    for (t <- 1 to turns) {
      val data = memo.getOrElseUpdate(t % 3, sc.parallelize(1 to t).cache()) // place: auto memo parallelize
      println(data.union(sure).count())
    }
  }
}

/** A vector that a loop extends, by assigning to its variable. */
object Extended {
  def run(sc: SparkContext, turns: Int): Unit = {
    var all = Vector.empty[RDD[Int]]
    var some = Vector.empty[RDD[Int]]
    for (i <- 1 to 3) {
      all :+= sc.parallelize(1 to i).cache() // place: fast all parallelize
      some = some :+ sc.parallelize(i to 9).cache() // place: auto some parallelize
    }
    for (t <- 1 to turns) {
      all.foreach(one => println(one.count()))
      println(some(t % 3).count())
    }
  }
}

/** The values of a map, and its entries by all keys. */
object Tabled {
  def run(sc: SparkContext, turns: Int): Unit = {
    val values = Map("a" -> sc.parallelize(1 to 3).cache()) // place: fast values parallelize
    val keyed = Map("a" -> sc.parallelize(1 to 3).cache()) // place: fast keyed parallelize
    val iterated = mutable.Map("a" -> sc.parallelize(1 to 3).cache()) // place: fast iterated parallelize
    for (t <- 1 to turns) {
      values.values.foreach(table => println(table.count()))
      keyed.keys.foreach(key => println(keyed(key).count()))
      val all = iterated.iterator
      while (all.hasNext) println(all.next()._2.count())
    }
  }
}

class Shelf(sc: SparkContext) {
  private val parts = Array.tabulate(3)(i => sc.parallelize(1 to i + 1).cache()) // place: auto parts parallelize
  private val whole: Seq[RDD[Int]] = Seq(sc.parallelize(1 to 9).cache()) // place: fast whole parallelize

  def train(turns: Int): Unit = {
    var t = 0
    while (t < turns) {
      println(parts(t % 3).count())
      whole.foreach(part => println(part.count()))
      t += 1
    }
  }
}

/** A container in a field. */
object Shelved {
  def run(sc: SparkContext, turns: Int): Unit = new Shelf(sc).train(turns)
}

/** Functions as scalac compiled them before 2.12: objects of anonymous classes. */
object OldClosures {
  def run(sc: SparkContext, turns: Int): Unit = {
    val data = sc.parallelize(1 to 10).cache() // place: fast data parallelize
    val once = sc.parallelize(1 to 10).cache() // place: slow once parallelize
    (1 to turns).foreach(new scala.runtime.AbstractFunction1[Int, Unit] with Serializable {
      def apply(i: Int): Unit = println(data.filter(_ > i).count())
    })
    Seq(1).headOption.foreach(new (Int => Unit) {
      def apply(i: Int): Unit = println(once.filter(_ > i).count())
    })
  }
}

/** Levels that a helper or a setting determines. */
object Chosen {
  private def kept(data: RDD[Int], level: StorageLevel): RDD[Int] = data.persist(level)

  def run(sc: SparkContext, turns: Int, setting: Option[String]): Unit = {
    val disk = kept(sc.parallelize(1 to 10), StorageLevel.DISK_ONLY_2) // place: auto disk parallelize
    val objects = kept(sc.parallelize(1 to 10), StorageLevel.MEMORY_ONLY_2) // place: fast objects parallelize
    var level = StorageLevel.MEMORY_AND_DISK_SER
    val bytes = sc.parallelize(1 to 10).persist(level) // place: auto bytes parallelize
    level = StorageLevel.MEMORY_AND_DISK
    val later = sc.parallelize(1 to 10).persist(level) // place: fast later parallelize
    val read = setting.map(StorageLevel.fromString).getOrElse(StorageLevel.MEMORY_ONLY)
    val unknown = sc.parallelize(1 to 10).persist(read) // place: fast unknown parallelize
    for (t <- 1 to turns) println(disk.union(objects).union(bytes).union(later).union(unknown).count())
  }
}
