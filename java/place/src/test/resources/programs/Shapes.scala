// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel

object Fold {
  def run(sc: SparkContext, turns: Int): Long = {
    val base = sc.parallelize(1 to 10).cache() // place: fast base parallelize
    (1 to turns).foldLeft(base.map(_ + 1)) { (sum, turn) =>
      sum.zip(base).map { case (a, b) => a + b }.persist() // place: slow sum map
    }.count()
  }
}

object Helpers {
  private def third(data: RDD[Int], turns: Int): Long = {
    var sum = 0L
    for (i <- 1 to turns) sum += data.filter(_ > i).count()
    sum
  }

  private def second(given: RDD[Int], turns: Int): Long = third(given, turns)

  private def first(passed: RDD[Int], turns: Int): Long = second(passed, turns)

  def run(sc: SparkContext, turns: Int): Long = {
    val deep = sc.parallelize(1 to 10).cache() // place: fast deep parallelize
    val once = sc.parallelize(1 to 5).cache() // place: slow once parallelize
    once.count() + first(deep, turns)
  }
}

/** The program defines a function that repeats its argument. */
object Repeater {
  private def repeat(times: Int)(body: => Unit): Unit = {
    var i = 0
    while (i < times) {
      body
      i += 1
    }
  }

  def run(sc: SparkContext, turns: Int): Unit = {
    val data = sc.parallelize(1 to 10).cache() // place: fast data parallelize
    val other = sc.parallelize(1 to 5).cache() // place: slow other parallelize
    repeat(turns) { println(data.count()) }
    println(other.count())
  }
}

/** The body of an App is not a method of the source, and its variables are fields. */
object Whole extends App {
  val sc = new SparkContext()
  val table = sc.parallelize(1 to 10).cache() // place: fast table parallelize
  var state = table.map(_ + 1)
  for (i <- 1 to 3) {
    state = state.zip(table).map { case (a, b) => a + b }.persist() // place: slow state map
  }
  println(state.count())
}

/** A loop that ends before an RDD is persisted does not affect its tier. */
object Late {
  def run(sc: SparkContext, turns: Int): Long = {
    val used = sc.parallelize(1 to 10)
    val early = sc.parallelize(1 to 10).cache() // place: fast early parallelize
    val late = sc.parallelize(1 to 10) // place: slow late parallelize
    for (i <- 1 to turns) println(late.union(early).count())
    late.cache()
    late.count() + used.count()
  }
}

/** If all persisted RDDs were slow, fast memory would be unused. */
object Alone {
  def run(sc: SparkContext): Long = {
    val all = sc.parallelize(1 to 10).cache() // place: fast all parallelize
    all.count() + all.map(_ + 1).count()
  }
}

/** The loop reads an unpersisted RDD that is derived from a persisted one. */
object Through {
  def run(sc: SparkContext, turns: Int): Unit = {
    val raw = sc.parallelize(1 to 10).cache() // place: slow raw parallelize
    val source = raw.map(_ * 2).cache() // place: fast source map
    val view = source.filter(_ > 2)
    for (i <- 1 to turns) println(view.count())
    val disk = sc.parallelize(1 to 9).persist(StorageLevel.DISK_ONLY) // place: auto disk parallelize
    println(disk.count())
  }
}

object Tuples {
  private def both(data: RDD[Int]): (RDD[Int], RDD[Int]) = {
    val small = data.filter(_ < 5).cache() // place: fast left filter
    val large = data.filter(_ >= 5).cache() // place: slow large filter
    (small, large)
  }

  def run(sc: SparkContext, turns: Int): Long = {
    val (left, right) = both(sc.parallelize(1 to 10))
    for (i <- 1 to turns) println(left.count())
    right.count()
  }
}

/** The derived RDD may remain unpersisted, so it does not hide the other one. */
object Either {
  def run(sc: SparkContext, turns: Int, derived: Boolean): Unit = {
    val norms = sc.parallelize(1 to 10).map(_ * 2) // place: fast norms map
    val vectors = norms.map(_ + 1) // place: fast vectors map
    if (derived) vectors.cache() else norms.cache()
    for (i <- 1 to turns) println(vectors.count())
  }
}

/** A loop over a list uses each of its members once. */
object Members {
  def run(sc: SparkContext, turns: Int): Unit = {
    val members = (1 to 3).map(i => sc.parallelize(1 to i).cache()) // place: slow members parallelize
    members.foreach(member => println(member.count()))
    val again = sc.parallelize(1 to 10).cache() // place: fast again parallelize
    for (i <- 1 to turns) println(again.count())
  }
}

class Model(sc: SparkContext) {
  private val data = sc.parallelize(1 to 10).cache() // place: fast data parallelize

  def train(turns: Int): Unit = for (i <- 1 to turns) println(data.count())
}

object Fields {
  def run(sc: SparkContext): Unit = new Model(sc).train(3)
}

/** A copy is persisted unless the caller has persisted the original, as in Spark's libraries. */
object Courteous {
  private def train(given: RDD[Int], turns: Int): Unit = {
    val persist = given.getStorageLevel == StorageLevel.NONE
    val copy = given.map(_ + 1) // place: fast copy map
    if (persist) copy.cache()
    for (i <- 1 to turns) println(copy.count())
    if (persist) copy.unpersist()
  }

  def run(sc: SparkContext, turns: Int): Unit = {
    val mine = sc.parallelize(1 to 10).cache() // place: fast mine parallelize
    train(mine, turns)
  }
}
