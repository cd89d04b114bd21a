// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.giraph;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.apache.giraph.bsp.CentralizedServiceWorker;

/** A mock of the service worker, with its partitions, its superstep, and data that must stay in H1. */
final class Workers implements InvocationHandler {

    static final List<Integer> PARTITIONS = List.of(0, 1, 2, 3);

    /** Data reachable from the worker, in place of vertices. */
    final byte[][] vertices = new byte[1000][1000];

    long superstep;

    @SuppressWarnings("unchecked")
    <T> T worker() {
        return (T) Proxy.newProxyInstance(Workers.class.getClassLoader(), new Class<?>[] {CentralizedServiceWorker.class}, this);
    }

    static int partitionOf(Object vertex) {
        return Math.floorMod(vertex.hashCode(), PARTITIONS.size());
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "getPartitionId":
                return partitionOf(arguments[0]);
            case "getPartitionIds":
                return PARTITIONS;
            case "getPartitionVertexCount":
                return 100L;
            case "getSuperstep":
                return superstep;
            case "startIteration":
            case "getNextPartition":
                return null; // no partitions
            default:
                throw new UnsupportedOperationException(method.toString());
        }
    }
}
