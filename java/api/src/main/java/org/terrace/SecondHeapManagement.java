// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Registers the {@link SecondHeapMXBean} and the {@link SecondHeapLabelsMXBean} with the platform's MBean server. Needs
 * the module {@code java.management}.
 */
public final class SecondHeapManagement {

    /** The object name of the {@link SecondHeapMXBean}. */
    public static final String NAME = "org.terrace:type=SecondHeap";

    /** The object name of the {@link SecondHeapLabelsMXBean}. */
    public static final String LABELS_NAME = "org.terrace:type=SecondHeapLabels";

    private SecondHeapManagement() {
    }

    /**
     * Registers the beans, with or without a second heap, and the events {@code org.terrace.*} of the flight recorder of
     * which this VM has something to tell, those of {@link GCThreads} and {@link FarMemory} included, if this runtime has
     * a recorder. Does nothing if there are beans of these names already, whichever class loader they came from: all of
     * them ask the same VM.
     *
     * @throws IllegalStateException if the platform's MBean server refuses
     */
    public static void register() {
        register(NAME, current(), SecondHeapMXBean.class);
        if (register(LABELS_NAME, SecondHeap::labels, SecondHeapLabelsMXBean.class)) {
            SecondHeapEvents.register();
            GCThreads.register();
            FarMemory.register();
        }
    }

    /** Whether there was none yet. */
    private static <T> boolean register(String name, T bean, Class<T> type) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            ObjectName objectName = new ObjectName(name);
            if (server.isRegistered(objectName)) {
                return false;
            }
            server.registerMBean(new StandardMBean(bean, type, true), objectName);
            return true;
        } catch (InstanceAlreadyExistsException e) {
            return false;
        } catch (JMException e) {
            throw new IllegalStateException("cannot register " + name, e);
        }
    }

    /** A view in which every attribute is read from a snapshot of its own. */
    private static SecondHeapMXBean current() {
        return (SecondHeapMXBean) Proxy.newProxyInstance(
                SecondHeapMXBean.class.getClassLoader(),
                new Class<?>[] {SecondHeapMXBean.class},
                (proxy, attribute, none) -> attribute.invoke(SecondHeap.statistics(), none));
    }
}
