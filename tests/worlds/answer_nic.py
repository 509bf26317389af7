# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts and their queue pairs, from the InfiniBand text and what is public of
congestion control; no line of it is the simulator's.

A half of a queue pair is what one of its hosts requests and the other one
responds.  Positions count the PSNs of a half from 0."""
import collections
import struct

import answer_fabric as af
from world import bth

WRITE, SEND, READ = "write", "send", "read"
# Only, First, Middle, Last; those with immediate data end a message.
CODES = {WRITE: (0x0a, 0x06, 0x07, 0x08), SEND: (0x04, 0x00, 0x01, 0x02),
         READ: (0x10, 0x0d, 0x0e, 0x0f), "imm": (0x0b, 0x06, 0x07, 0x09)}
READ_REQUEST, ACK, CNP = 0x0c, 0x11, 0x81
SEQUENCE_ERROR, RNR_NAK = 0x60, 0x20


class Host:
    def __init__(self, world, name, number, leaf):
        self.world, self.name, self.number = world, name, number
        self.leaf, self.out = leaf, None
        self.control, self.active = collections.deque(), collections.deque()
        self.feed, self.feed_at, self.wakes_at = None, 0, float("inf")
        self.drain, self.drained_at, self.xoff = None, 0, None
        self.is_full = False

    # ---- sending ----

    def wake(self, sender):
        if not sender.is_active:
            sender.is_active = True
            self.active.append(sender)
        self.out.start()

    def pull(self):
        """The next packet for the link, or None."""
        now, active = self.world.now, self.active
        if self.control:
            return self.control.popleft()
        soonest = self.feed_at
        if active and self.feed_at <= now:
            soonest = float("inf")
            for _ in range(len(active)):
                sender = active[0]
                if not sender.has_more():
                    active.popleft().is_active = False
                elif sender.sends_at > now:
                    soonest = min(soonest, sender.sends_at)
                    active.rotate(-1)
                else:
                    packet = sender.take()
                    active.rotate(-1)
                    self.spend(packet)
                    return packet
        if active and now < soonest < self.wakes_at:
            self.wakes_at = soonest
            self.world.at(soonest, self.wake_up)
        return None

    def wake_up(self):
        self.wakes_at = float("inf")
        self.out.start()

    def spend(self, packet):
        """The bus that feeds the adapter."""
        if self.feed:
            self.feed_at = (max(self.feed_at, self.world.now) +
                            packet.size * 8 / self.feed)

    def send_control(self, packet):
        self.control.append(packet)
        self.out.start()

    # ---- receiving ----

    def receive(self, packet, port):
        if not self.drain or not packet.payload:
            packet.qp.arrive(packet)
            return
        now = self.world.now
        self.drained_at = (max(now, self.drained_at) +
                           packet.size * 8 / self.drain)
        self.world.at(self.drained_at, packet.qp.arrive, packet)
        self.world.at(self.drained_at, self.check_room, port)
        self.check_room(port)

    def check_room(self, port):
        """An adapter whose buffer fills pauses its switch."""
        if self.xoff is None:
            return
        depth = (self.drained_at - self.world.now) * self.drain / 8
        if depth > self.xoff and not self.is_full:
            self.is_full = port.is_pausing = True
            port.send_pause()
        elif depth < self.xoff / 2 and self.is_full:
            self.is_full = port.is_pausing = False
            port.ask_pause(0)


Message = collections.namedtuple(
    "Message", "op begin packets bytes imm delivered acked")


class Limiter:
    """DCQCN-like: a CNP cuts, timers bring back."""

    def __init__(self, half):
        self.half, self.world = half, half.world
        self.line = half.src.out.rate
        self.rate = self.target = self.line
        self.alpha, self.cuts, self.rounds = 1.0, 0, 0
        self.is_on, self.cut_at = False, -1e18

    def cut(self):
        now, cc = self.world.now, self.world.cc
        if now - self.cut_at < cc["apart"]:
            return
        self.cut_at, self.rounds = now, 0
        self.target = self.rate
        self.alpha = min(1, self.alpha * (1 - cc["gain"]) + cc["gain"])
        self.rate = max(self.line / 200, self.rate * (1 - self.alpha / 2))
        if not self.is_on:
            self.is_on = True
            self.world.at(now + cc["timer"], self.recover)

    def recover(self):
        cc = self.world.cc
        if self.world.now - self.cut_at >= cc["timer"]:
            self.alpha *= 1 - cc["gain"]
            self.rounds += 1
            if self.rounds > cc["fast"]:
                self.target = min(self.line, self.target +
                                  cc["step"] * self.line)
            self.rate = (self.rate + self.target) / 2
        if self.rate > 0.99 * self.line:
            self.rate, self.is_on = self.line, False
            return
        self.world.at(self.world.now + cc["timer"], self.recover)


class Responses:
    """What the responder of a half sends for READs."""

    def __init__(self, half):
        self.half, self.todo = half, collections.deque()
        self.is_active, self.sends_at = False, 0

    def has_more(self):
        return bool(self.todo)

    def ask(self, begin, end):
        """Responses from |begin|, instead of those that are not sent yet."""
        self.todo = collections.deque(i for i in self.todo if i < begin)
        self.todo.extend(range(begin, end))
        self.half.dst.wake(self)

    def take(self):
        return self.half.response(self.todo.popleft())


class Half:
    def __init__(self, world, job, src, dst, numbers, sport, start):
        self.world, self.job, self.src, self.dst = world, job, src, dst
        self.own, self.peer = numbers
        self.sport, self.start = sport, start
        # requester
        self.pk, self.messages, self.done = [], [], 0
        self.next = self.una = self.highest = 0
        self.again = collections.deque()
        self.is_active, self.sends_at, self.timer_set = False, 0, False
        self.progress, self.limiter = 0, Limiter(self)
        self.reacts_to, self.reads_out = None, 0
        # responder
        self.want, self.has, self.naked, self.acked = 0, set(), None, 0
        self.msn, self.ack_due, self.cnp_at = 0, False, -1e18
        self.responses = Responses(self)
        self.not_ready, self.asked = None, False

    def psn(self, i):
        return self.start + i & 0xffffff

    # ---- requester ----

    def post(self, op, size, delivered=None, acked=None, imm=True):
        packets = max(1, -(-size // self.world.mtu))
        m = Message(op, len(self.pk), packets, size, imm, delivered, acked)
        self.messages.append(m)
        self.pk += [m] * packets
        if self.una == self.highest:
            self.progress = self.world.now
        self.src.wake(self)

    def has_more(self):
        if self.again:
            return True
        i = self.next
        if i >= len(self.pk):
            return False
        if self.pk[i].op == READ:
            return self.reads_out < self.world.reads
        return i - self.una < self.world.window

    def take(self):
        i = self.again.popleft() if self.again else self.next
        m = self.pk[i]
        place = i - m.begin
        if m.op == READ:
            return self.take_read(i, m)
        if i == self.next:
            self.next += 1
        self.highest = max(self.highest, self.next)
        last = place == m.packets - 1
        ask = (last or self.next - self.una >= self.world.window or
               self.world.ask and i % self.world.ask == self.world.ask - 1)
        payload = self.payload(m, place)
        code = code_of("imm" if m.op == WRITE and m.imm else m.op, place,
                       m.packets)
        data = bth(code, self.peer, self.psn(i), ask)
        if code in (0x06, 0x0a, 0x0b):
            data += struct.pack("!QII", (self.own << 32) + m.begin * 4096,
                                0x77, m.bytes)
        if code in (0x09, 0x0b):
            data += struct.pack("!I", i)
        packet = af.Packet(self, self.src, self.dst, self.sport,
                           ("data", i, ask), data, payload, self.world.ect)
        if self.limiter.is_on:
            self.sends_at = (max(self.world.now, self.sends_at) +
                             packet.size * 8 / self.limiter.rate)
        self.wind_up()
        return packet

    def take_read(self, i, m):
        end = m.begin + m.packets
        if i == self.next:
            self.next = end
            self.reads_out += i == m.begin and i >= self.highest
        self.highest = max(self.highest, self.next)
        left = m.bytes - (i - m.begin) * self.world.mtu
        data = bth(READ_REQUEST, self.peer, self.psn(i), True) + struct.pack(
            "!QII", (self.own << 32) + i * 4096, 0x77, left)
        self.wind_up()
        return af.Packet(self, self.src, self.dst, self.sport,
                         ("request", i, end), data, 0, self.world.ect)

    def payload(self, m, place):
        return min(self.world.mtu, m.bytes - place * self.world.mtu)

    def wind_up(self):
        if not self.timer_set:
            self.timer_set = True
            self.world.at(self.progress + self.world.rto, self.expire)

    def expire(self):
        self.timer_set = False
        now = self.world.now
        if self.una >= self.highest:
            return
        if now < self.progress + self.world.rto:
            self.wind_up()
            return
        self.world.timeouts[self.job] += 1
        self.progress = now
        self.again.clear()
        self.next = self.una
        self.reads_out = 0
        self.wind_up()
        self.src.wake(self)

    def advance(self, to):
        if to > self.una:
            self.una, self.progress = to, self.world.now
            self.next = max(self.next, to)
            while self.done < len(self.messages):
                m = self.messages[self.done]
                if m.begin + m.packets > to:
                    break
                self.done += 1
                if m.op == READ:
                    self.reads_out = max(0, self.reads_out - 1)
                    if m.delivered:
                        m.delivered()
                if m.acked:
                    m.acked()
        if self.has_more():
            self.src.wake(self)

    def first_read(self, to):
        """The first position before |to| that only a response acknowledges."""
        for i in range(self.una, to):
            if self.pk[i].op == READ:
                return i
        return to

    def hear_ack(self, to):
        self.advance(self.first_read(to))

    def hear_nak(self, to):
        self.advance(to)
        if self.reacts_to != to:
            self.reacts_to = to
            self.world.at(self.world.now + self.world.reaction, self.go_back,
                          to)

    def go_back(self, to):
        self.reacts_to = None
        if not self.una <= to < self.highest:
            return
        if self.world.selective and self.pk[to].op != READ:
            if to not in self.again:
                self.again.append(to)
        else:
            self.next = to
        self.progress = self.world.now
        self.src.wake(self)

    def hear_rnr(self, to):
        self.advance(to)
        self.next = self.una
        self.sends_at = self.world.now + self.world.rnr_ns
        self.progress = self.sends_at
        self.src.wake(self)

    def hear_response(self, i):
        self.advance(self.first_read(i))
        if i == self.una:
            self.advance(i + 1)
        elif i > self.una and self.reacts_to != self.una:
            self.reacts_to = self.una
            self.world.at(self.world.now + self.world.reaction, self.go_back,
                          self.una)

    # ---- responder ----

    def arrive(self, packet):
        what, i, more = packet.what
        if packet.ce and what in ("data", "response"):
            self.answer_mark(what)
        getattr(self, "arrive_" + what)(i, more)

    def arrive_ack(self, i, _):
        self.hear_ack(i)

    def arrive_nak(self, i, _):
        self.hear_nak(i)

    def arrive_rnr(self, i, _):
        self.hear_rnr(i)

    def arrive_response(self, i, _):
        self.hear_response(i)

    def arrive_cnp(self, i, _):
        if self.world.cc:
            self.limiter.cut()

    def answer_mark(self, what):
        now = self.world.now
        cc = self.world.cc
        if not cc or now - self.cnp_at < cc["cnp_every"]:
            return
        if what == "response":
            return      # their sender has no limiter
        self.cnp_at = now
        self.control(("cnp", 0, None), bth(CNP, self.own, 0), 16)

    def arrive_request(self, i, end):
        if i > self.want:
            self.complain()
            return
        self.want = max(self.want, end)
        self.acked = self.want
        self.responses.ask(i, end)

    def arrive_data(self, i, ask):
        if i < self.want:
            self.send_ack()
        elif i > self.want:
            if self.world.selective:
                self.has.add(i)
            self.complain()
        elif self.not_ready and self.not_ready(self.pk[i], i):
            self.control(("rnr", i, None), bth(ACK, self.own, self.psn(i)) +
                         struct.pack("!I", (RNR_NAK | self.world.rnr_code)
                                     << 24 | self.msn))
        else:
            self.take_in(i, ask)

    def take_in(self, i, ask):
        while True:
            m = self.pk[i]
            self.want = i + 1
            if i == m.begin + m.packets - 1:
                self.msn = self.msn + 1 & 0xffffff
                if m.delivered:
                    m.delivered()
            i += 1
            if i not in self.has:
                break
            self.has.discard(i)
            ask = True
        if self.naked is not None and self.want > self.naked:
            self.naked = None
        if self.has:
            self.complain()
        elif ask or self.want - self.acked >= self.world.ack_every:
            self.ack_soon()

    def complain(self):
        if self.naked != self.want:
            self.naked = self.want
            self.acked = self.want
            self.control(("nak", self.want, None),
                         bth(ACK, self.own, self.psn(self.want)) +
                         struct.pack("!I", SEQUENCE_ERROR << 24 | self.msn))

    def ack_soon(self):
        if not self.ack_due:
            self.ack_due = True
            self.world.at(self.world.now + self.world.ack_delay,
                          self.send_ack)

    def send_ack(self):
        self.ack_due = False
        self.acked = self.want
        self.control(("ack", self.want, None),
                     bth(ACK, self.own, self.psn(self.want - 1)) +
                     struct.pack("!I", self.world.credit << 24 | self.msn))

    def control(self, what, data, payload=0):
        self.dst.send_control(af.Packet(self, self.dst, self.src, self.sport,
                                        what, data, payload, False))

    def response(self, i):
        m = self.pk[i]
        code = code_of(READ, i - m.begin, m.packets)
        data = bth(code, self.own, self.psn(i))
        if code != 0x0e:
            data += struct.pack("!I", self.world.credit << 24 | self.msn)
        return af.Packet(self, self.dst, self.src, self.sport,
                         ("response", i, None), data,
                         self.payload(m, i - m.begin), self.world.ect)


def code_of(op, place, packets):
    only, first, middle, last = CODES[op]
    if packets == 1:
        return only
    if place == 0:
        return first
    return last if place == packets - 1 else middle
