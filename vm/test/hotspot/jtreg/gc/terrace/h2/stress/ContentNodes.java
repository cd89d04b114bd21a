// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2.stress;

import java.math.BigInteger;

/** Nodes with content that follows from identity and value: strings, numbers and arrays of primitives. */
final class ContentNodes {

    private ContentNodes() {
    }

    /** Latin-1, UTF-16, interned and derived strings, and big numbers. */
    static final class TextNode extends FieldNodes.FieldsNode {
        private String text;
        private final StringBuilder log = new StringBuilder();
        private BigInteger number;

        TextNode(int id, long serial, int size) {
            super(id, serial, size);
            write();
        }

        private String expected() {
            return "text " + serial + (value % 2 == 0 ? " \u4e16\u754c " : " latin ") + value;
        }

        private void write() {
            text = expected();
            if (value % 7 == 3) {
                text = text.intern();
            }
            log.setLength(0);
            log.append(text);
            number = BigInteger.valueOf(serial).multiply(BigInteger.valueOf(value)).pow(3);
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            write();
        }

        @Override
        String checkContent() {
            if (!text.equals(expected()) || !log.toString().equals(text)) {
                return "text \"" + text + "\" and \"" + log + "\", expected \"" + expected() + "\"";
            }
            if (value % 7 == 3 && text != expected().intern()) {
                return "an interned string lost its place in the table";
            }
            BigInteger expected = BigInteger.valueOf(serial).multiply(BigInteger.valueOf(value)).pow(3);
            return number.equals(expected) ? null : "the number is " + number + ", expected " + expected;
        }
    }

    /** Arrays of primitives, of length zero to some thousands. */
    static final class BytesNode extends FieldNodes.FieldsNode {
        private final byte[] bytes;
        private final char[] chars;
        private long[] longs;
        private final double[] none = new double[0];

        BytesNode(int id, long serial, int size) {
            super(id, serial, size);
            long x = mix(serial);
            bytes = new byte[(x & 63) == 0 ? (int) (x >>> 51) : (int) (x >>> 58)];
            chars = new char[(int) (x >>> 20 & 15)];
            longs = new long[(int) (x >>> 30 & 7)];
            write();
        }

        private void write() {
            long x = mix(serial + value);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (x + i);
            }
            for (int i = 0; i < chars.length; i++) {
                chars[i] = (char) (x - i);
            }
            for (int i = 0; i < longs.length; i++) {
                longs[i] = x * i;
            }
        }

        @Override
        void setValue(long newValue) {
            super.setValue(newValue);
            write();
        }

        @Override
        void churn() {
            longs = longs.clone();
        }

        @Override
        String checkContent() {
            long x = mix(serial + value);
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] != (byte) (x + i)) {
                    return "byte " + i + " of " + bytes.length + " is " + bytes[i] + ", expected " + (byte) (x + i);
                }
            }
            for (int i = 0; i < chars.length; i++) {
                if (chars[i] != (char) (x - i)) {
                    return "char " + i + " of " + chars.length + " is " + (int) chars[i];
                }
            }
            for (int i = 0; i < longs.length; i++) {
                if (longs[i] != x * i) {
                    return "long " + i + " of " + longs.length + " is " + longs[i];
                }
            }
            return none.length == 0 ? null : "an empty array has " + none.length + " elements";
        }
    }
}
