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
 * Registers the {@link SecondHeapMXBean} and the {@link SecondHeapLabelsMXBean} with the platform's MBean server. Requires
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
     * Registers the beans, with or without a second heap. If this runtime has a flight recorder, it also registers the events
     * {@code org.terrace.*} that this VM supports, including the events of {@link GCThreads} and {@link FarMemory}. Has no
     * effect if beans of these names exist, even from another class loader, because all of them query the same VM.
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

    /** Registers a bean, and returns whether none of this name was registered before. */
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

    /** Returns a view that takes a new snapshot for each attribute read. */
    private static SecondHeapMXBean current() {
        return (SecondHeapMXBean) Proxy.newProxyInstance(
                SecondHeapMXBean.class.getClassLoader(),
                new Class<?>[] {SecondHeapMXBean.class},
                (proxy, attribute, none) -> attribute.invoke(SecondHeap.statistics(), none));
    }
}
