// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
package org.terrace.place;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** Runs the analysis with a stack for long chains of values. It is recursive, and each assignment of a value to another name is a level. */
final class DeepStack {

    /** In bytes. Enough for some hundred thousand assignments. The system provides only what is used. */
    private static final long SIZE = 256L << 20;

    private DeepStack() {
    }

    static <T> T run(Supplier<T> analysis) throws InputException {
        FutureTask<T> task = new FutureTask<>(analysis::get);
        Thread thread = new Thread(null, task, "analysis", SIZE);
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StackOverflowError) {
                throw new InputException("the program passes a value on too often for this analysis. Name a part of it with --main, or "
                        + "fewer jars");
            }
            throw new IllegalStateException("the analysis failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InputException("the analysis was interrupted");
        }
    }
}
