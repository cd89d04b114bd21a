// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.agent;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;

import sun.jvm.hotspot.SALauncher;
import sun.jvm.hotspot.memory.Universe;
import sun.jvm.hotspot.runtime.VM;
import sun.jvm.hotspot.runtime.VirtualConstructor;
import sun.jvm.hotspot.utilities.Observable;
import sun.jvm.hotspot.utilities.Observer;

/**
 * The serviceability agent's launcher, whose view of a heap has H2.
 *
 * <p>The agent's Java side is the distribution's, which can neither be rebuilt alone nor subclassed by configuration: two of
 * its private tables are changed by reflection.
 */
public final class Jhsdb {

    private Jhsdb() { }

    public static void main(String[] arguments) throws ReflectiveOperationException {
        expectThisVersion();
        onEachAttach(Jhsdb::knowH2);
        SALauncher.main(arguments);
    }

    /** The agent warns of a VM that is not of its build; this launcher is of the VM's. */
    private static void expectThisVersion() throws ReflectiveOperationException {
        Properties properties = (Properties) field(VM.class, "saProps").get(null);
        properties.setProperty("sun.jvm.hotspot.runtime.VM.saBuildVersion", System.getProperty("java.vm.version"));
    }

    /** Universe makes its table at each attach, in an observer that it registers when the class is loaded: ours must come later. */
    private static void onEachAttach(Runnable action) throws ReflectiveOperationException {
        // Loading Universe registers an observer while the observers are being called.
        field(VM.class, "vmInitializedObservers").set(null, new CopyOnWriteArrayList<Observer>());
        VM.registerVMInitializedObserver(new Observer() {
            private boolean attached;
            private boolean registered;

            @Override
            public void update(Observable observable, Object data) {
                if (!attached) {
                    attached = true;          // the call of the registration itself
                } else if (!registered) {
                    registered = true;
                    new Universe();
                    VM.registerVMInitializedObserver((universe, none) -> action.run());
                }
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static void knowH2() {
        if (!SecondHeap.of(VM.getVM()).isThere()) {
            return;
        }
        try {
            VirtualConstructor constructor = (VirtualConstructor) field(Universe.class, "heapConstructor").get(null);
            ((Map<String, Object>) field(VirtualConstructor.class, "map").get(constructor))
                .put("ParallelScavengeHeap", HeapWithH2.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this agent does not fit the JDK's: " + e, e);
        }
    }

    private static Field field(Class<?> of, String name) throws NoSuchFieldException {
        Field field = of.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
