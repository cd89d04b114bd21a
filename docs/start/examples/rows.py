# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
from pyspark.sql import SparkSession
from pyspark.sql.functions import rand

spark = SparkSession.builder.appName("rows").getOrCreate()
rows = spark.range(0, 40_000_000, 1, 16).select("id", rand(1).alias("x")).cache()
print("rows:", rows.count())
print("above a half:", rows.where("x > 0.5").count())
spark.stop()
