// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;

/** Writes JSON. Numbers that JSON does not support become strings. */
final class Json {
    private static final int BEFORE_SURROGATES = 0xd7ff;
    /** Writes each value on a separate line. Surrogates are escaped, because an unpaired one has no UTF-8 encoding. */
    static final JsonFactory FACTORY = new JsonFactoryBuilder().highestNonEscapedChar(BEFORE_SURROGATES)
            .rootValueSeparator("\n").build();

    private Json() {
    }

    /** Converts maps, iterables, strings, numbers, booleans and null to JSON on one line. Other objects are written as their text. */
    static String of(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = FACTORY.createGenerator(text)) {
            write(out, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator out, Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            out.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.writeFieldName(entry.getKey().toString());
                write(out, entry.getValue());
            }
            out.writeEndObject();
        } else if (value instanceof Iterable<?> list) {
            out.writeStartArray();
            for (Object element : list) {
                write(out, element);
            }
            out.writeEndArray();
        } else {
            writeScalar(out, value);
        }
    }

    private static void writeScalar(JsonGenerator out, Object value) throws IOException {
        if (value == null) {
            out.writeNull();
        } else if (value instanceof Boolean b) {
            out.writeBoolean(b);
        } else if (value instanceof Float f) {
            out.writeNumber(f);
        } else if (value instanceof Double d) {
            out.writeNumber(d);
        } else if (value instanceof BigDecimal d) {
            out.writeNumber(d);
        } else if (value instanceof BigInteger i) {
            out.writeNumber(i);
        } else if (value instanceof Number n) {
            out.writeNumber(n.longValue());
        } else {
            out.writeString(value.toString());
        }
    }
}
