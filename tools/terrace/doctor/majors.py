# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Rules of `terrace doctor` about major collections that are too frequent, take too long, or read too much."""
from ..common.faults import PAUSES
from .observation import Finding, mb, percent

# Fraction of the time in collections that users notice and want to reduce.
MUCH_COLLECTION = 0.2
# Fraction of the old generation that is in use. Above it, collections follow each other quickly.
CROWDED = 0.8
# Fraction of the time in major collections, and their least number. The fraction equals H2OverheadThreshold, above
# which the VM moves more.
MUCH_MAJOR, MANY_MAJORS = 0.1, 5
# Fraction of the moved bytes by which H2 has grown. Above it, the program is loading data and replaces little.
GROWING = 0.6
# Page faults per second.
MANY_FAULTS = 20
# Fraction of H2 that a major collection reads for references to H1.
MUCH_READ = 0.3


def h1_too_small(seen):
    if not seen.major_count or seen.collecting is None or seen.collecting < MUCH_COLLECTION:
        return None
    if seen.crowding is None or seen.crowding < CROWDED or (seen.h2 and seen.h2.is_full and seen.abandoned):
        return None
    wanted = seen.heap_for(seen.least_old)
    remedy = f"Raise -Xmx from {mb(seen.max_heap)} to about {mb(wanted)}" if wanted else "Raise -Xmx"
    if wanted and seen.limit is not None and seen.anonymous is not None:
        left = seen.limit - seen.anonymous - (wanted - seen.max_heap)
        remedy += (f"; the container's {mb(seen.limit)} then leave {mb(left)} to page H2 in" if left > 0 else
                   f"; the container's {mb(seen.limit)} are too small for that, raise them as well")
    if seen.h2 and seen.h2.tagged == 0:
        remedy += ". No object in H1 has a tag: if its data lives long, tag it instead"
    return Finding(
        "h1-small", "H1 is too small: the program spends its time on collections",
        f"{percent(seen.collecting)} of {seen.seconds:.0f} s were collections ({seen.major_count} major ones); after them "
        f"{percent(seen.crowding)} of the old generation is still in use ({mb(seen.least_old)} of {mb(seen.max_old)}).",
        remedy + ".")


def refers_to_h1(seen):
    h2 = seen.h2
    if not h2 or not h2.used or not seen.major_count or not seen.read_for_references or not seen.seconds:
        return None
    # Marking and adjustment read the same parts of H2, so half of the bytes are counted.
    read = (seen.read_for_references - seen.read_for_moves) / 2 / seen.major_count
    share = seen.major_seconds / seen.seconds if seen.major_seconds else 0
    if share < MUCH_COLLECTION or read < MUCH_READ * h2.used:
        return None
    return Finding(
        "refers-to-h1", "Major collections read H2: too much in it refers to objects in H1",
        f"{percent(share)} of {seen.seconds:.0f} s were {seen.major_count} major collections; each read {mb(read)} of the "
        f"{mb(h2.used)} in H2, to find and to adjust what refers to H1.",
        "Objects that H2 refers to should be in H2 too: tag them with the same label, or tag an object that refers to both. "
        "References to objects that static fields hold, up to 1024 in a region, cost nothing as long as these objects stay. Do "
        "not tag objects that the program still changes.")


def targets_move(seen):
    h2 = seen.h2
    if not h2 or not h2.used or not seen.major_count or not seen.seconds:
        return None
    read = seen.read_for_moves / seen.major_count
    share = seen.major_seconds / seen.seconds if seen.major_seconds else 0
    if share < MUCH_COLLECTION or read < MUCH_READ * h2.used:
        return None
    return Finding(
        "targets-move", "Major collections read H2 because objects of H1 move that it refers to",
        f"{percent(share)} of {seen.seconds:.0f} s were {seen.major_count} major collections; each read {mb(read)} of the "
        f"{mb(h2.used)} in H2, to adjust references to objects that compaction has moved.",
        "A larger heap (-Xmx). Compaction leaves objects in place that H2 refers to, as long as the old generation has free space.")


def majors_are_frequent(seen):
    return bool(seen.h2 and seen.seconds and (seen.major_count or 0) >= MANY_MAJORS and not seen.abandoned and
                (seen.major_seconds or 0) >= MUCH_MAJOR * seen.seconds)


def most_move(seen):
    return 2 * seen.transfers >= seen.major_count


def frequency(seen):
    return (f"{seen.major_count} major collections took {percent(seen.major_seconds / seen.seconds)} of {seen.seconds:.0f} s. "
            f"{seen.transfers} of them moved something to H2")


def moves_nothing(seen):
    if not majors_are_frequent(seen) or most_move(seen) or seen.requested or seen.h2.is_full or seen.moves_unhinted is False:
        return None
    if seen.moves_unhinted is None and h1_too_small(seen):
        return None
    live = f", and {percent(seen.crowding)} of the old generation stayed in use" if seen.crowding is not None else ""
    return Finding(
        "moves-nothing", "Major collections are frequent, and most of them move nothing to H2",
        f"{frequency(seen)}{live}. H2 has {seen.h2.regions - seen.h2.regions_in_use} free regions.",
        "Let objects move sooner: a lower -XX:H2HighThreshold or -XX:H2OverheadThreshold, or tags. Without a hint, only objects move "
        "that are old and that the program does not write. If it writes what it keeps, raise -Xmx.")


def is_loading(seen):
    return seen.grown >= GROWING * seen.moved


def many_transfers(seen):
    if not majors_are_frequent(seen) or not most_move(seen) or is_loading(seen) or h1_too_small(seen):
        return None
    return Finding(
        "many-transfers", "Major collections are frequent, and each moves a little to H2",
        f"{frequency(seen)}, {mb(seen.moved / seen.transfers)} each, and what is alive in H2 grew by {mb(max(0, seen.grown))}.",
        room_for_transfers(seen) + " The program replaces what has moved: data that lives for a short time belongs to H1.")


def loading(seen):
    if not majors_are_frequent(seen) or not most_move(seen) or not is_loading(seen) or h1_too_small(seen):
        return None
    return Finding(
        "loading", "Loading needs many major collections",
        f"{frequency(seen)}, {mb(seen.moved / seen.transfers)} each, and H2 grew by {mb(seen.grown)}.",
        room_for_transfers(seen) + " If the program requests transfers itself, request one for more data at a time. "
        "If it replaces data instead, doctor PID --objects finds out how much of H2 is garbage.")


def room_for_transfers(seen):
    wanted = f" from {mb(seen.max_heap)}" if seen.max_heap else ""
    return (f"Let each collection make more room: raise -Xmx{wanted}, or lower -XX:H2LowThreshold (default 50).")


def collections_read(seen):
    if not seen.h2 or not seen.h2.used or not seen.seconds or seen.is_swapped or (seen.collecting or 0) < MUCH_COLLECTION:
        return None
    faults = seen.faults.get(PAUSES, 0)
    if faults < MANY_FAULTS * seen.seconds:
        return None
    resident = f" {mb(seen.h2.resident)} of the {mb(seen.h2.used)} in H2 are in memory." if seen.h2.resident is not None else ""
    return Finding(
        "collections-read", "Collections wait for pages of H2",
        f"{percent(seen.collecting)} of {seen.seconds:.0f} s were collections. Their threads had {faults / seen.seconds:.0f} major page "
        f"faults a second.{resident}",
        "Collections read what the program has written in H2, and what refers to H1. Do not tag objects that the program changes, "
        "raise -Xmx for fewer collections, or give the program more memory for pages of H2.")
