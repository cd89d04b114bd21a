// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.types;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.terrace.persist.PersistentObject;

/**
 * Placeholder in collections for a record that the heap contains and this program cannot create. Either a component contains a
 * {@link MissingConstant}, or the constructor rejects the components. The placeholder can be read, removed and stored again.
 */
public final class OpaqueRecord extends Opaque {
    private final Records records;
    private final Object[] components;
    /** The exception of the constructor, or null if constants are missing. */
    private final RuntimeException refusal;

    OpaqueRecord(Records records, Object[] components, RuntimeException refusal) {
        this.records = records;
        this.components = components;
        this.refusal = refusal;
    }

    /** Name of the record's class. */
    public String className() {
        return records.type().getName();
    }

    /** The components by name, in the order of their declaration. */
    public Map<String, Object> components() {
        Map<String, Object> named = new LinkedHashMap<>();
        for (int i = 0; i < components.length; i++) {
            named.put(records.name(i), components[i]);
        }
        return Collections.unmodifiableMap(named);
    }

    Records records() {
        return records;
    }

    Object component(int index) {
        return components[index];
    }

    @Override
    boolean isPlaced() {
        return refusal == null && Arrays.stream(components).allMatch(c -> Opaque.in(c) == null || Opaque.in(c).isPlaced());
    }

    @Override
    String reason() {
        return refusal != null ? refusal.getMessage() + ": let it accept what older programs have stored"
                : Arrays.stream(components).filter(c -> Opaque.in(c) != null).map(c -> Opaque.in(c).reason()).findFirst().orElse("");
    }

    @Override
    String text() {
        StringBuilder text = new StringBuilder(className());
        for (int i = 0; i < components.length; i++) {
            String component = textOfComponent(components[i]);
            text.append('\n').append(records.name(i)).append('=').append(component.length()).append(':').append(component);
        }
        return text.toString();
    }

    private static String textOfComponent(Object component) {
        return component == null ? "" : component.getClass().getName() + ' '
                + (component instanceof Opaque opaque ? opaque.text() : component.toString());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpaqueRecord r && r.records == records && Arrays.equals(r.components, components);
    }

    @Override
    public int hashCode() {
        return className().hashCode() * 31 + Arrays.hashCode(components);
    }

    /** The text that the record itself would have. */
    @Override
    public String toString() {
        String all = components().toString();
        return records.type().getSimpleName() + '[' + all.substring(1, all.length() - 1) + "]";
    }

    PersistentObject store(org.terrace.persist.Heap heap) {
        return new StoredRecord(records, heap, this::component);
    }
}
