// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.bench.h2;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The programs of this package, as subcommands. */
@Command(name = "h2", mixinStandardHelpOptions = true,
        description = "Programs that measure the second heap itself. ./terrace bench h2 starts them.",
        subcommands = {Cache.class, Cards.class, Fill.class, Groups.class, Grow.class, Hot.class, HotValues.class,
            Passes.class, Service.class, Transfer.class})
public final class H2Programs {

    private H2Programs() {
    }

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        return new CommandLine(new H2Programs()).setCaseInsensitiveEnumValuesAllowed(true).execute(arguments);
    }

    static void print(Map<String, Object> report) {
        try {
            System.out.println(new ObjectMapper().writeValueAsString(report));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the uptime in seconds, like the VM's log. */
    static double uptime() {
        return ManagementFactory.getRuntimeMXBean().getUptime() / 1e3;
    }

    /** Parses a number of bytes with an optional k, m or g. */
    static final class Size implements ITypeConverter<Long> {

        @Override
        public Long convert(String text) {
            String lower = text.toLowerCase();
            int unit = "kmg".indexOf(lower.isEmpty() ? ' ' : lower.charAt(lower.length() - 1));
            try {
                return Long.parseLong(unit < 0 ? lower : lower.substring(0, lower.length() - 1)) << 10 * (unit + 1);
            } catch (NumberFormatException e) {
                throw new TypeConversionException("'" + text + "' is not a size such as 512k, 16m or 1g");
            }
        }
    }
}
