# SPDX-License-Identifier: GPL-2.0-or-later
"""Reliable connections: both roles of a queue pair, from the InfiniBand text.

Go-back-N or selective repeat, NAKs, RNR NAKs, retransmission timeouts, READ
responses, and the reaction of DCQCN to CNPs.  Habits are of |nic|, a dict."""
import collections

import net

(SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_ONLY, SEND_ONLY_IMM,
 WRITE_FIRST, _, _, _, WRITE_ONLY, _, READ_REQUEST, READ_FIRST, READ_MIDDLE,
 READ_LAST, READ_ONLY, ACKNOWLEDGE) = range(18)
CNP = 0x81
ACK, RNR_NAK, SEQUENCE_ERROR = 0x1f, 0x20, 0x60
MASK = 0xffffff
RATE_TIMER, CUT_EVERY = 55_000, 4_000   # DCQCN


class Work:
    """|done|: called when it is acknowledged; |seen|: when it has arrived."""

    def __init__(self, op, size, first, count, address):
        self.op, self.size, self.first = op, size, first
        self.last, self.address = first + count - 1, address


class Rate:
    """The reaction point of DCQCN."""

    def __init__(self, sim, line):
        self.sim, self.line = sim, line
        self.current = self.target = line
        self.alpha, self.stage, self.last_cut = 1.0, 0, -CUT_EVERY
        self.is_growing, self.was_cut = False, False

    def cut(self):
        now = self.sim.now
        if now - self.last_cut < CUT_EVERY:
            return
        self.last_cut, self.target = now, self.current
        self.current = max(self.line * 0.005,
                           self.current * (1 - self.alpha / 2))
        self.alpha = self.alpha * 0.94 + 0.06
        self.stage, self.was_cut = 0, True
        if not self.is_growing:
            self.is_growing = True
            self.sim.at(now + RATE_TIMER, self.grow)

    def grow(self):
        if not self.was_cut:
            self.alpha *= 0.94
        self.was_cut = False
        self.stage += 1
        if self.stage > 5:
            self.target = min(self.line, self.target + self.line * 0.03)
        self.current = (self.current + self.target) / 2
        if self.current > self.line * 0.995:
            self.current = self.target = self.line
            self.is_growing = False
        else:
            self.sim.at(self.sim.now + RATE_TIMER, self.grow)


class Pair:
    """One end of a connection.  PSNs are counted from its first,
    |first_psn|."""

    def __init__(self, host, nic, name):
        self.sim, self.host, self.nic, self.name = host.sim, host, nic, name
        self.dice = dice = host.sim.dice("pair " + name)
        self.number = dice.randrange(1, 1 << 22)
        self.sport = dice.randrange(0xc000, 0x10000)
        self.first_psn = {"zero": 0, "wrap": 0x1000000 - dice.randrange(1, 600)
                          }.get(nic["psn"], dice.randrange(1 << 24))
        self.ip_id, self.peer, self.in_ring = dice.randrange(65536), None, False
        # requester
        self.packets = []                   # (work, number in it)
        self.next, self.unacked, self.sent_to = 0, 0, 0
        self.again = collections.deque()    # selective repeat
        self.hold, self.next_send, self.implied = 0.0, 0.0, -1
        self.progress, self.has_timer, self.backoff = 0.0, False, 0
        self.rate = Rate(host.sim, nic["speed"])
        # responder
        self.expected, self.msn, self.since_ack = 0, 0, 0
        self.early, self.nak, self.nak_sent = {}, None, False
        self.rnr = None
        self.rnr_until, self.last_cnp, self.ack_timer = 0.0, -1e9, False
        # of READs [next, end, size, first], and ACKs (rel, syndrome, msn)
        self.responses = collections.deque()

    # ---- requester ----

    def post(self, op, size, immediate=False, done=None, seen=None,
             buffer=None):
        """|buffer|: an event, before which a SEND finds none."""
        count = max(1, -(-size // self.nic["mtu"]))
        work = Work(op, size, len(self.packets), count,
                    0x7f0000000000 + self.dice.randrange(1 << 20) * 4096)
        work.immediate, work.done, work.seen = immediate, done, seen
        work.buffer = buffer
        self.packets += [work] * count
        self.host.wake(self)

    def ready(self, now):
        """When it has something to send, or None."""
        if self.responses:
            return max(now, self.next_send)
        if self.again or (self.next < len(self.packets) and self.next -
                          self.unacked < self.nic["window"]):
            return max(now, self.hold, self.next_send)
        return None

    def packet(self, op, prio=net.DATA):
        p = net.Packet(op, self.host.index, self.peer.host.index, prio)
        p.pair, p.sport = self.peer, self.sport
        p.ecn = 2 if prio == net.DATA else 0
        if self.nic["ip_id"] == "pair":
            self.ip_id = (self.ip_id + 1) & 0xffff
            p.ip_id = self.ip_id
        return p

    def finish(self, p):
        """Its size, and when the rate allows the next one."""
        nic = self.nic
        headers = 16 * bool(p.reth) + 4 * (p.syndrome is not None) + \
            4 * p.immediate + 16 * (p.op == CNP)
        p.size = (18 if nic["vlan"] else 14) + (40 if nic["v6"] else 20) + \
            8 + 12 + headers + p.payload + -p.payload % 4 + 4
        return p

    def emit(self, now):
        p = self.response() if self.responses else self.request(now)
        if p:
            self.finish(p)
            if self.rate.current < self.rate.line:
                self.next_send = max(now, self.next_send) + \
                    (p.size + net.FRAMING) * 8 / self.rate.current
        return p

    def request(self, now):
        while self.again and self.again[0] < self.unacked:
            self.again.popleft()
        if self.again:
            rel = self.again.popleft()
            end = rel + 1
        elif self.next < len(self.packets):
            rel = self.next
            work = self.packets[rel]
            self.next = end = (work.last if work.op == "read" else rel) + 1
        else:
            return None
        p = self.request_packet(rel, self.packets[rel])
        if rel < self.sent_to:
            self.sim.retransmitted.append((now, self.name, p.psn))
        else:
            self.sent_to = end
            if self.unacked >= rel:
                self.progress = now
        if not self.has_timer:
            self.has_timer = True
            self.progress = max(self.progress, now)
            self.sim.at(now + self.nic["rto"], self.timer)
        return p

    def request_packet(self, rel, work):
        p = self.packet(READ_REQUEST)
        mtu, number = self.nic["mtu"], rel - work.first
        p.rel, p.psn, p.work = rel, (self.first_psn + rel) & MASK, work
        p.is_last = rel == work.last
        left = work.size - number * mtu
        if work.op == "read":
            p.reth, p.asks = (work.address + number * mtu, 7, left), True
            return p
        base = WRITE_FIRST if work.op == "write" else SEND_FIRST
        p.payload = min(mtu, left)
        p.immediate = work.immediate and p.is_last
        if work.first == work.last:
            p.op = base + SEND_ONLY + p.immediate
        elif number == 0:
            p.op = base
        elif p.is_last:
            p.op = base + SEND_LAST + p.immediate
        else:
            p.op = base + SEND_MIDDLE
        if base == WRITE_FIRST and number == 0:
            p.reth = (work.address, 7, work.size)
        p.asks = p.is_last or (rel + 1) % self.nic["asks_every"] == 0
        return p

    def timer(self):
        now = self.sim.now
        if self.unacked >= self.sent_to:
            self.has_timer = False
            return
        wait = self.nic["rto"]
        if self.nic["rto_grows"]:
            wait *= 2 ** min(self.backoff, 3)
        if self.progress + wait > now + 1:
            self.sim.at(self.progress + wait, self.timer)
            return
        self.backoff += 1
        self.sim.timeouts += 1
        self.again.clear()
        self.next, self.progress = self.unacked, now
        self.host.wake(self)
        self.sim.at(now + wait, self.timer)

    def go_back(self, rel, delay, is_selective=False):
        if is_selective:
            if rel not in self.again:
                self.again.append(rel)
        else:
            self.again.clear()
            self.next = min(self.next, rel)
        self.hold = max(self.hold, self.sim.now + delay)
        self.host.wake(self)

    def acknowledged(self, end, by_response=False):
        """All before |end|; but a READ only by its responses, one by one."""
        hole = None
        while self.unacked < end:
            work = self.packets[self.unacked]
            if work.op == "read" and not (by_response and
                                          self.unacked == end - 1):
                hole = self.unacked
                break
            self.unacked += 1
            self.progress, self.backoff = self.sim.now, 0
            if self.unacked > work.last and work.done:
                work.done()
        self.next = max(self.next, self.unacked)
        if hole is not None and self.implied != hole and hole < self.next:
            self.implied = hole
            self.go_back(hole, self.nic["reaction"])
        self.host.wake(self)

    # ---- both ----

    def receive(self, p):
        if p.op == CNP:
            if self.nic["reacts"]:
                self.rate.cut()
            return
        if p.ecn == 3:
            self.notify()
        if p.op == ACKNOWLEDGE:
            self.take_ack(p)
        elif READ_FIRST <= p.op <= READ_ONLY:
            if p.rel >= self.unacked:
                self.acknowledged(p.rel + 1, True)
        else:
            self.take_request(p)

    def take_ack(self, p):
        if p.syndrome < RNR_NAK:
            self.acknowledged(p.rel + 1)
            return
        self.acknowledged(p.rel)
        if p.rel >= self.unacked:
            if p.syndrome < SEQUENCE_ERROR:
                self.go_back(p.rel, self.nic["rnr_wait"])
            else:
                self.go_back(p.rel, self.nic["reaction"],
                             self.nic["selective"])

    def notify(self):
        now = self.sim.now
        if now - self.last_cnp >= self.nic["cnp_every"]:
            self.last_cnp = now
            self.host.control.appendleft(
                self.finish(self.packet(CNP, net.CTRL)))
            self.host.port.kick()

    # ---- responder ----

    def take_request(self, p):
        ahead = p.rel - self.expected
        if ahead == 0:
            if not self.has_buffer(p):
                return
            self.nak = None
            self.accept(p)
            while self.expected in self.early:
                self.accept(self.early.pop(self.expected))
            if self.early:
                self.find_gap()
        elif ahead > 0:
            if self.rnr == self.expected:
                return
            if self.nic["selective"]:
                self.early.setdefault(p.rel, p)
            self.find_gap()
        elif p.op == READ_REQUEST:
            # repeated: what follows it will be repeated, too
            self.responses = collections.deque(
                r for r in self.responses if r[0] < p.rel)
            for r in self.responses:
                if isinstance(r, list):
                    r[1] = min(r[1], p.rel)
            self.respond_to_read(p)
        elif p.asks:
            self.respond(self.expected - 1, ACK)

    def has_buffer(self, p):
        buffer = p.work.buffer
        if buffer is None or buffer.is_set:
            return True
        now = self.sim.now
        if self.rnr != p.rel or self.rnr_until < now:
            self.rnr, self.rnr_until = p.rel, now + self.nic["rnr_wait"] / 2
            self.sim.rnr_naks += 1
            self.respond(p.rel, RNR_NAK | self.nic["rnr_code"])
        return False

    def find_gap(self):
        if self.nak != self.expected:
            self.nak, self.nak_sent = self.expected, False
            self.sim.at(self.sim.now + self.nic["nak_after"], self.send_nak,
                        self.expected)

    def send_nak(self, rel):
        if self.expected == rel == self.nak and not self.nak_sent:
            self.nak_sent = True
            self.sim.naks += 1
            self.respond(rel, SEQUENCE_ERROR)

    def accept(self, p):
        self.msn += p.is_last or p.op == READ_REQUEST
        if p.op == READ_REQUEST:
            self.expected += self.respond_to_read(p)
            return
        self.expected = p.rel + 1
        self.since_ack += 1
        if p.is_last and p.work.seen:
            self.sim.at(self.sim.now + self.nic["turn"], p.work.seen)
        if self.nic["ack_after"]:
            if not self.ack_timer:
                self.ack_timer = True
                self.sim.at(self.sim.now + self.nic["ack_after"],
                            self.ack_late)
        elif self.since_ack >= self.nic["ack_every"] or p.is_last:
            self.respond(self.expected - 1, ACK)

    def ack_late(self):
        self.ack_timer = False
        if self.since_ack:
            self.respond(self.expected - 1, ACK)

    def respond(self, rel, syndrome):
        """Responses are in order: an ACK does not overtake those of READs."""
        self.since_ack = 0
        if self.responses:
            self.responses.append((rel, syndrome, self.msn))
            self.host.wake(self)
            return
        p = self.finish(self.ack(rel, syndrome, self.msn))
        self.host.control.append(p)
        self.host.port.kick()

    def ack(self, rel, syndrome, msn):
        p = self.packet(ACKNOWLEDGE)
        p.rel, p.psn = rel, (self.peer.first_psn + rel) & MASK
        p.syndrome, p.msn = syndrome, msn
        p.ecn = 2 if self.nic["ack_ect"] else 0
        return p

    def respond_to_read(self, p):
        size = p.reth[2]
        count = max(1, -(-size // self.nic["mtu"]))
        self.responses.append([p.rel, p.rel + count, size, p.rel])
        self.host.wake(self)
        return count

    def response(self):
        job = self.responses[0]
        if isinstance(job, tuple):
            self.responses.popleft()
            return self.ack(*job)
        rel, end, size, first = job
        job[0] += 1
        if job[0] >= end:
            self.responses.popleft()
        left = size - (rel - first) * self.nic["mtu"]
        is_last = left <= self.nic["mtu"]
        p = self.packet(READ_MIDDLE)
        if rel == first:
            p.op = READ_ONLY if is_last else READ_FIRST
        elif is_last:
            p.op = READ_LAST
        p.payload = min(self.nic["mtu"], left)
        if p.op != READ_MIDDLE:
            p.syndrome, p.msn = ACK, self.msn
        p.rel, p.psn = rel, (self.peer.first_psn + rel) & MASK
        return p


def connect(a, b, nic, name):
    """Both ends; |name| is theirs alone."""
    ends = Pair(a, nic, name), Pair(b, nic, "back of " + name)
    ends[0].peer, ends[1].peer = ends[1], ends[0]
    if nic["sport"] == "same":
        ends[1].sport = ends[0].sport
    return ends
