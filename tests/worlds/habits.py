# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue pairs with other habits than those of world.py, and one to three
capture points between their hosts.

Written from the InfiniBand text; shares with world.py the bytes of headers
only.  Here requesters send READs and ATOMICs, ask for ACKs inside messages,
mix MTUs, share one port with a hundred times more to send, stall in the middle
of messages and of go-back-N, retransmit from the first packet of a message and
back their timers off; responders delay and coalesce their ACKs, delay their
NAKs or repeat them by a timer; losses come in bursts, and paths go dark.

Path segment 0 lies at host 1, the next one behind the first capture point, and
so on; packets of host 2 cross them in reverse.  Positions count the PSNs of a
queue pair from 0."""
import collections
import struct

import fabric
from world import MASK, bth, icrc_of

US, MS = 1000, 1000_000
WRITE, SEND, READ, ATOMIC = "write", "send", "read", "atomic"
# A responder answers these with data: no ACK is sent for them.
WITH_RESPONSE = (READ, ATOMIC)
# Only, First, Middle, Last
OPCODES = {WRITE: (0x0a, 0x06, 0x07, 0x08), SEND: (0x04, 0x00, 0x01, 0x02),
           READ: (0x10, 0x0d, 0x0e, 0x0f)}
READ_REQUEST, READ_MIDDLE, ACKNOWLEDGE = 0x0c, 0x0e, 0x11
ATOMIC_ACKNOWLEDGE, FETCH_ADD = 0x12, 0x14
NO_CREDIT_LIMIT, SEQUENCE_ERROR = 0x1f, 0x60
RKEY = 7

# What travels, as the truth and the chances of loss call it.
DATA, RESPONSE, ACK, NAK, ANY = "data", "response", "ack", "nak", "any"
# Why a sender retransmitted, where it was no loss of data or of an ACK.
OTHER = "other"
RTO_MAX_BACKOFF = 8

HABITS = {
    "pairs": (1, 2, 4, 24), "rate": (1e9, 10e9, 100e9),
    "mtus": ((256,), (1024,), (4096,), (256, 1024, 4096)),
    # at host 1, between capture points, at host 2
    "delays": ((500, 500, 500), (2000, 500, 20000), (50 * US, 500, 500),
               (1000, 100 * US, 1000), (500, 5000, 50 * US)),
    "window": (4, 16, 64, 200),
    "sizes": ((1,), (2, 7), (1, 3, 40), (64,), (16, 100)),
    "ops": ((WRITE,), (SEND,), (WRITE, SEND), (READ,), (WRITE, READ),
            (ATOMIC,), (WRITE, ATOMIC, READ), (WRITE,), (WRITE,)),
    "ask": ("last", "half", "every 8th", "random"),
    "ack_every": (0, 0, 4, 32), "coalesce": (0, 0, 5 * US, 50 * US),
    "nak_delay": (0, 1 * US, 30 * US),
    "nak_again": ("no", "no", "each", "timer"),
    "reaction": (1 * US, 20 * US, 300 * US),
    "rto": (500 * US, 4 * MS, 20 * MS, 67 * MS), "backoff": (False, True),
    "back_to": ("psn", "psn", "psn", "message"),
    "selective": (False, False, True), "counts_messages": (True, True, False),
    "ip_id": ("zero", "count", "random"),
    "stalls": (0, 0, 0.002, 0.02), "stall_ns": (30 * US, 400 * US, 3 * MS),
    "pause": (0, 0, 20 * US, 2 * MS), "both_ways": (False, True),
    "packets": (400, 1500), "tick": (1, 1000),
    "snaplen": (65535, 128, 128, 66), "same_psn": (False, True),
    "wraps": (False, False, True), "reads": (1, 4, 16),
}

# What makes a world worse than its habits.  |lose|: chances by (what, segment)
# and |reorder| by segment; |blackout|: (segment, begin, end, host or None);
# |acks_late|: a share of the RTO.  |one_by_one|: requesters wait for one message
# before the next; |tails|: (chance, segment), of such a message to lose its end.
PROBLEMS = {"lose": {}, "burst": 1, "blackout": None, "not_copied": 0,
            "doubled": 0, "reorder": {}, "late_by": 5 * US, "acks_late": 0,
            "one_by_one": False, "tails": None}

Loss = collections.namedtuple("Loss", "what key psn segment first")
# A NAK or a timeout, what had been lost, and on which segment (None: nowhere).
Recovery = collections.namedtuple("Recovery", "key what segment psn")
Message = collections.namedtuple("Message", "number begin op size")


class World(fabric.Fabric):
    """The truth is in |lost|, |recoveries|, |timeouts|, |not_seen|, |doubles|
    and |passed|."""
    chances = ()
    ends_ns, most_events = 30e9, 3_000_000
    hops, v6 = 60, False

    def __init__(self, seed, taps=1, **wanted):
        super().__init__(seed, HABITS, **{**PROBLEMS, **wanted})
        self.taps = taps
        self.is_like["rto"] = max(self.rto, self.least_rto())
        self.captures = [[] for _ in range(taps)]
        self.lost, self.not_seen, self.recoveries = [], [], []
        self.doubles, self.travelled = 0, 0
        self.passed = collections.defaultdict(list)
        self.last_crossing = collections.Counter()
        self.burst_left = collections.Counter()
        self.identifications = collections.Counter()
        self.port_free = collections.Counter()
        near, between, far = self.delays
        self.segment_ns = [near] + [between] * (taps - 1) + [far]

    def least_rto(self):
        """A timer that runs out before a window can be acknowledged would
        retransmit without a loss."""
        window_ns = (self.pairs * self.window * (max(self.mtus) + 80) * 8e9 /
                     self.rate)
        if READ in self.ops:
            window_ns *= 1 + self.reads * max(self.sizes) / self.window
        stall_ns = self.stall_ns * (self.stalls > 0)
        return int(3 * window_ns + 4 * sum(self.delays) + self.reaction +
                   self.nak_delay + self.coalesce + 2 * stall_ns)

    # ---- from host to host ----

    def loses_at(self, what, segment, src):
        chance = (self.lose.get((what, segment)) or
                  self.lose.get((ANY, segment), 0))
        direction = segment, src
        if self.is_dark(segment, src):
            return True
        if self.burst_left[direction] > 0:
            self.burst_left[direction] -= 1
            return True
        if not self.chance(chance / self.burst):
            return False
        if self.burst > 1:
            self.burst_left[direction] = self.dice.randrange(self.burst * 2)
        return True

    def is_dark(self, segment, src):
        if not self.blackout:
            return False
        where, begins, ends, host = self.blackout
        return (segment == where and begins <= self.now < ends and
                host in (None, src))

    def crosses_at(self, parcel, segment, is_last, begins):
        """When |parcel| has crossed |segment|: in order of departure, unless
        this segment reorders."""
        passes = begins + self.segment_ns[segment]
        reorders = self.reorder.get(segment, 0)
        if parcel.what == DATA and self.chance(reorders):
            return passes + self.dice.randrange(1, self.late_by)
        if parcel.what != DATA and is_last:
            passes += int(self.rto * self.acks_late)
        if reorders:
            return passes
        direction = parcel.src, segment
        passes = max(passes, self.last_crossing[direction] + 1)
        self.last_crossing[direction] = passes
        return passes

    def travel(self, parcel, arrive):
        """Returns the segment that lost |parcel|, None if it arrives."""
        frame, now = self.frame(parcel), self.now
        self.travelled += 1
        parcel.turn = self.travelled
        order = list(range(self.taps + 1))
        if parcel.src != 1:
            order.reverse()
        for segment in order:
            now = self.crosses_at(parcel, segment, segment == order[-1], now)
            if (segment == parcel.ends_at or
                    self.loses_at(parcel.what, segment, parcel.src)):
                self.lost.append(Loss(parcel.what, parcel.key, parcel.number,
                                      segment, parcel.first))
                return segment
            if segment != order[-1]:
                self.pass_tap(segment - (parcel.src != 1), now, parcel, frame)
        self.at(now, arrive)
        return None

    def pass_tap(self, tap, ns, parcel, frame):
        capture = self.captures[tap]
        if parcel.what == DATA:
            self.passed[parcel.key, tap].append((ns, parcel.turn))
        if self.chance(self.not_copied):
            self.not_seen.append((tap, parcel.what, parcel.key))
            return
        capture.append((ns, len(capture), frame))
        if self.chance(self.doubled):
            self.doubles += 1
            late = self.dice.randrange(100, 3000)
            capture.append((ns + late, len(capture), frame))

    # ---- bytes ----

    def identification(self, parcel):
        if self.ip_id == "count":
            self.identifications[parcel.src] += 1
            return self.identifications[parcel.src] & 0xffff
        return self.dice.randrange(65536) if self.ip_id == "random" else 0

    def addresses(self, parcel):
        return bytes((10, 8, 0, parcel.src, 10, 8, 0, parcel.dst))

    def link(self, parcel):
        return bytes([2, 0, 0, 0, 9, parcel.dst,
                      2, 0, 0, 0, 9, parcel.src]) + b"\x08\x00"

    def frame(self, parcel):
        ip, masked = self.headers(parcel, 0x6a)
        packet = parcel.data[:-4]
        icrc = struct.pack("<I", icrc_of(masked, packet))
        return self.link(parcel) + ip + packet + icrc

    def write(self, path):
        """The first capture point to |path|, the others to |path|.1 ..."""
        for tap, frames in enumerate(self.captures):
            self.write_frames(f"{path}.{tap}" if tap else path, frames)


class Parcel(fabric.Parcel):
    def __init__(self, what, *args, ends_at=None, **more):
        """|ends_at|: the segment that loses it in any case."""
        super().__init__(*args, **more)
        self.what, self.ends_at = what, ends_at


class Messages:
    """What a requester has to send: at least |packets| positions of it."""

    def __init__(self, world):
        self.all, self.at_position, begin = [], [], 0
        while begin < world.packets:
            op = world.dice.choice(world.ops)
            size = world.dice.choice(world.sizes)
            if op == ATOMIC:
                size = 1
            message = Message(len(self.all), begin, op, size)
            self.all.append(message)
            self.at_position += [message] * size
            begin += size
        self.end = begin

    def __getitem__(self, i):
        return self.at_position[i]

    def has_response(self, i):
        return self[i].op in WITH_RESPONSE

    def after(self, i):
        """The position of the packet after |i|: the request of a READ takes
        one for each of its responses."""
        message = self[i]
        if self.has_response(i):
            return message.begin + message.size
        return i + 1


class QueuePair:
    """A requester, and the responder it sends to."""

    def __init__(self, world, ends, numbers, sport, start, mtu):
        self.world, self.sport = world, sport
        self.src, self.dst = ends
        self.own, self.peer = numbers
        self.start, self.mtu = start, mtu
        self.key = self.src, self.dst, self.peer
        self.response_key = self.dst, self.src, self.own
        self.messages = Messages(world)
        self.tails = self.draw_tails() if world.tails else {}
        self.requester = Requester(self)
        self.responder = Responder(self)

    @property
    def is_finished(self):
        return self.requester.unacknowledged >= self.messages.end

    def psn(self, i):
        return self.start + i & MASK

    def draw_tails(self):
        """Positions of which the first transmission is lost, and where."""
        chance, segment = self.world.tails
        tails = {}
        for message in self.messages.all:
            if message.size > 1 and self.world.chance(chance):
                end = message.begin + message.size
                begin = end - self.world.dice.randrange(1, message.size)
                tails.update(dict.fromkeys(range(begin, end), segment))
        return tails

    def travel(self, what, packet, i, arrive, first=True):
        forth = what == DATA
        ends_at = self.tails.get(i) if forth and first else None
        ends = (self.src, self.dst) if forth else (self.dst, self.src)
        data = struct.pack("!HHHH", self.sport, 4791, 12 + len(packet), 0)
        parcel = Parcel(what, *ends, fabric.UDP, data + packet + bytes(4),
                        self.key, self.psn(i), not forth, first,
                        ends_at=ends_at)
        return self.world.travel(parcel, arrive)

    def note_recovery(self, what, segment, i):
        self.world.recoveries.append(Recovery(self.key, what, segment,
                                              self.psn(i)))


class Requester:
    def __init__(self, qp):
        self.qp, self.world, self.messages = qp, qp.world, qp.messages
        self.unacknowledged, self.next, self.highest = 0, 0, 0
        self.timer, self.rto = 0, qp.world.rto
        self.is_busy, self.free_at, self.again = False, 0, []
        self.lost_at = {}       # position -> segment that lost it last, or None
        self.reacts_to = self.implied_at = None

    # ---- what is sent ----

    def go_on(self):
        if self.is_busy:
            return
        self.is_busy = True
        free_at = max(self.free_at, self.world.port_free[self.qp.src])
        self.world.at(max(self.world.now, free_at), self.send)

    def outstanding_reads(self):
        count, i = 0, self.unacknowledged
        while i < self.next:
            count += self.messages.has_response(i)
            i = self.messages.after(i)
        return count

    def choose(self):
        """The position to send, or None.  What was acknowledged meanwhile is
        not retransmitted."""
        if self.again:
            i = self.again.pop(0)
            if i >= self.unacknowledged:
                return i
            self.go_on()
            return None
        i = self.next
        if (i >= self.messages.end or
                i - self.unacknowledged >= self.world.window):
            return None
        if (self.messages.has_response(i) and
                self.outstanding_reads() >= self.world.reads):
            return None
        if self.world.one_by_one and self.unacknowledged < self.messages[i].begin:
            return None
        self.next = self.messages.after(i)
        return i

    def asks(self, i):
        message = self.messages[i]
        place = i - message.begin
        if message.op in WITH_RESPONSE or place == message.size - 1:
            return True
        habits = {"last": False, "half": place == message.size // 2,
                  "every 8th": i % 8 == 7,
                  "random": self.world.dice.random() < 0.2}
        # A full window that asked for no ACK would wait for its timer.
        return (habits[self.world.ask] or
                self.next - self.unacknowledged >= self.world.window)

    def packet(self, i, asks):
        op, place = self.messages[i].op, i - self.messages[i].begin
        size, peer, psn = self.messages[i].size, self.qp.peer, self.qp.psn(i)
        if op == READ:
            return (bth(READ_REQUEST, peer, psn, True) +
                    self.reth(i, size - place))
        if op == ATOMIC:
            return (bth(FETCH_ADD, peer, psn, True) +
                    struct.pack("!QIQQ", i << 12, RKEY, 1, 0))
        packet = bth(opcode(op, place, size), peer, psn, asks)
        if op == WRITE and place == 0:
            packet += self.reth(i, size)
        return packet + bytes([i & 255]) * self.qp.mtu

    def reth(self, i, packets):
        return struct.pack("!QII", i << 12, RKEY, packets * self.qp.mtu)

    def send(self):
        self.is_busy = False
        i = self.choose()
        if i is None:
            return
        first = i >= self.highest
        self.highest = max(self.highest, self.messages.after(i))
        asks = self.asks(i)
        packet = self.packet(i, asks)
        self.lost_at[i] = self.qp.travel(
            DATA, packet, i, lambda: self.qp.responder.receive(i, asks), first)
        self.wait_after(i, packet, first)
        if i == self.unacknowledged or self.timer == 0:
            self.wind_up()
        self.go_on()

    def wait_after(self, i, packet, first):
        world, message = self.world, self.messages[i]
        gap = int((len(packet) + 60) * 8e9 / world.rate) + 1
        busy_until = max(world.port_free[self.qp.src], world.now)
        world.port_free[self.qp.src] = busy_until + gap
        self.free_at = world.now + gap
        if world.pause and first and i == message.begin + message.size - 1:
            self.free_at += world.dice.randrange(world.pause)
        if world.chance(world.stalls):
            self.free_at += world.dice.randrange(world.stall_ns)

    # ---- the timer ----

    def wind_up(self):
        self.timer += 1
        self.world.at(self.world.now + self.rto, self.expire, self.timer)

    def expire(self, timer):
        if timer != self.timer or self.unacknowledged >= self.highest:
            return
        self.world.timeouts[self.qp.key] += 1
        self.qp.note_recovery(*self.cause_of_timeout())
        if self.world.backoff:
            self.rto = min(self.rto * 2, RTO_MAX_BACKOFF * self.world.rto)
        self.go_back(self.unacknowledged, by_timer=True)

    def cause_of_timeout(self):
        """What was lost, on which segment, and its position."""
        i, wants = self.unacknowledged, self.qp.responder.wants
        if wants <= i:
            segment = self.lost_at.get(i)
            return OTHER if segment is None else DATA, segment, i
        if self.messages.has_response(i):
            return RESPONSE, None, i
        segment = self.lost_at.get(wants) if wants < self.highest else None
        if segment is not None:
            return DATA, segment, wants
        return ACK, None, i

    # ---- retransmission ----

    def go_back(self, i, by_timer=False):
        world = self.world
        if not self.unacknowledged <= i < self.highest:
            return
        if (world.back_to == "message" and not world.selective and
                not self.messages.has_response(i)):
            i = self.messages[i].begin
        if not world.selective or by_timer:
            self.next, self.again = i, []
        elif i not in self.again:
            self.again.append(i)
        self.wind_up()
        self.go_on()

    def react_to_nak(self, i):
        self.reacts_to = None
        self.go_back(i)

    def react_to_implied_nak(self, i):
        self.reacts_to = None
        if self.unacknowledged <= i < self.highest:
            self.next, self.again = i, []
            self.wind_up()
            self.go_on()

    def imply_nak(self, i):
        """The response at |i| is missing, as one behind it says: requested
        once more, until the timer runs out."""
        now = i, self.world.timeouts[self.qp.key]
        if self.reacts_to != i and self.implied_at != now:
            self.implied_at, self.reacts_to = now, i
            self.world.at(self.world.now + self.world.reaction,
                          self.react_to_implied_nak, i)

    # ---- what is received ----

    def advance(self, to):
        if to > self.unacknowledged:
            self.unacknowledged = to
            self.next = max(self.next, to)
            self.rto = self.world.rto
            self.wind_up()
        self.go_on()

    def acknowledged_up_to(self, to):
        """How far an acknowledgement of all before |to| counts: READs and
        ATOMICs need their responses."""
        end = min(to, self.highest)
        for i in range(self.unacknowledged, end):
            if self.messages.has_response(i):
                return i
        return end

    def hear(self, to, is_nak):
        end = self.acknowledged_up_to(to)
        self.advance(end)
        if end < to and not is_nak and end == self.unacknowledged:
            self.imply_nak(end)
        if is_nak and to >= self.unacknowledged and self.reacts_to != to:
            self.reacts_to = to
            self.world.at(self.world.now + self.world.reaction,
                          self.react_to_nak, end)

    def hear_response(self, i):
        if i < self.unacknowledged:
            return
        self.advance(self.acknowledged_up_to(i))
        if self.unacknowledged == i:
            self.advance(i + 1)
        elif i > self.unacknowledged:
            self.imply_nak(self.unacknowledged)


class Responder:
    def __init__(self, qp):
        self.qp, self.world, self.messages = qp, qp.world, qp.messages
        self.wants, self.has, self.naked = 0, {}, None
        self.acknowledged, self.completed = -1, 0
        self.is_ack_due, self.responds_until = False, 0

    def receive(self, i, asks):
        if i < self.wants:
            self.receive_duplicate(i, asks)
        elif i > self.wants:
            self.receive_early(i, asks)
        else:
            self.has[i] = asks
            self.take_in()

    def receive_duplicate(self, i, asks):
        if self.messages.has_response(i):
            self.respond(i)
        elif (asks or self.world.dice.random() < 0.5 or
              i == self.wants - 1):
            self.acknowledge()

    def receive_early(self, i, asks):
        if self.world.selective:
            self.has[i] = asks
        if self.naked != self.wants or self.world.nak_again == "each":
            self.naked = self.wants
            self.world.at(self.world.now + self.world.nak_delay, self.nak,
                          self.wants)

    def take_in(self):
        is_asked = has_response = False
        while self.wants in self.has:
            i = self.wants
            message = self.messages[i]
            has_response = self.messages.has_response(i)
            is_asked |= self.has.pop(i)
            self.wants = self.messages.after(i)
            if self.wants >= message.begin + message.size:
                self.completed = message.number + 1
            if has_response:
                self.respond(i)
                is_asked = False
        if self.naked is not None and self.wants > self.naked:
            self.naked = None
        if not has_response:
            self.acknowledge_if_due(is_asked)

    # ---- ACKs, NAKs and responses ----

    def acknowledge_if_due(self, is_asked):
        world, unacknowledged = self.world, self.wants - 1 - self.acknowledged
        if not (is_asked or 0 < world.ack_every <= unacknowledged):
            return
        if not world.coalesce:
            self.acknowledge()
        elif not self.is_ack_due:
            self.is_ack_due = True
            world.at(world.now + world.dice.randrange(world.coalesce) + 1,
                     self.acknowledge_late)

    def acknowledge_late(self):
        self.is_ack_due = False
        self.acknowledge()

    def aeth(self, syndrome):
        messages = self.completed if self.world.counts_messages else 0
        return struct.pack("!I", syndrome << 24 | messages & MASK)

    def respond(self, begin):
        """All responses from |begin| to the end of its message."""
        world, message = self.world, self.messages[begin]
        end = message.begin + message.size
        self.acknowledged = end - 1
        for i in range(begin, end):
            packet = self.response_packet(begin, i, end)
            sent = max(world.now, world.port_free[self.qp.dst],
                       self.responds_until + 1)
            sent += int(len(packet) * 8e9 / world.rate) + 1
            world.port_free[self.qp.dst] = self.responds_until = sent
            world.at(sent, self.send_response, i, packet)

    def response_packet(self, begin, i, end):
        psn, aeth = self.qp.psn(i), self.aeth(NO_CREDIT_LIMIT)
        if self.messages[i].op == ATOMIC:
            return (bth(ATOMIC_ACKNOWLEDGE, self.qp.own, psn) + aeth +
                    struct.pack("!Q", i))
        code = opcode(READ, i - begin, end - begin)
        return (bth(code, self.qp.own, psn) +
                (b"" if code == READ_MIDDLE else aeth) +
                bytes([i & 255]) * self.qp.mtu)

    def send_response(self, i, packet):
        self.qp.travel(RESPONSE, packet, i,
                       lambda: self.qp.requester.hear_response(i))

    def is_responding(self, what, *args):
        """ACKs and NAKs never overtake responses: |what| has to wait."""
        if self.responds_until < self.world.now:
            return False
        self.world.at(self.responds_until + 1, what, *args)
        return True

    def acknowledge(self):
        if self.is_responding(self.acknowledge) or self.wants == 0:
            return
        wants = self.wants
        self.acknowledged = wants - 1
        packet = (bth(ACKNOWLEDGE, self.qp.own, self.qp.psn(wants - 1)) +
                  self.aeth(NO_CREDIT_LIMIT))
        self.qp.travel(ACK, packet, wants - 1,
                       lambda: self.qp.requester.hear(wants, False))

    def nak(self, wants):
        world, qp = self.world, self.qp
        if wants != self.wants or self.is_responding(self.nak, wants):
            return
        segment = qp.requester.lost_at.get(wants)
        qp.note_recovery(OTHER if segment is None else DATA, segment, wants)
        packet = (bth(ACKNOWLEDGE, qp.own, qp.psn(wants)) +
                  self.aeth(SEQUENCE_ERROR))
        qp.travel(NAK, packet, wants, lambda: qp.requester.hear(wants, True))
        if world.nak_again == "timer":
            wait = max(200 * US, 3 * world.reaction + 2 * sum(world.delays))
            world.at(world.now + wait, self.repeat_nak, wants)

    def repeat_nak(self, wants):
        if self.wants == self.naked == wants:
            self.nak(wants)


def opcode(op, place, size):
    only, first, middle, last = OPCODES[op]
    if size == 1:
        return only
    if place == 0:
        return first
    return last if place == size - 1 else middle


def make(seed, path, taps=1, **wanted):
    """A world that has come to its end, its captures written (see
    World.write); and its queue pairs."""
    world = World(seed, taps, **wanted)
    dice, qps = world.dice, []
    same = dice.randrange(1 << 24)
    if world.wraps:
        same = (1 << 24) - dice.randrange(1, 100)
    for _ in range(world.pairs):
        a, b = dice.randrange(16, 1 << 24), dice.randrange(16, 1 << 24)
        sport = dice.randrange(49152, 65536)
        mtu = dice.choice(world.mtus)
        ways = [((1, 2), (a, b)), ((2, 1), (b, a))]
        for ends, numbers in ways[:1 + world.both_ways]:
            start = same if world.same_psn else dice.randrange(1 << 24)
            qps.append(QueuePair(world, ends, numbers, sport, start, mtu))
    for qp in qps:
        world.at(dice.randrange(3000), qp.requester.go_on)
    world.run()
    world.write(path)
    return world, qps
