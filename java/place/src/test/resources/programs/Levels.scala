// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import org.apache.spark.SparkContext
import org.apache.spark.storage.StorageLevel

/** What a level does not keep as objects in the Java heap has no tier. */
object Levels {
  private val serialized = StorageLevel.MEMORY_ONLY_SER

  def run(sc: SparkContext, turns: Int, twice: Boolean): Unit = {
    val held = StorageLevel.DISK_ONLY
    val either = if (twice) StorageLevel.MEMORY_ONLY_2 else StorageLevel.MEMORY_AND_DISK
    val disk = sc.parallelize(1 to 10).persist(held) // place: auto disk parallelize
    val disk2 = sc.parallelize(1 to 10).persist(StorageLevel.DISK_ONLY_2) // place: auto disk2 parallelize
    val disk3 = sc.parallelize(1 to 10).persist(StorageLevel.DISK_ONLY_3) // place: auto disk3 parallelize
    val off = sc.parallelize(1 to 10).persist(StorageLevel.OFF_HEAP) // place: auto off parallelize
    val ser = sc.parallelize(1 to 10).persist(serialized) // place: auto ser parallelize
    val ser2 = sc.parallelize(1 to 10).persist(StorageLevel.MEMORY_AND_DISK_SER_2) // place: auto ser2 parallelize
    val own = sc.parallelize(1 to 10).persist(StorageLevel(true, false, false, false, 1)) // place: auto own parallelize
    val named = sc.parallelize(1 to 10).persist(StorageLevel.fromString("DISK_ONLY")) // place: auto named parallelize
    val two = sc.parallelize(1 to 10).persist(StorageLevel.MEMORY_ONLY_2) // place: fast two parallelize
    val some = sc.parallelize(1 to 10).persist(either) // place: fast some parallelize
    val objects = sc.parallelize(1 to 10).persist(StorageLevel(true, true, false, true, 1)) // place: fast objects parallelize
    for (t <- 1 to turns) {
      println(disk.union(disk2).union(disk3).union(off).union(ser).union(ser2).union(own).union(named).count())
      println(two.union(some).union(objects).count())
    }
  }
}
