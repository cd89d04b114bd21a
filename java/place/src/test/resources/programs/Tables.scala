// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.sql.SparkSession

/** The first action names the cached RDD of a Dataset. */
object Tables {
  def run(session: SparkSession, turns: Int): Long = {
    val numbers = session.range(100).selectExpr("id", "id % 10 AS k").cache() // the plan names the line below
    val total = numbers.count() // place: fast numbers count
    for (i <- 1 to turns) println(numbers.filter("k = " + i).count())
    val seen = session.range(50).selectExpr("id", "id % 7 AS k").cache()
    seen.createOrReplaceTempView("seen")
    total + session.sql("SELECT * FROM seen").count()
  }
}
