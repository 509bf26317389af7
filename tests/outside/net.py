# SPDX-License-Identifier: GPL-2.0-or-later
"""Events, cables, switches and the links of hosts: packets in a small fabric.

Times are nanoseconds, speeds Gbit/s (bits per nanosecond), sizes bytes.  All
chance is of |Sim.dice|, seeded by strings: the same world is the same bytes."""
import collections
import heapq
import random
import struct
import zlib

CTRL, DATA = 6, 3               # priorities
FRAMING = 24                    # preamble, FCS and gap between frames
PAUSE = "pause"                 # the operation of a PFC frame
PLAIN = "plain"                 # of what is no RDMA
MOST_EVENTS = 6_000_000


class Sim:
    def __init__(self, seed):
        self.seed, self.now, self.heap, self.order = seed, 0.0, [], 0
        self.packets = 0
        # what happened, for the truth
        self.drops, self.retransmitted, self.trims = [], [], []
        self.naks, self.rnr_naks, self.pauses, self.marks = 0, 0, 0, 0
        self.timeouts = 0

    def dice(self, what):
        return random.Random(f"{self.seed} {what}")

    def at(self, when, call, *args):
        self.order += 1
        heapq.heappush(self.heap, (when, self.order, call, args))

    def run(self, until, is_over=lambda: False):
        while self.heap and not is_over():
            when, _, call, args = heapq.heappop(self.heap)
            if when > until or self.order > MOST_EVENTS:
                return
            self.now = when
            call(*args)


class Packet:
    """|rel|: PSN since the first of its queue pair; |pair|: who receives it."""
    __slots__ = ("src", "dst", "op", "pair", "rel", "psn", "payload", "asks",
                 "syndrome", "msn", "reth", "immediate", "prio", "ecn", "size",
                 "ip_id", "sport", "number", "ttl", "came_in", "work",
                 "is_last", "quanta", "item", "fields", "is_retx", "kept",
                 "is_lasthop", "head")

    def __init__(self, op, src, dst, prio):
        self.op, self.src, self.dst, self.prio = op, src, dst, prio
        self.rel = self.psn = self.payload = self.msn = self.ip_id = 0
        self.size = self.ecn = self.sport = self.number = 0
        self.asks = self.immediate = self.is_last = False
        self.pair = self.syndrome = self.reth = self.came_in = None
        self.work = self.quanta = self.item = self.fields = self.head = None
        self.is_retx = self.is_lasthop = False
        self.kept, self.ttl = 0, 64     # |kept|: bytes, when trimmed


class Port:
    """What one end of a cable sends, and the queue before it.  |pull|: asked
    for a packet when the queue is empty; |loses|: what the cable loses."""

    def __init__(self, sim, owner, name, speed, delay, buffer):
        self.sim, self.owner, self.name = sim, owner, name
        self.speed, self.delay, self.buffer = speed, delay, buffer
        self.queues = {CTRL: collections.deque(), DATA: collections.deque()}
        self.waiting = {CTRL: 0, DATA: 0}
        self.until = {CTRL: 0.0, DATA: 0.0}     # paused until
        self.frames = collections.deque()       # PFC
        self.is_busy, self.peer = False, None
        self.sent_taps, self.received_taps = [], []
        self.pull = self.loses = self.marks = None

    def put(self, packet):
        self.queues[packet.prio].append(packet)
        self.waiting[packet.prio] += packet.size
        self.kick()

    def choose(self):
        if self.frames:
            return self.frames.popleft()
        for prio, queue in self.queues.items():
            if queue and self.until[prio] <= self.sim.now:
                packet = queue.popleft()
                self.waiting[prio] -= packet.size
                self.owner.forwarded(packet)
                return packet
        return self.pull() if self.pull else None

    def kick(self):
        packet = None if self.is_busy else self.choose()
        if packet is not None:
            self.is_busy = True
            self.sim.at(self.sim.now + (packet.size + FRAMING) * 8 /
                        self.speed, self.sent, packet)

    def sent(self, packet):
        now = self.sim.now
        self.is_busy = False
        for tap in self.sent_taps:
            tap.see(now, packet)
        if self.loses and packet.op != PAUSE and self.loses(packet, now):
            self.sim.drops.append(packet)
        else:
            self.sim.at(now + self.delay, self.peer.arrive, packet)
        self.kick()

    def arrive(self, packet):
        for tap in self.received_taps:
            tap.see(self.sim.now, packet)
        if packet.op != PAUSE:
            self.owner.receive(packet, self)
            return
        until = self.sim.now + packet.quanta * 512 / self.speed
        self.until[DATA] = until
        if packet.quanta:
            self.sim.at(until + 0.001, self.kick)
        self.kick()

    def pause(self, quanta):
        frame = Packet(PAUSE, self, None, CTRL)
        frame.size, frame.quanta = 60, quanta
        self.frames.append(frame)
        self.kick()


def cable(sim, a, b, speed, delay, buffers=(None, None)):
    forth = Port(sim, a, f"{a.name}->{b.name}", speed, delay, buffers[0])
    back = Port(sim, b, f"{b.name}->{a.name}", speed, delay, buffers[1])
    forth.peer, back.peer = back, forth
    return forth, back


class Pauser:
    """Sends XOFF above one level and refreshes it, XON below another."""
    QUANTA = 0xffff

    def __init__(self, sim, port, xoff, xon):
        self.sim, self.port, self.xoff, self.xon = sim, port, xoff, xon
        self.level, self.turn, self.is_on = 0, 0, False

    def add(self, size):
        self.level += size
        if not self.is_on and self.level > self.xoff:
            self.is_on = True
            self.turn += 1
            self.sim.pauses += 1
            self.refresh(self.turn)
        elif self.is_on and self.level < self.xon:
            self.is_on = False
            self.port.pause(0)

    def refresh(self, turn):
        if self.is_on and self.turn == turn:
            self.port.pause(self.QUANTA)
            self.sim.at(self.sim.now + self.QUANTA * 256 / self.port.speed,
                        self.refresh, turn)


class Switch:
    """|down|: ports by host; |up|: ports for all other hosts.  |pfc|: XOFF and
    XON levels of what came in by one port, or None.  |trim|: cuts a packet
    that finds no room, false if it must be dropped."""

    def __init__(self, sim, name, sprays, pfc):
        self.sim, self.name, self.sprays, self.pfc = sim, name, sprays, pfc
        self.trim = lambda packet: False
        self.down, self.up, self.pausers = {}, [], {}
        self.dice = sim.dice(name)
        self.salt = self.dice.randrange(1 << 30)

    def route(self, packet):
        if packet.dst in self.down:
            return self.down[packet.dst]
        if self.sprays and packet.prio == DATA:
            return self.up[self.dice.randrange(len(self.up))]
        key = struct.pack(">IIII", packet.src, packet.dst, packet.sport,
                          self.salt)
        return self.up[zlib.crc32(key) % len(self.up)]

    def marks(self, out):
        """RED: between two levels of the queue with a growing chance."""
        least, most, chance = out.marks
        level = out.waiting[DATA]
        return level > most or (level > least and self.dice.random() < chance *
                                (level - least) / (most - least))

    def receive(self, packet, came_in):
        out = self.route(packet)
        packet.ttl -= 1
        if packet.prio == DATA:
            if out.buffer and out.waiting[DATA] + packet.size > out.buffer:
                if not self.trim(packet):
                    self.sim.drops.append(packet)
                    return
                packet.is_lasthop = packet.dst in self.down
                packet.prio = CTRL
                self.sim.trims.append(packet)
                out.put(packet)
                return
            if out.marks and packet.ecn in (1, 2) and self.marks(out):
                packet.ecn = 3
                self.sim.marks += 1
            if self.pfc:
                packet.came_in = came_in
                if came_in not in self.pausers:
                    self.pausers[came_in] = Pauser(self.sim, came_in,
                                                   *self.pfc)
                self.pausers[came_in].add(packet.size)
        out.put(packet)

    def forwarded(self, packet):
        if packet.came_in:
            self.pausers[packet.came_in].add(-packet.size)
            packet.came_in = None


class Host:
    """A NIC.  |drain|: its bus takes only so much (speed, from, to), what does
    not fit is paused; |limit|: it sends only so much; |loses|: what it drops of
    what came."""

    def __init__(self, sim, index, nic):
        self.sim, self.index, self.name = sim, index, f"h{index}"
        self.nic, self.drain, self.limit, self.loses = nic, None, None, None
        self.control, self.ring = collections.deque(), collections.deque()
        self.received, self.is_draining = collections.deque(), False
        self.paced, self.pdcs = 0.0, set()
        self.granter = self.credit = None       # of Ultra Ethernet
        self.ip_id = sim.dice(self.name).randrange(65536)

    def attach(self, port):
        self.port = port
        port.pull = self.next
        self.pauser = Pauser(self.sim, port, self.nic["xoff"],
                             self.nic["xon"])

    def wake(self, pair):
        if not pair.in_ring:
            pair.in_ring = True
            self.ring.append(pair)
        self.port.kick()

    def next(self):
        """Control packets first, then one of each queue pair in turn."""
        now, port = self.sim.now, self.port
        if self.control and port.until[self.control[0].prio] <= now:
            return self.number(self.control.popleft())
        if port.until[DATA] > now:
            return None
        is_slow = self.limit and self.limit[1] <= now < self.limit[2]
        if is_slow and self.paced > now:
            self.sim.at(self.paced, port.kick)
            return None
        soon = None
        for _ in range(len(self.ring)):
            pair = self.ring.popleft()
            when = pair.ready(now)
            pair.in_ring = when is not None
            if when is None:
                continue
            self.ring.append(pair)
            packet = pair.emit(now) if when <= now else None
            if packet:
                if is_slow:
                    self.paced = now + (packet.size + FRAMING) * 8 / \
                        self.limit[0]
                return self.number(packet)
            if when > now:
                soon = when if soon is None else min(soon, when)
        if soon is not None:
            self.sim.at(soon, port.kick)
        return None

    def number(self, packet):
        self.sim.packets += 1
        packet.number = self.sim.packets
        if self.nic["ip_id"] == "port":
            self.ip_id = (self.ip_id + 1) & 0xffff
            packet.ip_id = self.ip_id
        return packet

    def receive(self, packet, _):
        drain = self.drain
        if self.loses and self.loses(packet, self.sim.now):
            self.sim.drops.append(packet)
            return
        if not drain or packet.prio != DATA or not (
                self.received or drain[1] <= self.sim.now < drain[2]):
            packet.pair.receive(packet)
            return
        self.received.append(packet)
        self.pauser.add(packet.size)
        if not self.is_draining:
            self.is_draining = True
            self.drain_next()

    def drain_next(self):
        now, (speed, since, until) = self.sim.now, self.drain
        if not since <= now < until:
            speed = self.port.speed * 4
        self.sim.at(now + self.received[0].size * 8 / speed, self.drained)

    def drained(self):
        packet = self.received.popleft()
        self.pauser.add(-packet.size)
        packet.pair.receive(packet)
        if self.received:
            self.drain_next()
        else:
            self.is_draining = False
