# SPDX-License-Identifier: GPL-2.0-or-later
"""Another world: queue pairs between two hosts, and one tap between these.

Written from the InfiniBand text alone, without a line of the simulator or of
fabscope, and with habits that neither has: receivers that complain about every
packet, windows of eight packets, senders that never ask for an answer, clocks of
microseconds, identifications that are zero or random, ICRCs that are zero."""
import struct
import zlib

import fabric

LAST, EVERY_4TH, NEVER = "last", "every 4th", "never"
WRITE, SEND, WRITE_IMM = "write", "send", "write with immediate"
# Only, First, Middle, Last
OPCODES = {WRITE: (0x0a, 0x06, 0x07, 0x08), SEND: (0x04, 0x00, 0x01, 0x02),
           WRITE_IMM: (0x0b, 0x06, 0x07, 0x09)}
WITH_RETH = (0x0a, 0x0b, 0x06)
WITH_IMMEDIATE = (0x0b, 0x09)
ACKNOWLEDGE, SEQUENCE_ERROR = 0x11, 0x60
MASK = 0xffffff

HABITS = {
    "pairs": (1, 1, 2, 4, 8), "mtu": (256, 1024, 4096),
    "rate": (1e9, 10e9, 100e9), "near": (500, 5000, 50000),
    "far": (500, 5000, 50000), "window": (8, 32, 128),
    "message": (1, 2, 7, 64), "answer_every": (0, 1, 4, 16),
    "ask": (LAST, EVERY_4TH, NEVER), "reaction": (2000, 50000, 500000),
    "timeout": (4_000_000, 16_000_000, 67_000_000),
    "counts_messages": (True, True, False), "has_icrc": (True, False),
    "credit": (31, 31, 10, 0), "tick": (1, 1000),
    "ip_id": ("zero", "count", "random"), "op": (WRITE, SEND, WRITE_IMM),
    "packets": (300, 2000), "snaplen": (65535, 128), "v6": (True,) + 6 * (False,),
    "vlan": (True,) + 4 * (False,), "towards_us": (True,) + 4 * (False,),
    "pause": (0, 0, 20_000, 1_000_000), "both_ways": (True, False),
    "selective": (True, False, False), "complains": (True,) + 6 * (False,),
    "late_by": (1000, 10000),
}


class World(fabric.Fabric):
    def __init__(self, seed, **wanted):
        super().__init__(seed, HABITS, **wanted)
        self.make_live()

    def make_live(self):
        """A sender that waits for what nobody asked for waits for ever."""
        own = self.is_like
        often = 0 < 2 * own["answer_every"] <= own["window"]
        if own["ask"] == NEVER and not often:
            own["ask"] = LAST
        if own["ask"] == LAST and own["message"] > own["window"] and not often:
            own["ask"] = EVERY_4TH

    def frame(self, parcel):
        """The last four octets of |parcel.data| are left for the ICRC."""
        ip, masked = self.headers(parcel, 0x6a)
        packet = parcel.data[:-4]
        icrc = icrc_of(masked, packet) if self.has_icrc else 0
        return self.link(parcel) + ip + packet + struct.pack("<I", icrc)


def icrc_of(masked_ip, packet):
    """|packet| begins with its UDP header."""
    masked = bytearray(packet)
    masked[6:8] = b"\xff\xff"
    masked[12] = 0xff
    return zlib.crc32(8 * b"\xff" + masked_ip + bytes(masked))


def bth(opcode, qp, psn, asks=False):
    return struct.pack("!BBHII", opcode, 0x40, 0xffff, qp,
                       asks << 31 | psn & MASK)


class QueuePair:
    """A requester, and the responder that it talks to."""

    def __init__(self, world, src, dst, own, peer, sport):
        self.world, self.src, self.dst = world, src, dst
        self.own, self.peer, self.sport = own, peer, sport
        self.key = (src, dst, peer)
        dice = world.dice
        self.start = dice.choice((dice.randrange(1 << 24),
                                  (1 << 24) - dice.randrange(1, 200)))
        # requester
        self.unanswered, self.next, self.again = 0, 0, []
        self.sent, self.timer, self.busy, self.free_at = set(), 0, False, 0
        # responder
        self.wants, self.has, self.named = 0, set(), None
        self.answered, self.asked, self.messages = 0, -1, 0

    def parcel(self, forth, packet, psn, first=True):
        ends = (self.src, self.dst) if forth else (self.dst, self.src)
        data = struct.pack("!HHHH", self.sport, 4791, 12 + len(packet), 0)
        return fabric.Parcel(*ends, fabric.UDP, data + packet + bytes(4),
                             self.key, psn & MASK, not forth, first)

    # ---- requester ----

    def go_on(self):
        if not self.busy:
            self.busy = True
            self.world.at(max(self.world.now, self.free_at), self.send)

    def choose(self):
        world = self.world
        if self.again:
            return self.again.pop(0)
        if (self.next < world.packets and
                self.next - self.unanswered < world.window):
            self.next += 1
            return self.next - 1
        return None

    def send(self):
        world = self.world
        self.busy = False
        i = self.choose()
        if i is None:
            return
        place = i % world.message
        ends = place == world.message - 1 or i == world.packets - 1
        opcode = OPCODES[world.op][(0 if ends else 1) if place == 0 else
                                   (3 if ends else 2)]
        asks = {LAST: ends, EVERY_4TH: ends or i % 4 == 3,
                NEVER: False}[world.ask]
        packet = bth(opcode, self.peer, self.start + i, asks)
        if opcode in WITH_RETH:
            packet += struct.pack("!QII", i << 16, 0x1234,
                                  world.mtu * min(world.message,
                                                  world.packets - i))
        if opcode in WITH_IMMEDIATE:
            packet += struct.pack("!I", i)
        packet += bytes([i & 255]) * world.mtu
        first = i not in self.sent
        self.sent.add(i)
        world.travel(self.parcel(True, packet, self.start + i, first),
                     lambda: self.receive(i, asks))
        self.free_at = (world.now + int(len(packet) * 8e9 / world.rate) + 1 +
                        world.pause * (ends and first))
        self.wind_up()
        self.go_on()

    def wind_up(self):
        self.timer += 1
        self.world.at(self.world.now + self.world.timeout, self.expire,
                      self.timer)

    def expire(self, timer):
        if timer != self.timer or self.unanswered >= self.next:
            return
        self.world.timeouts[self.key] += 1
        self.go_back(self.unanswered)
        self.wind_up()

    def go_back(self, i):
        if not self.unanswered <= i < self.next:
            return
        if self.world.selective:
            self.again = [i]
        else:
            self.next = i
        self.go_on()

    def hear(self, wants, complaint):
        if wants > self.unanswered:
            self.unanswered = wants
            self.wind_up()
        self.next = max(self.next, self.unanswered)
        if complaint and wants >= self.unanswered:
            self.world.at(self.world.now + self.world.reaction, self.go_back,
                          wants)
        self.go_on()

    # ---- responder ----

    def receive(self, i, asks):
        keeps = self.world.selective
        if i < self.wants:
            self.answer(False)
        elif i > self.wants and not keeps:
            self.complain(again=self.world.complains)
        else:
            self.has.add(i)
            if asks:
                self.asked = max(self.asked, i)
            self.take_in()
            if keeps and self.has:
                self.complain(again=False)

    def take_in(self):
        world = self.world
        took = False
        while self.wants in self.has:
            self.has.discard(self.wants)
            self.messages += (self.wants % world.message == world.message - 1
                              or self.wants == world.packets - 1)
            self.wants += 1
            took = True
        if self.named is not None and self.wants > self.named:
            self.named = None
        every = world.answer_every
        if took and (self.answered <= self.asked < self.wants or
                     self.wants == world.packets or
                     every and self.wants - self.answered >= every):
            self.answer(False)

    def complain(self, again):
        if again or self.named != self.wants:
            self.named = self.wants
            self.answer(True)

    def answer(self, complaint):
        world, wants = self.world, self.wants
        self.answered = wants
        psn = self.start + wants - (not complaint)
        messages = self.messages if world.counts_messages else 0
        syndrome = SEQUENCE_ERROR if complaint else world.credit
        packet = (bth(ACKNOWLEDGE, self.own, psn) +
                  struct.pack("!I", syndrome << 24 | messages & MASK))
        world.travel(self.parcel(False, packet, psn),
                     lambda: self.hear(wants, complaint))


def make(seed, path, **wanted):
    """A world that has come to its end, its capture written; and its flows."""
    world = World(seed, **wanted)
    dice, qps = world.dice, []
    for _ in range(world.pairs):
        a, b = dice.randrange(16, 1 << 24), dice.randrange(16, 1 << 24)
        sport = dice.randrange(49152, 65536)
        ways = [(2, 1, b, a)] if world.towards_us else [(1, 2, a, b)]
        if world.both_ways:
            ways = [(1, 2, a, b), (2, 1, b, a)]
        qps += [QueuePair(world, *way, sport) for way in ways]
    for qp in qps:
        world.at(dice.randrange(1000), qp.go_on)
    world.run()
    world.write(path)
    return world, [qp.key for qp in qps]
