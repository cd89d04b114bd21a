// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD

/** Spark's example. The loop joins with edges, which are made from the first value of tc. */
object TransitiveClosure {
  def run(sc: SparkContext, slices: Int): Long = {
    var tc = sc.parallelize(Seq((1, 2), (2, 3)), slices).cache() // place: fast tc parallelize
    val edges = tc.map(x => (x._2, x._1))
    var oldCount = 0L
    var nextCount = tc.count()
    do {
      oldCount = nextCount
      tc = tc.union(tc.join(edges).map(x => (x._2._2, x._2._1))).distinct().cache() // place: slow tc distinct
      nextCount = tc.count()
    } while (nextCount != oldCount)
    tc.count()
  }
}

/** The same with a function as the body of the loop, so that tc is a field of an object. */
object ClosureByFunction {
  def run(sc: SparkContext, turns: Int): Long = {
    var tc = sc.parallelize(Seq((1, 2), (2, 3))).cache() // place: fast tc parallelize
    val edges = tc.map(x => (x._2, x._1))
    for (i <- 1 to turns) {
      tc = tc.union(tc.join(edges).map(x => (x._2._2, x._2._1))).distinct().cache() // place: slow tc distinct
      println(tc.count())
    }
    tc.count()
  }
}

/** One variable has three values, one after the other, and only the second one is read by the loop. */
object Reassigned {
  def run(sc: SparkContext, turns: Int): Long = {
    var data = sc.parallelize(1 to 10).cache() // place: slow data parallelize
    println(data.count())
    data = data.map(_ + 1).cache() // place: fast data map
    var i = 0
    while (i < turns) {
      println(data.filter(_ > i).count())
      i += 1
    }
    data = data.filter(_ > 3).cache() // place: slow data filter
    data.count() + data.first()
  }
}

/** The first value of a variable is read by the first iteration only. */
object Seeded {
  def run(sc: SparkContext, turns: Int): Long = {
    val seed = sc.parallelize(1 to 10).cache() // place: slow seed parallelize
    val kept = sc.parallelize(1 to 9).cache() // place: fast kept parallelize
    var state = seed
    for (i <- 1 to turns) {
      state = state.union(kept).cache() // place: slow state union
      println(state.count())
    }
    state.count()
  }
}

/** Each iteration reads an RDD under another name. */
object Renamed {
  def run(sc: SparkContext, turns: Int): Unit = {
    val base = sc.parallelize(1 to 10).cache() // place: fast base parallelize
    val once = sc.parallelize(1 to 5).cache() // place: slow once parallelize
    for (i <- 1 to turns) {
      val view = if (i > 2) base else base.filter(_ > i)
      println(view.count())
    }
    println(once.count())
  }
}

/** The parameter of a helper is reassigned there. */
object Parameters {
  private def grow(given: RDD[Int], turns: Int): RDD[Int] = {
    var current = given
    var i = 0
    while (i < turns) {
      current = current.union(given).persist() // place: slow current union
      i += 1
    }
    current
  }

  def run(sc: SparkContext, turns: Int): Long = {
    val first = sc.parallelize(1 to 10).cache() // place: fast first parallelize
    grow(first, turns).count()
  }
}
