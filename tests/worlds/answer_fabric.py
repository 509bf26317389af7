# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts, leaves and spines whose ports have queues: packet by packet.

A port sends one packet at a time.  What it may have: a buffer that ends, marks
between two depths of its queue, pauses (per link, as the node at its far end
wants), and a fault that loses packets.  A link between switches that |blocks|
nothing carries packets side by side.  Nothing here knows what packets are for.

Times are nanoseconds, rates bits a nanosecond (Gbit/s)."""
import collections
import random

OVERHEAD = 24            # preamble, FCS and gap, of each frame
PAUSE_FRAME = 64
QUANTUM_BITS = 512
Place = collections.namedtuple("Place", "ns port packet")


class Port:
    """One direction of a link, from |node| to |peer|."""

    def __init__(self, world, node, peer, rate, delay):
        self.world, self.node, self.peer = world, node, peer
        self.rate, self.delay = rate, delay
        self.queue, self.bytes, self.is_busy = collections.deque(), 0, False
        self.paused_until = self.paused_ns = 0
        self.blocks, self.buffer, self.marks = True, float("inf"), None
        self.fault, self.back, self.nic = None, None, None
        # what its packets fill at the far end, and that end's thresholds
        self.held, self.is_pausing, self.xoff, self.xon = 0, False, None, None
        self.quanta = 65535
        self.left_at = collections.Counter()    # by queue pair and source
        self.waited = collections.Counter()     # by job
        self.carried = collections.Counter()

    def __repr__(self):
        return f"{self.node.name}->{self.peer.name}"

    # ---- queue ----

    def put(self, packet):
        if not self.blocks:
            self.pass_beside(packet)
            return
        if self.bytes + packet.size > self.buffer:
            self.world.dropped[packet.job, repr(self)] += 1
            packet.release()
            return
        if self.marks and packet.ect and self.world.chance(self.to_mark()):
            packet.ce = True
        self.bytes += packet.size
        packet.queued_at = self.world.now
        self.queue.append(packet)
        if not self.is_busy:
            self.start()

    def pass_beside(self, packet):
        """As if nothing else were there but packets of its queue pair."""
        key = packet.qp, packet.src
        when = max(self.world.now + packet.size * 8 / self.rate,
                   self.left_at[key] + 0.001)
        self.left_at[key] = when
        self.world.at(when, self.leave, packet)

    def to_mark(self):
        low, high = self.marks
        return min(1, max(0, (self.bytes - low) / (high - low)))

    def start(self):
        now = self.world.now
        if self.is_busy or self.paused_until > now:
            return
        if self.queue:
            packet = self.queue.popleft()
            self.bytes -= packet.size
            self.waited[packet.job] += now - packet.queued_at
        elif self.nic:
            packet = self.nic.pull()
        else:
            packet = None
        if packet:
            self.is_busy = True
            self.world.at(now + packet.size * 8 / self.rate, self.sent, packet)

    def sent(self, packet):
        self.is_busy = False
        self.leave(packet)
        self.start()

    def leave(self, packet):
        """It is on the link, wholly."""
        world = self.world
        packet.release()
        self.carried[packet.job] += packet.size
        # The tap is at the host's end of what a fault makes lossy: nobody
        # could know of what is lost before the first tap.
        is_lost = self.fault and self.fault(packet)
        if is_lost:
            world.dropped[packet.job, repr(self)] += 1
        if not is_lost or isinstance(self.peer, Switch):
            world.see(self, packet)
        if is_lost:
            return
        packet.hold(self)
        world.at(world.now + self.delay, self.peer.receive, packet, self)

    # ---- pauses ----

    def hold(self, size):
        """The far end has |size| bytes more of what came from here."""
        self.held += size
        if self.xoff is None:
            return
        if self.held > self.xoff and not self.is_pausing:
            self.is_pausing = True
            self.send_pause()
        elif self.held < self.xon and self.is_pausing:
            self.is_pausing = False
            self.ask_pause(0)

    def send_pause(self):
        """Again and again, before the time of the last one is over."""
        if self.is_pausing:
            self.ask_pause(self.quanta)
            self.world.at(self.world.now + self.pause_ns(self.quanta) * 0.6,
                          self.send_pause)

    def pause_ns(self, quanta):
        return quanta * QUANTUM_BITS / self.rate

    def ask_pause(self, quanta):
        """The far end sends a pause frame to this port."""
        self.world.see_pause(self.back, quanta)
        self.world.at(self.world.now + self.delay, self.pause,
                      self.pause_ns(quanta))

    def pause(self, ns):
        now = self.world.now
        self.paused_ns += max(0, now + ns - max(now, self.paused_until))
        self.paused_until = now + ns
        self.world.at(self.paused_until, self.start)


class Switch:
    def __init__(self, world, name, number):
        self.world, self.name, self.number = world, name, number
        self.to = {}        # peer's name: Port
        self.routes = {}    # (src, dst) host names: peer's name

    def receive(self, packet, _):
        packet.hops += 1
        dst = packet.dst
        if dst.name in self.to:
            self.to[dst.name].put(packet)
            return
        way = self.routes.get((packet.src.name, dst.name))
        if way is None and dst.leaf.name in self.to:
            way = dst.leaf.name
        if way is None:
            ups = self.world.spines
            way = ups[hash((packet.src.number * 7919, dst.number * 104729,
                            packet.sport, self.world.salt)) %
                      len(ups)].name
        self.to[way].put(packet)


class Packet:
    """|what| is for its queue pair; |data| what stands behind the IP header,
    without its payload; |payload| bytes of that."""
    __slots__ = ("src", "dst", "job", "sport", "what", "data", "payload",
                 "size", "ect", "ce", "hops", "queued_at", "holder", "qp",
                 "identification")
    protocol = 17

    def __init__(self, qp, src, dst, sport, what, data, payload, ect):
        self.qp, self.src, self.dst, self.job = qp, src, dst, qp.job
        self.sport, self.what, self.data = sport, what, data
        self.payload, self.ect, self.ce = payload, ect, False
        self.hops, self.holder, self.queued_at = 0, None, 0
        self.identification = qp.world.new_identification(src)
        self.size = 34 + 8 + len(data) + payload + 4 + OVERHEAD

    def hold(self, port):
        if port.xoff is not None and isinstance(port.peer, Switch):
            self.holder = port
            port.hold(self.size)

    def release(self):
        if self.holder:
            holder, self.holder = self.holder, None
            holder.hold(-self.size)


class Fault:
    """Loses packets by chance, the same ones in each twin as far as they are
    sent there."""

    def __init__(self, seed, chance, burst, wanted):
        self.seed, self.chance, self.burst = seed, chance, burst
        self.wanted, self.left, self.count = wanted, 0, 0

    def __call__(self, packet):
        if not self.wanted(packet):
            return False
        self.count += 1
        if self.left > 0:
            self.left -= 1
            return True
        dice = random.Random(f"{self.seed} {self.count}")
        if dice.random() >= self.chance / self.burst:
            return False
        self.left = dice.randrange(self.burst * 2 - 1) if self.burst > 1 else 0
        return True
