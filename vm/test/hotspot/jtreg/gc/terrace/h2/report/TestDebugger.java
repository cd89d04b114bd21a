// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.report;

/*
 * @test TestDebugger
 * @summary A debugger reads, changes, locks and calls objects in H2, and counts them or gets an error that it cannot
 * @library / /test/lib /java/api/src/main/java
 * @modules java.management jdk.jdi
 * @run driver gc.terrace.h2.report.TestDebugger
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

import com.sun.jdi.ArrayReference;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.Field;
import com.sun.jdi.IntegerValue;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import jdk.test.lib.Utils;

import gc.terrace.h2.H2Test;

public class TestDebugger {

    private static final int COUNT = 321;

    public static final class Item {
        int number;
        Object reference = "unset";

        int twice() {
            return 2 * number;
        }
    }

    public static final class Debuggee {
        static int pauses;

        public static void main(String[] args) {
            H2Test.requireH2();
            Item[] items = new Item[COUNT];
            for (int i = 0; i < COUNT; i++) {
                items[i] = new Item();
                items[i].number = i;
            }
            H2Test.moveToH2(items);
            pause(items, items[7]);
            H2Test.assertEquals(items[7].number, 1234, "the number set by the debugger");
            H2Test.assertEquals(items[8].reference, "set by the debugger", "the reference set by the debugger");
            H2Test.assertSame(items[9], items[10], "the element set by the debugger");
            H2Test.minorGC();
            H2Test.majorGC();
            H2Test.assertEquals(items[8].reference, "set by the debugger", "the reference after collections");
            pause(items, items[7]);
            System.exit(42);
        }

        static void pause(Item[] items, Item item) {
            pauses++;
        }
    }

    public static void main(String[] args) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("main").setValue(Debuggee.class.getName());
        arguments.get("home").setValue(System.getProperty("test.jdk", System.getProperty("java.home")));
        arguments.get("options").setValue("-cp " + Utils.TEST_CLASS_PATH + " -Xmx128m " + (H2Test.STOCK
            ? "-XX:+UseParallelGC -Dterrace.test.stock=true"
            : "-XX:AllocateH2At=. -XX:H2Size=256m -XX:H2RegionSize=2m -XX:+UnlockDiagnosticVMOptions -XX:+VerifyH2"));
        VirtualMachine vm = connector.launch(arguments);
        copy(vm.process().getInputStream(), System.out);
        copy(vm.process().getErrorStream(), System.err);
        ClassPrepareRequest prepare = vm.eventRequestManager().createClassPrepareRequest();
        prepare.addClassFilter(Debuggee.class.getName());
        prepare.enable();
        int pauses = 0;
        try {
            for (boolean alive = true; alive;) {
                EventSet events = vm.eventQueue().remove();
                for (Event event : events) {
                    if (event instanceof ClassPrepareEvent) {
                        ReferenceType type = ((ClassPrepareEvent) event).referenceType();
                        vm.eventRequestManager()
                            .createBreakpointRequest(type.methodsByName("pause").get(0).location()).enable();
                    } else if (event instanceof BreakpointEvent) {
                        inspect(vm, ((BreakpointEvent) event).thread(), pauses++);
                    } else if (event instanceof VMDeathEvent || event instanceof VMDisconnectEvent) {
                        alive = false;
                    }
                }
                events.resume();
            }
        } catch (VMDisconnectedException e) {
            System.out.println("disconnected");
        }
        H2Test.assertEquals(vm.process().waitFor(), 42, "the exit code of the debuggee");
        H2Test.assertEquals(pauses, 2, "breakpoints");
    }

    private static void copy(InputStream in, PrintStream out) {
        Thread thread = new Thread(() -> {
            try {
                in.transferTo(out);
            } catch (IOException e) {
                System.out.println("the debuggee's output ends: " + e.getMessage());
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void inspect(VirtualMachine vm, ThreadReference thread, int pause) throws Exception {
        StackFrame frame = thread.frame(0);
        ArrayReference items = (ArrayReference) frame.getArgumentValues().get(0);
        ObjectReference item = (ObjectReference) frame.getArgumentValues().get(1);
        ClassType type = (ClassType) item.referenceType();
        Field number = type.fieldByName("number");
        Field reference = type.fieldByName("reference");
        H2Test.assertEquals(items.length(), COUNT, "the length of the array");
        H2Test.assertEquals(((IntegerValue) item.getValue(number)).value(), pause == 0 ? 7 : 1234, "the number");
        H2Test.assertTrue(items.getValue(7).equals(item), "two mirrors of one object");
        H2Test.assertEquals(item.referenceType().name(), Item.class.getName(), "the type");
        if (vm.canGetInstanceInfo()) {
            H2Test.assertEquals(vm.instanceCounts(List.of(type))[0], pause == 0 ? COUNT : COUNT - 1,
                                "the count of instances");
            if (pause > 0) {
                // Not at the first pause, because the agent would hold all instances weakly from then on. A suspension makes these
                // references strong, which would revive a garbage object in a live region.
                List<ObjectReference> instances = type.instances(0);
                H2Test.assertEquals(instances.size(), COUNT - 1, "instances");
                H2Test.assertTrue(instances.contains(item), "an object is not among the instances");
            }
            List<ObjectReference> referrers = item.referringObjects(0);
            H2Test.assertTrue(referrers.contains(items), "the array is not among the referrers: " + referrers);
        } else {
            System.out.println("the VM withholds instance information");
        }
        if (vm.canGetMonitorInfo()) {
            H2Test.assertEquals(item.entryCount(), 0, "entries into the monitor");
        }
        if (pause == 0) {
            item.setValue(number, vm.mirrorOf(1234));
            ObjectReference eighth = (ObjectReference) items.getValue(8);
            StringReference text = vm.mirrorOf("set by the debugger");
            text.disableCollection();
            eighth.setValue(reference, text);
            text.enableCollection();
            items.setValue(9, items.getValue(10));
        }
        IntegerValue twice = (IntegerValue) item.invokeMethod(thread, type.methodsByName("twice").get(0), List.of(),
                                                              ObjectReference.INVOKE_SINGLE_THREADED);
        H2Test.assertEquals(twice.value(), 2468, "the result of the method");
    }
}
