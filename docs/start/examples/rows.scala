// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
val rows = sc.parallelize(1 to 8000000, 64).map(i => (i, "number " + i)).cache()
println(s"rows: ${rows.count()}")
println(s"ending in 7: ${rows.filter(_._2.endsWith("7")).count()}")
println(s"in the second heap: ${org.terrace.SecondHeap.statistics().getMovedBytes() >> 20} MB moved")
System.exit(0)
