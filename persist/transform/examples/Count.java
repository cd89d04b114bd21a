// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import static org.terrace.persist.FailureAtomicity.NON_PRIVATE;

import java.nio.file.Path;
import org.terrace.persist.Heap;
import org.terrace.persist.Persistent;

/** A counter that continues after it was killed, as in figure 3 of the J-NVM paper. Argument: the file of the heap. */
public class Count {
    @Persistent(fa = NON_PRIVATE)
    static class Simple {
        String msg = "Hello, persistent heap!";
        int x;
        transient int y;

        Simple(int x) {
            this.x = x;
        }

        void inc() {
            x++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        try (Heap heap = Heap.open(Path.of(args[0]))) {
            Simple s = heap.root("simple", Simple.class, () -> new Simple(42));
            while (true) {
                s.inc();
                s.y++;
                System.out.println(s.msg + " " + s.x + ", " + s.y + " in this run");
                Thread.sleep(100);
            }
        }
    }
}
