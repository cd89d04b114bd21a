// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

import static org.terrace.persist.FieldType.INT;
import static org.terrace.persist.FieldType.REFERENCE;

import java.nio.file.Path;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;
import org.terrace.persist.types.PersistentString;

/** A counter that continues after it was killed. Argument: the file of the heap. */
public final class Simple extends PersistentObject {
    static final PersistentClass<Simple> CLASS =
            PersistentClass.of(Simple.class, Simple::new).field("msg", REFERENCE).field("x", INT).build();
    static final int MSG = CLASS.offset("msg");
    static final int X = CLASS.offset("x");

    Simple(Heap heap, int x) {
        super(CLASS, heap);
        setReference(MSG, new PersistentString(heap, "Hello, persistent heap!"));
        setInt(X, x);
    }

    Simple(Heap heap, long offset) {
        super(heap, offset);
    }

    void inc() {
        setInt(X, getInt(X) + 1);
    }

    public static void main(String[] args) throws InterruptedException {
        try (Heap heap = Heap.open(Path.of(args[0]))) {
            Simple simple = heap.root("simple", Simple.class, () -> new Simple(heap, 42));
            while (true) {
                heap.atomic(simple::inc);
                System.out.println(simple.getReference(MSG) + " " + simple.getInt(X));
                Thread.sleep(100);
            }
        }
    }
}
