# SPDX-License-Identifier: GPL-2.0-or-later
"""Another world of Ultra Ethernet: packet delivery contexts between two hosts.

Written from the reference alone, as world.py, without a line of the simulator
or of fabscope.  What hosts do is in uet_host.py; here is what lies between them,
and what is known when all is over: by flow (src, dst, number of the sender's
context, or of the job) which packets were lost, trimmed or sent for nothing, and
which of these losses can be known at the tap, because somebody told of them."""
import collections
import copy
import struct

import fabric
import uet_host as host
import uet_wire as wire
import world

SHARED = ("rate", "near", "far", "tick", "ip_id", "snaplen", "v6", "vlan")
ALWAYS, HOLES, SOME, NEVER = "always", "at holes", "now and then", "never"
EACH, OLDEST, ALL = "each", "oldest", "all"

HABITS = {
    **{k: world.HABITS[k] for k in SHARED},
    # what is sent
    "mode": (wire.RUD, wire.RUD, wire.ROD), "contexts": (1, 2, 4),
    "lives": (1, 1, 3), "packets": (40, 150, 400), "mtu": (64, 256, 1024),
    "message": (1, 2, 7, 64), "op": (wire.WRITE, wire.SEND, wire.TAGGED,
                                     wire.READ, None),
    "form": (wire.SMALL, wire.MEDIUM, wire.STD), "reads_in_ack": (True, False),
    "window": (8, 32, 128, 512), "pause": (0, 0, 5000, 200_000),
    "towards_us": (True, False, False), "both_start": (True, False),
    # how it is written down
    "native": (True, False, False), "crc": ("right", "right", "little", "zero"),
    "tss": (None,), "start": ("any", "any", "wrap", "half", "zero"),
    "same_start": (True, False), "same_ids": (True, True, False),
    "clear": ("true", "true", "before", "zero"), "cc": (True, False, False),
    "ect": (1, 2), "paths": (1, 1, 4, 16), "skew": (0, 300, 3000, 30000),
    "jitter": (0, 0, 100, 2000), "trim_to": ("least", "least", 64, 128),
    "trimmed_dscp": (10, 1, 44),
    # receivers
    "ack": (wire.ACK, wire.ACK_CC, wire.ACK_CC, wire.ACK_CCX),
    "sack": (ALWAYS, HOLES, SOME), "base": ("cack", "next", "eight", "ack"),
    "ack_every": (1, 1, 2, 4, 16), "ack_wait": (5000, 50_000),
    "ack_disorder": (True, True, False), "service": (0, 500, 5000),
    "guards": (True,) + 5 * (False,), "mpr": (0, 4), "discards": (True, False),
    "ooo": ("each", "once", "once", "never"), "lasthop": (True, False),
    "infers": ("never", "never", "once", "each"), "hurries": (False,),
    "answers": ("default", "null", "response", "none"),
    "answers_again": ("null", "as before"), "echoes": (True, False),
    # senders
    "ask": ("last", "last", "every 4th", "never"), "ask_again": (True, False),
    "reaction": (1000, 20_000, 200_000), "hears_nacks": (True, True, False),
    "hears_sack": (True, True, False), "disorder": (3, 16, 64),
    "timers": (EACH, OLDEST, ALL), "timeout": (500_000, 5_000_000, 50_000_000),
    "doubles": (True, False), "hasty": (True,) + 4 * (False,),
    "asks_first": (True,) + 3 * (False,), "probes": (0, 0, 0.05),
    "noops": (0, 0, 0.05), "clears": (0, 0.02), "repaths": (True, False),
    "rudi_flag": (True, False), "rudi_ids": ("count", "random"),
    "closes": ("initiator", "initiator", "target", "target's ack", "never"),
    "refused": (0, 0, 0, 2), "gap": (1000, 100_000, 2_000_000),
    # the tap
    "one_way": (None,), "one_link": (False,), "begins": (0,), "ends": (1,),
}


class Datagram(fabric.Parcel):
    """|told|: numbers of the other direction whose absence it tells; |trims|:
    what it says was trimmed."""

    def __init__(self, src, dst, path, data, world, **what):
        self.control = what.pop("control", False)
        self.again = what.pop("again", False)
        self.told, self.trims = what.pop("told", ()), what.pop("trims", None)
        super().__init__(src, dst, wire.IP_PROTOCOL if world.native else
                         fabric.UDP, data, **what)
        self.path, self.hops = path, 0
        self.trimmed = self.marked = None  # at which hop
        self.is_copied = False             # by the mirror


class World(fabric.Fabric):
    chances = fabric.CHANCES + ("trims_near", "trims_far", "busy", "marks")

    def __init__(self, seed, **wanted):
        super().__init__(seed, HABITS, **wanted)
        self.make_live()
        self.busy_until = {}
        self.skews = [[self.dice.randrange(self.skew + 1)
                       for _ in range(self.paths)] for _ in range(2)]
        self.seen = []
        self.spurious = collections.Counter()
        self.expired = collections.defaultdict(list)
        self.tsc, self.keys = collections.Counter(), set()

    def make_live(self):
        """Habits that only make sense together."""
        own = self.is_like
        if own["mode"] == wire.ROD:
            own["paths"] = 1
            if own["discards"]:
                own["timers"] = ALL
        else:
            own["discards"] = False
        if own["ack"] == wire.ACK:
            own["hears_sack"] = own["hears_sack"] and own["ack_every"] == 1
        if own["op"] not in (wire.READ, None) or own["mtu"] > 256:
            own["reads_in_ack"] = False
        if own["reads_in_ack"]:
            own["guards"] = True
        if own["guards"]:
            own["clear"] = "true"
        round_trip = (2 * (own["near"] + own["far"] + own["skew"] * 2 +
                           own["jitter"]) + own["service"] + own["ack_wait"] +
                      own["window"] * (own["mtu"] + 120) * 8e9 / own["rate"])
        self.patience = own.get("patience") or int(2 * round_trip)
        if not own["hurries"]:
            own["timeout"] = max(own["timeout"], 3 * self.patience)

    # ---- between the hosts ----

    def loses(self, parcel, side):
        hop, parcel.hops = parcel.hops, parcel.hops + 1
        if parcel.trimmed is None and not parcel.control:
            trims = (self.trims_near, self.trims_far)[side]
            if not parcel.answer and self.chance(trims) and \
                    len(parcel.data) > self.kept():
                parcel.trimmed = hop
            elif parcel.marked is None and self.chance(self.marks):
                parcel.marked = hop
        return parcel.trimmed is None and super().loses(parcel, side)

    def crosses(self, parcel, side, begins):
        """Nobody overtakes on the same path."""
        path = parcel.path % self.paths
        way = parcel.src, side, path
        ends = (super().crosses(parcel, side, begins) + self.skews[side][path] +
                self.dice.randrange(self.jitter + 1))
        ends = max(ends, self.busy_until.get(way, 0) + 1)
        self.busy_until[way] = ends
        return ends

    def kept(self):
        """So much is left of what is behind the IP header."""
        least = 20 if self.native else 24
        if self.trim_to == "least":
            return least
        return max(self.trim_to - (40 if self.v6 else 20) - 14, least)

    # ---- the tap ----

    def is_seen(self, parcel, passes):
        if self.one_way and self.one_way != parcel.src:
            return 0
        if self.one_link and parcel.path % self.paths:
            return 0
        copies = super().is_seen(parcel, passes)
        if copies:
            parcel.is_copied = True
            self.seen.append((passes, parcel))
        return copies

    def cut(self):
        """The capture begins late, or ends early."""
        times = [f[0] for f in self.frames]
        first, last = min(times), max(times)
        self.since = first + (last - first) * self.begins
        until = first + (last - first) * self.ends
        self.frames = [f for f in self.frames if self.since <= f[0] <= until]
        self.seen = [s for s in self.seen if self.since <= s[0] <= until]

    # ---- what can be known ----

    def told_of(self):
        """By flow, as they passed the tap: numbers sent again, those whose
        absence was told of; how often what was trimmed, and how often only the
        receiver said so."""
        again, told = (collections.defaultdict(set) for _ in range(2))
        near, far = collections.Counter(), collections.Counter()
        for _, parcel in self.seen:
            if parcel.again:
                again[parcel.key].add(parcel.number)
            told[parcel.key].update(parcel.told)
            of = parcel.trims
            near[parcel.key] += parcel.trimmed == 0
            far[parcel.key] += bool(of) and not (of.trimmed == 0 and
                                                 of.is_copied)
        return again, told, near, far

    def may_be_late(self):
        """By flow, numbers that were seen and then missed by name, but never
        for longer than packets differ by behind the tap, by a receiver that
        need not answer when a late one comes: had it come before its copy,
        the capture would be the same."""
        may = collections.defaultdict(set)
        if self.ack_every == 1 or self.ack_disorder or self.guards:
            return may
        passed, told = {}, {}
        for when, parcel in self.seen:
            if parcel.number is not None and not parcel.again:
                passed.setdefault((parcel.key, parcel.number), when)
            told.update({(parcel.key, n): when for n in parcel.told})
        for (key, number), when in passed.items():
            side = int(key[0] < key[1])
            differ = max(self.skews[side]) - min(self.skews[side])
            least = 2 * (self.near, self.far)[side] + self.service
            if told.get((key, number), when) - when < \
                    least + 2 * (differ + self.jitter):
                may[key].add(number)
        return may

    # ---- octets ----

    def datagram(self, src, dst, ev, packet, **what):
        """|packet| begins with its PDS header."""
        tss = self.security(src) if self.tss else b""
        if tss:
            packet = self.dice.randbytes(len(packet))
        trailer = 16 if tss else 4
        if self.native:
            head = struct.pack("!HH", ev, 0)
        else:
            head = struct.pack("!HHHH", ev, wire.PORT,
                               8 + len(tss) + len(packet) + trailer, 0)
        data = head + tss + packet
        made = Datagram(src, dst, ev, data, self, **what)
        made.data += self.dice.randbytes(16) if tss else self.checksum(made)
        return made

    def checksum(self, parcel):
        if self.crc == "zero" or self.snaplen < 20 + len(parcel.data):
            return bytes(4)
        sum_of = wire.crc32c(self.addresses(parcel) + parcel.data)
        return sum_of.to_bytes(4, "little" if self.crc == "little" else "big")

    def security(self, src):
        self.tsc[src] += 1
        source = struct.pack("!I", 0x0a070000 | src) if self.tss == 2 else b""
        return struct.pack("!I", 1 << 27 | (self.tss == 2) << 26 | 0x102) + \
            source + struct.pack("!Q", 3 << 48 | 1000 + self.tsc[src])

    def frame(self, parcel):
        dscp, ecn = ((46, 0) if parcel.answer or parcel.control else
                     (0, self.ect))
        if parcel.marked == 0 and ecn:
            ecn = 3
        if parcel.trimmed == 0:
            parcel = copy.copy(parcel)
            parcel.data = parcel.data[:self.kept()]
            dscp = self.trimmed_dscp
        ip, _ = self.headers(parcel, dscp << 2 | ecn)
        return self.link(parcel) + ip + parcel.data


def make(seed, path, **wanted):
    """A world that has come to its end, its capture written; and its flows."""
    world_ = World(seed, **wanted)
    dice = world_.dice
    kind = host.KINDS[world_.mode]
    for i in range(world_.contexts):
        ways = [(2, 1) if world_.towards_us else (1, 2)]
        if world_.both_start and i % 2:
            ways = [ways[0][::-1]]
        world_.at(dice.randrange(1000), kind(world_, *ways[0], 200 + i).begin)
    world_.run()
    world_.cut()
    world_.write(path)
    return world_, sorted(world_.keys)
