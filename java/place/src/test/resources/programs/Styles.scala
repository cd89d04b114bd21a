// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel
import scala.util.{Failure, Success, Try}

/** Two inputs, of which the loop joins one with what it computes. */
object StyleJoins {
  def run(sc: SparkContext, turns: Int): Long = {
    val facts = sc.parallelize(Seq((1, 2), (2, 3))).persist(StorageLevel.MEMORY_AND_DISK) // place: fast facts parallelize
    val names = sc.parallelize(Seq((1, "a"), (2, "b"))).persist() // place: slow names parallelize
    var known = facts.mapValues(_ => 1)
    for (_ <- 0 until turns) known = known.join(facts).mapValues { case (a, b) => a + b }
    known.join(names).count()
  }
}

/** An implicit class adds the operation that the loop calls. */
object StyleImplicits {
  implicit class Counting(val data: RDD[Int]) extends AnyVal {
    def above(limit: Int): Long = data.filter(_ > limit).count()
  }

  def run(sc: SparkContext, turns: Int): Long = {
    val numbers = sc.parallelize(1 to 10).cache() // place: fast numbers parallelize
    val single = sc.parallelize(1 to 10).cache() // place: slow single parallelize
    for (i <- 1 to turns) println(numbers.above(i))
    single.above(3)
  }
}

/** A for-comprehension with two generators. */
object StyleComprehension {
  def run(sc: SparkContext, turns: Int): Unit = {
    val points = sc.parallelize(1 to 10).cache() // place: fast points parallelize
    val extra = sc.parallelize(1 to 10).cache() // place: slow extra parallelize
    val sums = for (i <- 1 to turns; step <- Seq(1, 2) if step < i) yield points.map(_ * step).reduce(_ + _)
    println(sums.sum + extra.count())
  }
}

case class StyleState(edges: RDD[(Int, Int)], ranks: RDD[(Int, Int)])

/** A case class holds RDDs, and each iteration makes another one. */
object StyleCaseClass {
  def run(sc: SparkContext, turns: Int): Long = {
    val edges = sc.parallelize(Seq((1, 2))).cache() // place: fast state parallelize
    val start = StyleState(edges, edges.mapValues(_ => 1))
    var state = start
    for (i <- 1 to turns) {
      val ranks = state.edges.join(state.ranks).mapValues { case (a, b) => a + b }.cache() // place: slow ranks mapValues
      state = StyleState(state.edges, ranks)
      println(state.ranks.count())
    }
    state.ranks.count()
  }
}

/** An RDD is unpersisted at the end, whatever happens. */
object StyleFinally {
  def run(sc: SparkContext, turns: Int): Unit = {
    val input = sc.parallelize(1 to 10).cache() // place: fast input parallelize
    val header = sc.parallelize(1 to 3).cache() // place: slow header parallelize
    try {
      var i = 0
      while (i < turns) {
        println(input.filter(_ > i).count())
        i += 1
      }
      println(header.count())
    } finally {
      input.unpersist()
      header.unpersist()
    }
  }
}

/** Caching is an option of the program. */
object StyleConditional {
  def run(sc: SparkContext, turns: Int, cached: Boolean): Unit = {
    val data = sc.parallelize(1 to 10) // place: fast data parallelize
    val other = sc.parallelize(1 to 10) // place: slow other parallelize
    if (cached) {
      data.cache()
      other.cache()
    }
    (1 to turns).foreach(i => println(data.filter(_ > i).count()))
    println(other.count())
  }
}

/** Generations that the next one replaces. */
object StyleGenerations {
  def run(sc: SparkContext, turns: Int): Long = {
    var current = sc.parallelize(1 to 10).cache() // place: heap current parallelize
    for (i <- 1 to turns) {
      val next = current.map(_ + i).cache() // place: heap current map
      next.count()
      current.unpersist()
      current = next
    }
    current.count()
  }
}

/** Helper methods, one of them generic and one that caches for its caller. */
object StyleHelpers {
  private def cached[T](data: RDD[T]): RDD[T] = data.cache()

  private def timed[T](body: => T): T = {
    val start = System.nanoTime()
    val result = body
    println(System.nanoTime() - start)
    result
  }

  def run(sc: SparkContext, turns: Int): Long = {
    val table = cached(sc.parallelize(1 to 10)) // place: fast table parallelize
    val rest = cached(sc.parallelize(1 to 5)) // place: slow rest parallelize
    var sum = 0L
    for (i <- 1 to turns) sum += timed(table.filter(_ > i).count())
    sum + timed(rest.count())
  }
}

/** Tail recursion is a loop. */
object StyleRecursion {
  @annotation.tailrec
  private def step(data: RDD[Int], left: Int, sum: Long): Long =
    if (left == 0) sum else step(data, left - 1, sum + data.filter(_ > left).count())

  def run(sc: SparkContext, turns: Int): Long = {
    val repeated = sc.parallelize(1 to 10).cache() // place: fast data parallelize
    val last = sc.parallelize(1 to 10).cache() // place: slow last parallelize
    step(repeated, turns, 0) + last.count()
  }
}

/** Options and attempts hold an RDD. */
object StyleOptions {
  def run(sc: SparkContext, turns: Int, file: Option[String]): Unit = {
    val given = file.map(name => sc.textFile(name).cache()) // place: fast given textFile
    val tried = Try(sc.parallelize(1 to 10).cache()) // place: slow tried parallelize
    for (i <- 1 to turns) given.foreach(lines => println(lines.filter(_.length > i).count()))
    tried match {
      case Success(numbers) => println(numbers.count())
      case Failure(e) => println(e.getMessage)
    }
  }
}

/** A sequence that each iteration extends, and the last of which is read. Nothing else needs fast memory. */
object StyleHistory {
  def run(sc: SparkContext, turns: Int): Long = {
    var history = List(sc.parallelize(1 to 10).cache()) // place: fast history parallelize
    for (i <- 1 to turns) {
      history = history.head.map(_ + i).cache() :: history // place: fast history map
      println(history.head.count())
    }
    history.map(_.count()).sum
  }
}

/** The best result is kept, as in a search over parameters. */
object StyleSearch {
  def run(sc: SparkContext, turns: Int): Long = {
    val training = sc.parallelize(1 to 10).cache() // place: fast training parallelize
    val testing = sc.parallelize(1 to 10).cache() // place: fast testing parallelize
    var best = 0L
    Seq(1, 2, 3).foreach { rank =>
      val model = training.map(_ * rank).persist() // place: slow model map
      val error = model.union(testing).count()
      if (error > best) best = error
    }
    best
  }
}
