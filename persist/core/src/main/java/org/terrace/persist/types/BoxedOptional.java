// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Optional;
import org.terrace.persist.FieldType;
import org.terrace.persist.Heap;
import org.terrace.persist.PersistentClass;
import org.terrace.persist.PersistentObject;

/** An {@code Optional} in the heap. */
final class BoxedOptional extends PersistentObject implements Copy {
    static final PersistentClass<BoxedOptional> CLASS = PersistentClass.of(BoxedOptional.class, BoxedOptional::new)
            .field("value", FieldType.REFERENCE).build();
    private static final int VALUE = CLASS.offset("value");

    BoxedOptional(Heap heap, Optional<?> optional) {
        super(CLASS, heap);
        setReference(VALUE, Boxed.store(heap, optional.orElse(null)));
    }

    private BoxedOptional(Heap heap, long offset) {
        super(heap, offset);
    }

    @Override
    public Object value() {
        return Optional.ofNullable(Boxed.load(getReference(VALUE)));
    }

    @Override
    protected boolean hasParts() {
        return true;
    }

    @Override
    protected void freeParts() {
        Boxed.free(getReferenceUnlessFreed(VALUE));
    }
}
