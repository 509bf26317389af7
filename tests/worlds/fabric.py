# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hosts, what lies between them, and one tap there; no transport.

A packet crosses one side, passes the tap, and crosses the other side; on each
side it may get lost, and the mirror may miss it or make two of it.  The truth
is what happened, by flow: numbers lost before the tap and behind it, and timers
that ran out.  Times are nanoseconds, losses are chances a packet."""
import collections
import heapq
import random
import struct

BEGIN = 1_700_000_000_000_000_000
NEAR, FAR = 0, 1
UDP = 17

CHANCES = ("lost_near", "lost_far", "answers_lost", "not_copied", "doubled",
           "late_near", "late_far")

# A packet number that was lost; |first|: not a copy of what had been sent.
Loss = collections.namedtuple("Loss", "number first ns")


class Parcel:
    """What travels: |data| is all behind the IP header; |key| and |number| say
    what it is in the truth, |answer| that it is none of it."""

    def __init__(self, src, dst, protocol, data, key=None, number=None,
                 answer=False, first=True):
        self.src, self.dst, self.protocol = src, dst, protocol
        self.data, self.key, self.number = data, key, number
        self.answer, self.first = answer, first


class Fabric:
    """|habits| is what a world is like, drawn from its seed, except what the
    caller wants."""
    chances = CHANCES
    ends_ns, most_events = 60e9, float("inf")
    hops = 64

    def __init__(self, seed, habits, **wanted):
        self.dice = random.Random(seed)
        self.is_like = {k: self.dice.choice(v) for k, v in habits.items()}
        self.is_like.update(dict.fromkeys(self.chances, 0))
        self.is_like.update(wanted)
        self.agenda, self.now, self.turn, self.next_id = [], 0, 0, 0
        self.frames = []
        self.before = collections.defaultdict(list)
        self.behind = collections.defaultdict(list)
        self.timeouts = collections.Counter()

    def __getattr__(self, name):
        try:
            return self.__dict__["is_like"][name]
        except KeyError:
            raise AttributeError(name) from None

    def chance(self, share):
        return share and self.dice.random() < share

    # ---- what happens when ----

    def at(self, when, what, *args):
        self.turn += 1
        heapq.heappush(self.agenda, (when, self.turn, what, args))

    def run(self):
        while (self.agenda and self.now < self.ends_ns and
               self.turn < self.most_events):
            self.now, _, what, args = heapq.heappop(self.agenda)
            what(*args)

    # ---- from host to host ----

    def loses(self, parcel, side):
        if parcel.answer:
            return self.chance(self.answers_lost / 2)
        return self.chance((self.lost_near, self.lost_far)[side])

    def crosses(self, parcel, side, begins):
        """When |parcel| has crossed |side|."""
        return begins + (self.near, self.far)[side]

    def travel(self, parcel, arrive):
        """One packet; |arrive| is called when it has come."""
        sides = (NEAR, FAR) if parcel.src < parcel.dst else (FAR, NEAR)
        loss = Loss(parcel.number, parcel.first, self.now)
        lost = [self.loses(parcel, side) for side in sides]
        passes = self.crosses(parcel, sides[0], self.now)
        if not parcel.answer and self.chance(self.late_near):
            passes += self.dice.randrange(1, self.late_by)
        if lost[0]:
            if not parcel.answer:
                self.before[parcel.key].append(loss)
            return
        self.is_seen(parcel, passes)
        if not lost[1]:
            comes = self.crosses(parcel, sides[1], passes)
            if not parcel.answer and self.chance(self.late_far):
                comes += self.dice.randrange(1, self.late_by)
            self.at(comes, arrive)
        elif not parcel.answer:
            self.behind[parcel.key].append(loss)

    # ---- the tap ----

    def is_seen(self, parcel, passes):
        """Returns how many copies the mirror made."""
        frame = self.frame(parcel)
        delays = self.mirrored()
        for late in delays:
            self.frames.append((passes + late, len(self.frames), frame))
        return len(delays)

    def mirrored(self):
        """How late each copy is that the mirror makes of a packet."""
        if self.chance(self.not_copied):
            return []
        return [0] + ([self.dice.randrange(200, 20000)]
                      if self.chance(self.doubled) else [])

    # ---- octets ----

    def identification(self, parcel):
        if self.ip_id == "count":
            self.next_id = (self.next_id + 1) & 0xffff
        elif self.ip_id == "random":
            self.next_id = self.dice.randrange(65536)
        return self.next_id

    def addresses(self, parcel):
        """Both addresses, as they are in the header."""
        if self.v6:
            return b"".join(bytes([0xfd] + [0] * 14 + [h])
                            for h in (parcel.src, parcel.dst))
        return bytes((10, 7, 0, parcel.src, 10, 7, 0, parcel.dst))

    def headers(self, parcel, tos, length=None):
        """The IP header, and the same with all masked that is changed on the
        way; |length|: of the data, where the parcel has only its begin."""
        ends, length = self.addresses(parcel), length or len(parcel.data)
        if self.v6:
            return tuple(struct.pack("!IHBB", 6 << 28 | traffic, length,
                                     parcel.protocol, hops) + ends
                         for traffic, hops in ((tos << 20, self.hops),
                                               (0xfffffff, 255)))
        ident = self.identification(parcel)

        def header(tos, ttl, checksum):
            return struct.pack("!BBHHHBBH", 0x45, tos, 20 + length, ident,
                               0x4000, ttl, parcel.protocol, checksum) + ends
        total = sum(struct.unpack("!10H", header(tos, self.hops, 0)))
        total = (total & 0xffff) + (total >> 16)
        total = (total & 0xffff) + (total >> 16)
        return (header(tos, self.hops, ~total & 0xffff),
                header(0xff, 255, 0xffff))

    def link(self, parcel):
        tag = b"\x81\x00\x60\x05" if self.vlan else b""
        return (bytes([2, 0, 0, 0, 0, parcel.dst, 2, 0, 0, 0, 0, parcel.src]) +
                tag + (b"\x86\xdd" if self.v6 else b"\x08\x00"))

    def frame(self, parcel):
        raise NotImplementedError

    def write(self, path):
        self.write_frames(path, self.frames)

    def write_frames(self, path, frames):
        """|frames|: time, turn, bytes; and how long it was, if these are only
        its begin."""
        magic = 0xa1b23c4d if self.tick == 1 else 0xa1b2c3d4
        with open(path, "wb") as f:
            f.write(struct.pack("<IHHiIII", magic, 2, 4, 0, 0, self.snaplen, 1))
            for ns, _, frame, *length in sorted(frames):
                ns = int(ns) + BEGIN
                kept = frame[:self.snaplen]
                f.write(struct.pack("<IIII", ns // 10**9,
                                    ns % 10**9 // self.tick, len(kept),
                                    *(length or [len(frame)])) + kept)
