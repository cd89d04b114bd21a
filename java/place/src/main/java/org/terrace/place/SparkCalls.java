// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.objectweb.asm.Type;

/**
 * The semantics of methods of Spark, of Scala's and of Java's collections, as far as placement needs them. Names of classes are
 * internal names.
 */
final class SparkCalls {

    /** The classes whose frames Spark skips to find the user's line that creates an RDD (its Utils.getCallSite). */
    private static final Pattern INTERNAL = Pattern.compile(
            "org/apache/spark(/api/java)?(/util)?(/rdd)?(/broadcast)?/[A-Z].*|org/apache/spark/sql/.*");

    private static final Pattern DATASET = Pattern.compile(
            "org/apache/spark/rdd/.*RDD|org/apache/spark/api/java/(Abstract)?Java.*RDD(Like)?"
            + "|org/apache/spark/sql/(classic/)?(Dataset|RelationalGroupedDataset|KeyValueGroupedDataset)"
            + "|org/apache/spark/graphx/(impl/)?(Graph|VertexRDD|EdgeRDD)(Impl)?");

    /** Objects that only add methods to the RDD or Dataset that they wrap. */
    private static final Pattern VIEW = Pattern.compile(
            "org/apache/spark/rdd/(.*RDDFunctions|AsyncRDDActions|RDDBarrier)"
            + "|org/apache/spark/sql/(classic/)?(DatasetHolder|DataFrameWriter.*|DataFrame(Na|Stat)Functions)");

    private static final Set<String> SAME = Set.of("setName", "retag", "rdd", "toRDD", "toJavaRDD", "javaRDD", "fromRDD",
            "fromJavaRDD", "wrapRDD", "write", "writeTo", "mode", "format", "option", "options", "partitionBy", "bucketBy", "sortBy",
            "toDF", "toDS", "na", "stat", "barrier", "persist", "cache", "unpersist", "localCheckpoint");

    private static final Set<String> ACTIONS = Set.of("aggregate", "collect", "collectAsList", "collectAsMap", "collectPartitions", "count",
            "countApprox", "countApproxDistinct", "countByKey", "countByKeyApprox", "countByValue", "countByValueApprox", "countAsync",
            "collectAsync", "first", "fold", "foreach", "foreachAsync", "foreachPartition", "foreachPartitionAsync", "forEach",
            "head", "histogram", "insertInto", "isEmpty", "jdbc", "json", "csv", "orc", "parquet", "text", "save", "lookup",
            "max", "mean", "meanApprox", "min", "popStdev", "popVariance", "reduce", "reduceByKeyLocally", "sampleStdev",
            "sampleVariance", "show", "stats", "stdev", "sum", "sumApprox", "tail", "take", "takeAsList", "takeAsync", "takeOrdered",
            "takeSample", "toLocalIterator", "top", "treeAggregate", "treeReduce", "variance", "runJob", "submitJob", "runApproximateJob");

    private static final Set<String> VIEWS_OF_SQL = Set.of("createOrReplaceTempView", "createTempView", "createGlobalTempView",
            "createOrReplaceGlobalTempView", "registerTempTable");

    private static final Set<String> ONCE = Set.of("getOrElse", "getOrElseUpdate", "orElse", "orElseGet", "orElseThrow", "applyOrElse");

    private static final Set<String> REPEATED_OF_JAVA = Set.of("forEach", "forEachRemaining", "removeIf", "replaceAll", "setAll");

    private static final Set<String> ADDING = Set.of("add", "addAll", "addFirst", "addLast", "put", "putAll", "append", "appendAll",
            "prepend", "push", "offer", "enqueue", "set", "update", "addOne", "$plus$eq", "$plus$plus$eq", "$plus$eq$colon");

    private static final Set<String> MEMOIZING = Set.of("getOrElseUpdate", "computeIfAbsent", "compute", "merge", "updateWith");

    private static final Pattern FEEDING_BACK =
            Pattern.compile("(fold|reduce|scan|iterate|unfold|aggregate).*|\\$(div\\$colon|colon\\$bslash)");

    /** A cache of pattern matches by class name, because few names are looked up often. */
    private static final Map<Pattern, Map<String, Boolean>> MATCHED = new ConcurrentHashMap<>();

    private SparkCalls() {
    }

    private static boolean matches(Pattern pattern, String name) {
        return MATCHED.computeIfAbsent(pattern, key -> new ConcurrentHashMap<>())
                .computeIfAbsent(name, key -> pattern.matcher(key).matches());
    }

    /** Whether Spark counts a class as its own when it looks for a creation site. It does not count GraphX and MLlib. */
    static boolean isInternal(String owner) {
        return matches(INTERNAL, owner);
    }

    /** Whether a class is an RDD, Spark's Java wrapper of one, a Dataset or a graph. */
    static boolean isDataset(String owner) {
        return matches(DATASET, owner);
    }

    /** Whether instances are datasets, or wrappers for calling methods on one. */
    static boolean holdsDataset(String owner) {
        return isDataset(owner) || matches(VIEW, owner);
    }

    static boolean isView(String owner) {
        return matches(VIEW, owner);
    }

    static boolean isSql(String owner) {
        return owner.startsWith("org/apache/spark/sql/");
    }

    static boolean isSpark(String owner) {
        return owner.startsWith("org/apache/spark/");
    }

    /** Whether a method outside SQL returns its receiver or argument, the same RDD, perhaps in another form. */
    static boolean isSame(String owner, String name, Type result) {
        if (!holdsDataset(elementName(result))) {
            return false;
        }
        if (isView(elementName(result)) || isView(owner)) {
            return isView(elementName(result)) || SAME.contains(name);
        }
        boolean fromDataset = isSql(owner) && isDataset(owner);
        return SAME.contains(name) && !(fromDataset && (name.endsWith("RDD") || name.equals("rdd") || name.equals("localCheckpoint")
                || name.equals("toDF") || name.equals("sortBy"))) && !(name.equals("partitionBy") || name.equals("sortBy"))
                || name.startsWith("rddTo");
    }

    static boolean makesDataset(Type result) {
        return holdsDataset(elementName(result));
    }

    static boolean isPersist(String name) {
        return name.equals("persist") || name.equals("cache") || name.equals("localCheckpoint");
    }

    static boolean isUnpersist(String name) {
        return name.equals("unpersist") || name.equals("unpersistVertices");
    }

    /** Whether a call updates one of Spark's checkpointers, which persist the argument and unpersist that of an earlier call. */
    static boolean isCheckpointerUpdate(String owner, String name) {
        return name.equals("update") && owner.startsWith("org/apache/spark/") && owner.endsWith("Checkpointer");
    }

    static boolean isAction(String name) {
        return ACTIONS.contains(name) || name.startsWith("saveAs");
    }

    static boolean isViewOfSql(String name) {
        return VIEWS_OF_SQL.contains(name);
    }

    /** Whether a method of Spark runs a function in the driver, once, and returns its result. */
    static boolean runsInDriver(String name) {
        return name.equals("withScope") || name.equals("withNoProgress");
    }

    /** Whether a class is Spark's logging, which all classes inherit and which does nothing with an RDD. */
    static boolean isPlumbing(String owner) {
        return owner.startsWith("org/apache/spark/internal/");
    }

    static boolean isLibrary(String owner) {
        return owner.startsWith("scala/") || owner.startsWith("java/") || owner.startsWith("javax/");
    }

    /** Whether a method of a library runs its function argument once per element. */
    static boolean repeats(String owner, String name) {
        if (ONCE.contains(name)) {
            return false;
        }
        return owner.startsWith("scala/collection/") || owner.startsWith("java/util/stream/") || owner.startsWith("scala/Array")
                || (owner.startsWith("java/util/") || owner.equals("java/lang/Iterable")) && REPEATED_OF_JAVA.contains(name);
    }

    /** Whether a method of an iterator returns the next element. */
    static boolean isNextElement(String owner, String name) {
        return name.equals("next") && (owner.equals("java/util/Iterator") || owner.equals("scala/collection/Iterator"));
    }

    /** Whether a method puts the result of its function into the map that it returns it from. */
    static boolean memoizes(String name) {
        return MEMOIZING.contains(name);
    }

    /** Whether a class is a container of Scala's or Java's, such as a list, but not a tuple. */
    static boolean isContainer(String owner) {
        return isLibrary(owner) && !owner.startsWith("scala/Tuple");
    }

    /** Whether the function receives its result of the previous call. */
    static boolean feedsBack(String name) {
        return matches(FEEDING_BACK, name);
    }

    static boolean adds(String name) {
        return ADDING.contains(name);
    }

    /** Whether a class is a container of at most one element, which is treated as the element. */
    static boolean isTransparent(String owner) {
        return owner.startsWith("scala/Option") || owner.startsWith("scala/Some") || owner.startsWith("java/util/Optional")
                || owner.startsWith("scala/util/") || owner.startsWith("scala/Predef") || owner.startsWith("scala/runtime/")
                || owner.startsWith("java/util/concurrent/atomic/AtomicReference");
    }

    static String elementName(Type type) {
        Type element = type.getSort() == Type.ARRAY ? type.getElementType() : type;
        return element.getSort() == Type.OBJECT ? element.getInternalName() : "";
    }
}
