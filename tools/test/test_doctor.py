# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Tests the rules of `terrace doctor`, and its reading of the VM's output."""
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from terrace.common.term import Failure
from terrace.doctor import doctor, from_log, from_vm, rules
from terrace.doctor.rules import Label, Observation, SecondHeap

MIB = 1 << 20
REPORT = """\
4711:
H2 in /fast/disk: with colon: 12 of 64 regions of 16M in use
Objects: 180.5M, 90.0M of it in memory, 1.5M known to be garbage
Garbage is what the last marking through H2 found, 12.3 s ago. It left 170.0M in use
Hints: 3 tagged roots in H1
Transfers: 40, 2 abandoned (last: No space left on device); 38123456 objects, 1183.0M, 812 ms
Regions freed: 34; markings through H2: 2
Read by major collections, for references to H1: 361.0M, 150.5M of it because objects of H1 moved

               label  regions     held      used, M in memory, M   garbage, M  of it  waited, s  kept alive by labels (pairs of regions)
                   7       10        0        150.5         80.0          1.5     1%       12.5  -3 (9), 8 (2), 4 more
                  -3        2        2         30.0         10.0          0.0     0%          -
held: regions to which something outside of H2 refers; the others live by them
reads of label -3: random, 0 changes
reads of label 7: sequential, 2 changes

Label 7
     instances      used, M  class
          1000         90.0  [B
    references  from outside of H2
"""


# Full collections in quick succession, each of which frees much space.
FREQUENT = dict(major_count=20, major_seconds=1.4, minor_seconds=0.1, requested=False, moves_unhinted=True)


def healthy(**changes):
    """Returns the observation of a program that benefits from the second heap."""
    h2 = SecondHeap(directory="/disk", region_size=16 * MIB, regions=100, regions_in_use=40, used=600 * MIB,
                    resident=300 * MIB, garbage=0, tagged=3, moved=900 * MIB, transfers=10)
    seen = dict(seconds=10.0, uptime=100.0, max_heap=512 * MIB, max_old=340 * MIB, least_old=200 * MIB, most_old=250 * MIB,
                minor_seconds=0.5,
                major_seconds=0.2, major_count=1, h2=h2, major_faults=50, device_read=100 * MIB, waiting=0.1,
                anonymous=500 * MIB, limit=1024 * MIB, file_system="ext4", random_access=False)
    for name, value in changes.items():
        if hasattr(h2, name):
            setattr(h2, name, value)
        else:
            # h2 also has these counters, since the start of the VM.
            seen[name.replace("_seen", "")] = value
    return Observation(**seen)


class RulesTest(unittest.TestCase):
    def names(self, seen):
        return [finding.name for finding in rules.examine(seen)]

    def test_healthy(self):
        self.assertEqual(self.names(healthy()), [])

    def test_each_illness(self):
        for name, changes in {
            "no-hints": dict(moved=0, tagged=0, used=0),
            "pinned": dict(garbage=300 * MIB, labels=[Label(1, 40, 40, 600 * MIB, 300 * MIB, 300 * MIB)]),
            "kept-by-label": dict(regions=41, labels=[Label(1, 38, 0, 580 * MIB, 0, 0, [2]),
                                                      Label(2, 2, 2, 20 * MIB, 0, 0)]),
            "half-empty": dict(used=300 * MIB, regions=40),
            "moves-garbage": dict(garbage=300 * MIB, labels=[Label(rules.UNHINTED[0], 40, 40, 600 * MIB, 300 * MIB, 300 * MIB)]),
            "region-ends": dict(used=320 * MIB, labels=[Label(1, 38, 38, 300 * MIB, 300 * MIB, 0), Label(2, 2, 2, 20 * MIB, 0, 0)]),
            "small-labels": dict(used=100 * MIB, resident=100 * MIB, labels=[Label(i, 2, 2, 5 * MIB, 5 * MIB, 0) for i in range(20)]),
            "moves-nothing": dict(FREQUENT, transfers_seen=2),
            "many-transfers": dict(FREQUENT, transfers_seen=18, moved_seen=360 * MIB, grown=10 * MIB),
            "loading": dict(FREQUENT, transfers_seen=18, moved_seen=360 * MIB, grown=360 * MIB),
            "collections-read": dict(major_seconds=3.0, faults={"pauses": 500, "program": 10}),
            "h2-full": dict(regions=40, abandoned=3, last_error="H2 is full"),
            "h1-small": dict(least_old=320 * MIB, major_seconds=5.0),
            "thrashing": dict(waiting=1.5, major_faults=5000, device_read=9000 * MIB),
            "refers-to-h1": dict(major_seconds=3.0, major_count=2, read_for_references=1500 * MIB),
            "targets-move": dict(major_seconds=3.0, major_count=2, read_for_references=1500 * MIB, read_for_moves=1500 * MIB),
            "fits": dict(used=20 * MIB, moved=30 * MIB, least_old=20 * MIB, most_old=30 * MIB),
            "tmpfs": dict(file_system="tmpfs"),
            "network": dict(file_system="nfs4"),
            "copy-on-write": dict(file_system="zfs"),
            "mlockall": dict(unlocks=1),
        }.items():
            with self.subTest(name):
                self.assertEqual(self.names(healthy(**changes)), [name])
        self.assertEqual(self.names(healthy(h2=None)), ["no-h2"])

    def test_frequent_collections(self):
        def names(**changes):
            return self.names(healthy(**dict(FREQUENT, **changes)))
        self.assertEqual(names(transfers_seen=2, requested=True), [])
        self.assertEqual(names(transfers_seen=2, major_count=4), [])
        self.assertEqual(names(transfers_seen=2, major_seconds=0.9), [])
        self.assertEqual(names(transfers_seen=2, moves_unhinted=False), [])
        # The collections move nothing because H2 is full.
        full = healthy(**dict(FREQUENT, regions=40, last_error="H2 is full"))
        full.h2.abandoned = full.abandoned = 5
        self.assertEqual(self.names(full), ["h2-full"])
        # A log does not tell whether objects without hints may move.
        crowded = dict(major_seconds=5.0, least_old=320 * MIB)
        self.assertEqual(names(**crowded, transfers_seen=2, moves_unhinted=None), ["h1-small"])
        self.assertEqual(names(**crowded, transfers_seen=2), ["h1-small", "moves-nothing"])
        self.assertEqual(names(**crowded, transfers_seen=20, moved_seen=MIB, grown=MIB), ["h1-small"])
        self.assertIn("20 major collections took 14 % of 10 s. 18 of them moved something to H2, 20 MB each",
                      rules.loading(healthy(**FREQUENT, transfers_seen=18, moved_seen=360 * MIB, grown=360 * MIB)).evidence)

    def test_regions_that_are_nearly_empty(self):
        labels = [Label(i, 2, 2, 5 * MIB, 5 * MIB, 0) for i in range(20)]
        self.assertEqual(self.names(healthy(used=300 * MIB, labels=labels)), [])
        self.assertEqual(self.names(healthy(used=100 * MIB, resident=100 * MIB, labels=labels[:3])), [])
        self.assertEqual(self.names(healthy(used=100 * MIB, resident=100 * MIB, labels=labels, regions=1000)), [])
        # When free space is short, there is another finding instead.
        self.assertEqual(self.names(healthy(used=100 * MIB, resident=100 * MIB, labels=labels, regions=42)), ["half-empty"])

    def test_arrays_that_do_not_fill_regions(self):
        def seen(**changes):
            arrays = Label(7, 180, 180, 181 * MIB, 181 * MIB, 0)
            return healthy(**{"region_size": 2 * MIB, "regions": 200, "regions_in_use": 180, "used": 181 * MIB, "resident": 181 * MIB,
                              "labels": [arrays], **changes})
        # Whether or not free regions are short, labels are not blamed.
        for regions in (182, 200, 400):
            finding, = rules.examine(seen(regions=regions))
            self.assertEqual(finding.name, "region-ends")
            self.assertIn("177 MB at the ends of regions are unused. A region of label 7 has 1.0 MB on average", finding.evidence)
            self.assertIn("-XX:H2RegionSize=16m", finding.remedy)
        full = seen(regions=180, abandoned=3, last_error="H2 is full")
        self.assertEqual(self.names(full), ["region-ends"])
        # The report rounds what they use, and the array that refers to them is in a region of its own.
        self.assertEqual(self.names(seen(used=179 * MIB, labels=[Label(7, 180, 180, 179 * MIB, 0, 0)])), ["region-ends"])
        self.assertEqual(self.names(seen(used=178 * MIB, labels=[Label(7, 180, 180, 178 * MIB, 0, 0)])), ["region-ends"])
        # A small H2 needs several regions, so that one can stay free.
        small = seen(regions=40, regions_in_use=18, labels=[Label(7, 18, 18, 18 * MIB, 18 * MIB, 0)])
        self.assertIn("-XX:H2RegionSize=4m", rules.region_ends(small).remedy)
        self.assertIn("Raise -XX:H2Size", rules.region_ends(seen(regions=8, regions_in_use=8, labels=[
            Label(7, 8, 8, 8 * MIB, 8 * MIB, 0)])).remedy)
        # Many labels, few regions in use, and regions that are nearly full have other causes.
        many = [Label(i, 2, 2, MIB, MIB, 0) for i in range(90)]
        self.assertIsNone(rules.region_ends(seen(labels=many)))
        self.assertIsNone(rules.region_ends(seen(regions=1000)))
        self.assertIsNone(rules.region_ends(seen(labels=[Label(7, 180, 180, 300 * MIB, 0, 0)])))

    def test_faults_cost_although_no_thread_is_seen_to_wait(self):
        ill = dict(waiting=0.1, device_read=680 * MIB)
        finding, = rules.examine(healthy(major_faults=170_000, **ill))
        self.assertEqual(finding.name, "thrashing")
        self.assertIn("17000 page faults", finding.evidence)
        self.assertIn("The faults take 0.3 processors", finding.evidence)
        self.assertEqual(self.names(healthy(major_faults=100_000, **ill)), [])
        # All of H2 is in memory, so the faults are those of other files.
        self.assertEqual(self.names(healthy(major_faults=170_000, resident=600 * MIB, **ill)), [])

    def test_garbage_of_what_moved_without_a_hint(self):
        tagged, moved = Label(1, 20, 20, 300 * MIB, 0, 50 * MIB), Label(rules.UNHINTED[0], 20, 20, 300 * MIB, 0, 200 * MIB)
        self.assertEqual(self.names(healthy(garbage=250 * MIB, labels=[tagged, moved])), ["moves-garbage"])
        tagged.garbage, moved.garbage = 200 * MIB, 50 * MIB
        self.assertEqual(self.names(healthy(garbage=250 * MIB, labels=[tagged, moved])), ["pinned"])
        self.assertEqual(self.names(healthy(garbage=200 * MIB, labels=[moved])), [])

    def test_garbage_in_a_log(self):
        # A log has no labels, so the finding must not blame hints.
        finding, = rules.examine(healthy(garbage=300 * MIB, labels=[]))
        self.assertEqual(finding.name, "pinned")
        self.assertNotIn("Hints", finding.title)
        self.assertIn("If the program tags nothing, raise -Xmx", finding.remedy)

    def test_collections_that_read(self):
        self.assertEqual(self.names(healthy(major_seconds=3.0, faults={"pauses": 100, "program": 900})), [])
        self.assertEqual(self.names(healthy(major_seconds=0.5, faults={"pauses": 500})), [])
        self.assertIn("50 major page faults a second", rules.collections_read(healthy(major_seconds=3.0, faults={"pauses": 500})).evidence)

    def test_reads_ahead_of_single_objects(self):
        ill = dict(waiting=1.5, major_faults=5000, random_access=None, waited={1: 9.0, 2: 1.0})
        self.assertEqual(self.names(healthy(device_read=9000 * MIB, **ill)), ["reads-ahead", "thrashing"])
        self.assertEqual(self.names(healthy(device_read=9000 * MIB, reads={1: "random"}, **ill)), ["thrashing"])
        self.assertEqual(self.names(healthy(device_read=20 * MIB, **ill)), ["thrashing"])
        self.assertIn("90 % of the waits are for label 1", rules.reads_ahead(healthy(device_read=9000 * MIB, **ill)).evidence)

    def swapped(self, program, concurrent, **changes):
        return healthy(**{"h2": None, "g1": True, "swapped": 300 * MIB, "waiting": 0.8,
                          "faults": {"program": program, "concurrent": concurrent, "pauses": 0, "refinement": 0}, **changes})

    def test_swap(self):
        for names, seen in ((["collector-fetches"], self.swapped(100, 5000)),
                            (["marking-competes", "swap"], self.swapped(5000, 1000)),
                            (["swap"], self.swapped(5000, 10)), ([], self.swapped(100, 10)),
                            (["collector-fetches"], self.swapped(100, 5000, far=True, summaries=False))):
            self.assertEqual(self.names(seen), names, seen.faults)

    def test_far_memory_is_advised_where_it_helps(self):
        def remedy(**changes):
            return rules.collector_fetches(self.swapped(100, 5000, **changes)).remedy
        self.assertIn("Start a Terrace JDK with -XX:+UseFarMemory", remedy())
        self.assertIn("userfaultfd", remedy(far=True, summaries=False))
        self.assertIn("too much is written", remedy(far=True, summaries=True))
        self.assertIn("500", rules.collector_fetches(self.swapped(100, 5000)).evidence)

    def test_far_memory_is_advised_under_shenandoah(self):
        def seen(program, concurrent, **changes):
            return self.swapped(program, concurrent, g1=False, shenandoah=True, **changes)
        for finding in (rules.collector_fetches(seen(100, 5000)), rules.marking_competes(seen(5000, 1000))):
            self.assertIn("Start a Terrace JDK with -XX:+UseFarMemory", finding.remedy)
        self.assertIn("or use G1", rules.collector_fetches(seen(100, 5000, far=True)).remedy)
        self.assertNotIn("G1", rules.marking_competes(seen(5000, 1000, far=True)).remedy)

    def test_thrashing_names_labels(self):
        ill = dict(waiting=1.5, major_faults=5000, device_read=9000 * MIB)
        [finding] = rules.examine(healthy(waited={3: 1.0, 1: 9.0}, **ill))
        self.assertIn("for 10.0 s, summed over threads: 90 % label 1, 10 % label 3.", finding.evidence)
        [finding] = rules.examine(healthy(waited={1: 4.0, 2: 3.0, 3: 2.0, 4: 0.5, 5: 0.5}, **ill))
        self.assertIn("40 % label 1, 30 % label 2, 20 % label 3, the remainder 2 other labels.", finding.evidence)

    def test_a_full_heap_with_known_garbage_is_pinned(self):
        full = dict(regions=40, abandoned=3, last_error="H2 is full")
        self.assertEqual(self.names(healthy(garbage=150 * MIB, **full)), ["pinned"])
        self.assertEqual(self.names(healthy(garbage=60 * MIB, **full)), ["h2-full"])
        # With free space, this is left to the next marking.
        self.assertEqual(self.names(healthy(garbage=150 * MIB)), [])

    def test_a_node_is_no_device(self):
        seen = healthy(directory="memory of node 1", last_error="No memory left on the node")
        seen.h2.abandoned = seen.abandoned = 3
        [finding] = rules.examine(seen)
        self.assertIn("AllocateH2OnNode", finding.remedy)
        self.assertIsNone(from_vm.file_system(os.getpid(), "memory of node 1"))

    def test_the_device_fails(self):
        seen = healthy(last_error="Input/output error")
        seen.h2.abandoned = seen.abandoned = 3
        self.assertEqual(self.names(seen), ["transfers-fail"])
        self.assertIn("health of the device", rules.examine(seen)[0].remedy)
        # A failure before the observation does not count.
        seen.abandoned = 0
        self.assertEqual(self.names(seen), [])

    def test_a_program_that_starts_is_left_alone(self):
        self.assertEqual(self.names(healthy(uptime=20.0, moved=0, tagged=0, used=0)), [])
        self.assertEqual(self.names(healthy(uptime=20.0, used=20 * MIB, moved=20 * MIB, most_old=30 * MIB)), [])
        self.assertEqual(self.names(healthy(least_old=320 * MIB, minor_seconds=5.0, major_count=0)), [])
        self.assertEqual(self.names(healthy(major_seconds=3.0, major_count=0, read_for_references=1500 * MIB)), [])

    def test_a_full_h2_makes_h1_crowded(self):
        seen = healthy(least_old=330 * MIB, major_seconds=6.0, regions=40, last_error="H2 is full")
        seen.h2.abandoned = seen.abandoned = 5
        self.assertEqual(self.names(seen), ["h2-full"])

    def test_what_is_unknown_is_no_illness(self):
        self.assertEqual(self.names(Observation(seconds=1.0, h2=SecondHeap(moved=1))), [])
        for name in ("device_read", "anonymous", "limit", "max_heap", "resident", "most_old"):
            rules.examine(healthy(**{name: None}, waiting=2.0, major_faults=900, least_old=330 * MIB,
                                         major_seconds=6.0))

    def test_memory_goes_where_it_is_missing(self):
        ill = dict(waiting=2.0, major_faults=900)
        finding, = rules.examine(healthy(**ill, device_read=9 * MIB, most_old=50 * MIB, moved=900 * MIB))
        self.assertIn("an -Xmx of 125 MB instead of 512 MB", finding.remedy)
        self.assertNotIn("H2RandomAccess", finding.remedy)
        finding, = rules.examine(healthy(**ill, device_read=900 * MIB))
        self.assertNotIn("-Xmx", finding.remedy)
        self.assertIn("leave out -XX:-H2RandomAccess", finding.remedy)
        self.assertIn("of which 524 MB can hold pages): all of H2 needs 300 MB more", finding.remedy)
        finding, = rules.examine(healthy(**ill, device_read=900 * MIB, random_access=None))
        self.assertNotIn("H2RandomAccess", finding.remedy)

    def test_the_flag_for_random_access_may_be_unset(self):
        self.assertIsNone(from_vm.random_access("-XX:AllocateH2At=. -XX:+UseParallelGC"))
        self.assertTrue(from_vm.random_access("-XX:+H2RandomAccess -XX:+UseParallelGC"))
        self.assertFalse(from_vm.random_access("-XX:AllocateH2At=. -XX:-H2RandomAccess"))

    def test_the_page_names_evidence_and_remedy(self):
        seen = healthy(last_error="Input/output error")
        seen.abandoned = 3
        text = "\n".join(doctor.report(seen, rules.examine(seen)))
        self.assertIn("Input/output error", text)
        self.assertIn("1 finding.", text)
        self.assertIn("No problems were found", "\n".join(doctor.report(healthy(), [])))


class ReadingTest(unittest.TestCase):
    def test_garbage_is_unknown_before_a_marking(self):
        self.assertNotIn("garbage is not known", "\n".join(doctor.summary(healthy())))
        unknown = "\n".join(doctor.summary(healthy(garbage=None)))
        self.assertNotIn("0.0 MB known to be garbage", unknown)
        self.assertIn("garbage is not known before a marking through H2", unknown)
        new = REPORT.replace("1.5M known to be garbage", "garbage is not known").replace("Garbage is what", "Garbage is known after")
        new = new.replace("1.5     1%", "-       ").replace("0.0     0%", "-       ")
        h2 = from_vm.parse_h2(new)
        self.assertIsNone(h2.garbage)
        self.assertEqual([(label.label, label.garbage, label.holders, label.waited) for label in h2.labels],
                         [(7, 0, [-3, 8], 12.5), (-3, 0, [], None)])

    def test_the_collection_of_objects_comes_first(self):
        self.assertIsNone(from_vm.parse_h2(REPORT).freed)
        h2 = from_vm.parse_h2(REPORT.replace("H2 in /fast", "A major collection came first, and freed 12 regions of H2. The report "
                                                            "shows H2 after it\nH2 in /fast"))
        self.assertEqual((h2.freed, h2.regions_in_use), (12, 12))
        self.assertIn("which freed 12 regions before", "\n".join(doctor.summary(Observation(seconds=1.0, h2=h2))))

    def test_the_report_of_the_vm(self):
        h2 = from_vm.parse_h2(REPORT)
        self.assertEqual((h2.directory, h2.regions_in_use, h2.regions, h2.region_size),
                         ("/fast/disk: with colon", 12, 64, 16 * MIB))
        self.assertEqual((h2.used, h2.resident, h2.garbage), (int(180.5 * MIB), 90 * MIB, int(1.5 * MIB)))
        self.assertEqual((h2.tagged, h2.transfers, h2.abandoned, h2.last_error, h2.moved),
                         (3, 40, 2, "No space left on device", 1183 * MIB))
        self.assertEqual(h2.read_by_collections, 361 * MIB)
        self.assertEqual(h2.reread, 150.5 * MIB)
        self.assertEqual([(label.label, label.held, label.holders, label.waited) for label in h2.labels],
                         [(7, 0, [-3, 8], 12.5), (-3, 2, [], None)])
        self.assertEqual(h2.reads, {-3: "random", 7: "sequential"})

    def test_the_report_of_a_locked_program(self):
        self.assertEqual(from_vm.parse_h2(REPORT).unlocks, 0)
        locked = REPORT.replace("Read by", "Locked by the program (mlockall), and unlocked: 2 times\nRead by")
        self.assertEqual(from_vm.parse_h2(locked).unlocks, 2)

    def test_the_report_of_an_older_vm(self):
        without_share = REPORT.replace("  of it", "").replace("     1%", "").replace("     0%", "")
        self.assertEqual(from_vm.parse_h2(without_share), from_vm.parse_h2(REPORT))
        older = without_share.replace("  waited, s", "").replace("          1.5       12.5", "          1.5").replace("0.0          -", "0.0")
        self.assertEqual([(label.label, label.held, label.garbage, label.holders, label.waited)
                          for label in from_vm.parse_h2(older).labels],
                         [(7, 0, int(1.5 * MIB), [-3, 8], None), (-3, 2, 0, [], None)])

    def test_waits_of_labels(self):
        def heap(**waited):
            return SecondHeap(labels=[Label(int(name[1:]), 1, 1, 1, 1, 0, waited=seconds) for name, seconds in waited.items()])
        self.assertEqual(from_vm.waited(heap(l1=2.5, l2=1.0, l4=7.0), heap(l1=4.0, l2=1.0, l3=0.7)), {1: 1.5, 3: 0.7})
        self.assertEqual(from_vm.waited(heap(l1=None), heap(l1=None)), {})

    def test_old_generation_over_time(self):
        text = " S0C    S1C    OC         OU       MC  \n512.0  512.0  87552.0    1024.5   1.0\n512.0  512.0  875"
        self.assertEqual(from_vm.old_of(text), [1049088])
        self.assertEqual(from_vm.old_of(""), [])

    def test_a_vm_without_h2(self):
        self.assertIsNone(from_vm.parse_h2("4711:\njava.lang.IllegalArgumentException: Unknown diagnostic command\n"))
        self.assertIsNone(from_vm.parse_h2("4711:\nH2 is off: start with -XX:AllocateH2At=DIR\n"))

    def test_a_log(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "gc.log")
            log.write_text("""\
[0.005s][info][gc,h2] H2: /disk, 256M in 16 regions of 16M, compressed oops on
[0.005s][info][gc,init] Heap Max Capacity: 128M
[4.000s][info][gc,h2       ] Marked through H2: 60M reachable of 240M in live regions, 180M garbage, 0K of it filled; mark with H1 1.0ms, fill 0.0ms
[4.000s][warning][gc,h2    ] H2 transfer abandoned: H2 is full; objects stay in H1
[4.100s][info][gc,h2       ] H2: 240M used, 0 of 16 regions free
[4.104s][info][gc,heap     ] GC(12) ParOldGen: 25000K(90112K)->24000K(90112K)
[4.104s][info][gc          ] GC(12) Pause Full (Second Heap Transfer) 29M->26M(408M) 100.000ms
""")
            seen = from_log.observe(log)
        self.assertEqual((seen.h2.garbage, seen.h2.regions_in_use, seen.abandoned), (180 * MIB, 16, 1))
        self.assertEqual((seen.max_old, seen.least_old, seen.major_count), (90112 << 10, 24000 << 10, 1))
        self.assertEqual((seen.max_heap, seen.uptime), (128 * MIB, 4.104))
        # The known garbage in H2 does not count as growth. The only full collection was requested.
        self.assertEqual((seen.transfers, seen.moved, seen.grown, seen.requested), (0, 0, 60 * MIB, True))
        self.assertEqual([finding.name for finding in rules.examine(seen)], ["pinned"])


class ProcessTest(unittest.TestCase):
    def refusal(self, pid, user=None):
        with mock.patch.object(os, "geteuid", lambda: os.getuid() if user is None else user):
            with self.assertRaises(Failure) as refused:
                from_vm.home_of(pid)
        return str(refused.exception)

    def test_no_process(self):
        self.assertIn("there is no process", self.refusal(1 << 30))

    def test_a_process_that_may_not_be_inspected(self):
        # As in a container, where the system refuses this even to root.
        with mock.patch.object(os, "readlink", side_effect=PermissionError):
            with mock.patch.object(Path, "stat", lambda *_: os.stat_result([0] * 4 + [4711] + [0] * 5)):
                self.assertIn("belongs to another user: run this as that user, or as root", self.refusal(os.getpid(), 4712))
                self.assertIn("may not be inspected, not even by root", self.refusal(os.getpid(), 0))
                self.assertIn("may not be inspected, not even by its user", self.refusal(os.getpid(), 4711))

    def test_a_thread_of_the_kernel(self):
        with mock.patch.object(os, "readlink", side_effect=FileNotFoundError):
            self.assertIn("is not a Java process", self.refusal(os.getpid()))


class FileSystemTest(unittest.TestCase):
    def test_a_root_whose_mount_is_not_listed_as_in_a_chroot(self):
        with mock.patch.object(from_vm.machine, "mount_of", lambda *_: None):
            self.assertIsNone(from_vm.file_system(os.getpid(), "/tmp"))


if __name__ == "__main__":
    unittest.main()
