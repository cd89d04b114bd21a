// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.gc;

import java.io.InputStream;
import org.python.core.PyFunction;
import org.python.core.PyInteger;
import org.python.util.PythonInterpreter;
import org.terrace.bench.harness.Latencies;
import picocli.CommandLine.Command;

/** A program in which Jython runs Python code in several threads. */
@Command(name = "jython", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "Jython runs --size parts of a Python program that uses objects, dictionaries, JSON and regular expressions.")
final class Python extends GcProgram {

    private PyFunction work;

    @Override
    void prepare() throws Exception {
        System.setProperty("python.cachedir.skip", "true");
        System.setProperty("python.console.encoding", "UTF-8");
        PythonInterpreter interpreter = new PythonInterpreter();
        try (InputStream script = Python.class.getResourceAsStream("work.py")) {
            interpreter.execfile(script, "work.py");
        }
        work = interpreter.get("work", PyFunction.class);
    }

    @Override
    Object once(Latencies latencies) throws Exception {
        return sum(latencies, "part", part -> work.__call__(new PyInteger(part)).asLong());
    }
}
