package org.terrace;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/** Registers the {@link SecondHeapMXBean} with the platform's MBean server. Needs the module {@code java.management}. */
public final class SecondHeapManagement {

    /** The object name of the bean. */
    public static final String NAME = "org.terrace:type=SecondHeap";

    private SecondHeapManagement() {
    }

    /**
     * Registers the bean, with or without a second heap. Does nothing if there is one of that name already,
     * whichever class loader it came from: all of them read the same counters.
     *
     * @throws IllegalStateException if the platform's MBean server refuses
     */
    public static void register() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            ObjectName name = new ObjectName(NAME);
            if (!server.isRegistered(name)) {
                server.registerMBean(new StandardMBean(current(), SecondHeapMXBean.class, true), name);
            }
        } catch (InstanceAlreadyExistsException e) {
            // Another thread was faster.
        } catch (JMException e) {
            throw new IllegalStateException("cannot register " + NAME, e);
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
