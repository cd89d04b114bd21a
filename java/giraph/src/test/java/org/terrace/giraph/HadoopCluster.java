// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import java.util.Arrays;
import java.util.List;
import org.apache.giraph.GiraphRunner;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Runs Giraph's command on a YARN cluster of its own, where each task is a JVM. The arguments are the arguments of several jobs,
 * separated by {@value #NEXT}. Prints the exit status of each job.
 */
public final class HadoopCluster {

    static final String NEXT = "next";

    /** Options that YARN and the master of a job need on JDK 17. */
    static final List<String> OPENS = List.of("--add-opens=java.base/java.lang=ALL-UNNAMED");

    private HadoopCluster() {
    }

    public static void main(String[] arguments) throws Exception {
        try (MiniMRYarnCluster cluster = new MiniMRYarnCluster("terrace", 1)) {
            cluster.init(configuration());
            cluster.start();
            List<String> left = Arrays.asList(arguments);
            while (!left.isEmpty()) {
                int end = left.contains(NEXT) ? left.indexOf(NEXT) : left.size();
                int status = ToolRunner.run(cluster.getConfig(), new GiraphRunner(), left.subList(0, end).toArray(new String[0]));
                System.out.println("status: " + status);
                left = left.subList(Math.min(end + 1, left.size()), left.size());
            }
        }
        System.exit(0); // a server may have left a thread
    }

    private static Configuration configuration() {
        Configuration conf = new YarnConfiguration();
        conf.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, "file:///");
        conf.set(MRJobConfig.MR_AM_STAGING_DIR, System.getProperty("java.io.tmpdir") + "/staging");
        conf.set(MRJobConfig.MR_AM_COMMAND_OPTS, "-Xmx200m " + String.join(" ", OPENS));
        conf.setInt(MRJobConfig.MR_AM_VMEM_MB, 512);
        conf.setInt(MRJobConfig.MAP_MEMORY_MB, 512);
        conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 256);
        conf.setInt(YarnConfiguration.NM_PMEM_MB, 4096);
        // A mapping of H2 takes address space, which the check would count.
        conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
        // Otherwise YARN ignores a disk that is nearly full.
        conf.setFloat(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, 100);
        return conf;
    }
}
