package org.terrace.persist.medium;

import java.nio.file.Path;
import org.terrace.persist.HeapException;

/**
 * The only way to storage: files, and memory in which their contents are mapped privately. There is one medium per process, a
 * constant for the compiler; the system property {@value #PROPERTY} names another class, which tests use to
 * record what is written and to lose what was not synced.
 *
 * <p>Addresses are those of the process. Nothing is checked: a wild address ends the process.
 */
public abstract class Medium {
    public static final String PROPERTY = "org.terrace.persist.medium";
    public static final Medium MEDIUM = select();

    /** How a file is opened. */
    public enum Mode { READ, WRITE, CREATE }

    /**
     * Opens a file and locks it: exclusively, or against writers with {@link Mode#READ}. {@link Mode#CREATE} empties it.
     *
     * @throws HeapException if the file is missing, cannot be opened, or another process or heap has it open
     */
    public abstract MediumFile open(Path path, Mode mode);

    public abstract boolean exists(Path path);

    /** Gives a file its final name, durably: it appears under it whole or not at all, in place of one that had the name. */
    public abstract void publish(Path temporary, Path name, Site site);

    /** Reserves addresses, without memory behind them. */
    public abstract long reserve(long bytes);

    /**
     * Unmaps the file: the addresses stay reserved and read as zeros, so that a late access finds nothing rather than ends the VM.
     */
    public abstract void retire(long address, long bytes);

    public abstract void release(long address, long bytes);

    /** Maps a part of a file: it reads as the file, until it is stored to; stores stay in memory. Multiples of 4096. */
    public abstract void map(MediumFile file, long position, long length, long address);

    /** Drops private copies of pages which are equal to the file. */
    public abstract void discard(MediumFile file, long position, long length, long address);

    private static Medium select() {
        String name = System.getProperty(PROPERTY);
        if (name == null) {
            return new LinuxMedium();
        }
        try {
            return (Medium) Class.forName(name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new HeapException("-D" + PROPERTY + "=" + name + " does not name a medium", e);
        }
    }
}
