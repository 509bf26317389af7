# SPDX-License-Identifier: GPL-2.0-or-later
"""What hosts of Ultra Ethernet do: both ends of a context, one after the other
with the same numbers perhaps; and traffic without contexts.

Packets are counted from 0 in each direction of a context; the PSN of the first
is drawn by lot."""
import collections
import struct

import uet_wire as wire

READS = "reads"


class Sent:
    """One number of a sender: how it is written, and what became of it."""

    def __init__(self, following=wire.NONE, body=b"", control=None, **what):
        self.following, self.body, self.control = following, body, control
        self.message, self.whole = what.get("message", 0), what.get("whole", 0)
        self.ends, self.asks = what.get("ends", False), what.get("asks", False)
        self.wants = what.get("wants", 0)  # octets that it asks for
        self.number = None
        self.count, self.last, self.acked = 0, 0, False
        self.queued = self.delivered = self.doubted = False
        self.arrived = None  # which of its transmissions came first


class Sender:
    """Paces, repeats and gives up waiting; what it writes is not known here."""

    def __init__(self, world, src, dst, key):
        self.world, self.src, self.dst, self.key = world, src, dst, key
        self.made, self.una, self.again = [], 0, collections.deque()
        self.busy, self.free_at, self.back_at = False, 0, -1
        world.keys.add(key)

    def go_on(self):
        if not self.busy:
            self.busy = True
            self.world.at(max(self.world.now, self.free_at), self.send)

    def choose(self):
        while self.again:
            out = self.again.popleft()
            out.queued = False
            if not out.acked:
                return out
        if len(self.made) - self.una >= self.world.window:
            return None
        out = self.supply()
        if out:
            out.number = len(self.made)
            self.made.append(out)
        return out

    def send(self):
        self.busy = False
        out = self.choose()
        if not out:
            return
        out.count += 1
        out.last = self.world.now
        size = self.transmit(out, out.count)
        pause = self.world.pause if out.ends and out.count == 1 else 0
        self.free_at = (self.world.now + int(size * 8e9 / self.world.rate) + 1 +
                        pause)
        self.wind_up(out)
        self.go_on()

    def repeat(self, outs, delay=0):
        outs = [o for o in outs if not (o.acked or o.queued)]
        for out in outs:
            out.queued = True
        if outs:
            self.world.at(self.world.now + delay, self.repeat_now, outs)

    def repeat_now(self, outs):
        self.again.extend(outs)
        self.go_on()

    def wind_up(self, out):
        back = 1 << min(out.count - 1, 3) if self.world.doubles else 1
        self.world.at(self.world.now + self.world.timeout * back, self.expire,
                      out, out.count)

    def expire(self, out, count):
        world = self.world
        if out.acked or out.count != count:
            return
        if out.queued or (world.timers != "each" and
                          out is not self.made[self.una]):
            world.at(world.now + world.timeout, self.expire, out, count)
        elif self.doubts(out):
            world.at(world.now + world.timeout, self.expire, out, count)
        else:
            world.expired[self.key].append(world.now)
            self.repeat(self.made[self.una:] if world.timers == "all" else
                        [out])

    def doubts(self, _):
        return False

    def is_acked(self, out):
        out.acked = True
        while self.una < len(self.made) and self.made[self.una].acked:
            self.una += 1

    def count_spurious(self):
        """Copies of what had been on its way, and came."""
        self.world.spurious[self.key] += sum(
            o.count - o.arrived for o in self.made if o.arrived)

    def came(self, out, nth):
        if out.arrived is None:
            out.arrived = nth


class End(Sender):
    """One end of a context: sends requests, and answers those of the other."""

    def __init__(self, context, src, dst, own, start):
        super().__init__(context.world, src, dst, (src, dst, own))
        dice = self.world.dice
        self.context, self.own, self.other = context, own, None
        self.start = start
        self.initiates = context.initiator is None
        self.backlog = collections.deque()
        self.budget = self.world.packets if self.initiates else 0
        self.messages, self.read, self.wanted = 0, 0, 0
        self.ev = dice.randrange(1 << 16)
        self.cleared = self.credit = self.told_clear = 0
        # as a receiver
        self.want, self.has, self.high = 0, set(), -1
        self.pending, self.flushes, self.named = 0, 0, set()
        self.received, self.disorder, self.answers = 0, 0, 0
        self.knows = not self.initiates
        self.refusals = self.world.refused
        self.may_clear = 0  # responses to all before have arrived

    def psn(self, number):
        return self.start + number

    # ---- what is to be sent ----

    def supply(self):
        if not self.backlog and self.budget > 0:
            self.compose()
        return self.backlog.popleft() if self.backlog else None

    def compose(self):
        """A message."""
        world, dice, job = self.world, self.world.dice, self.context.job
        op = world.op or dice.choice((wire.WRITE, wire.SEND, wire.TAGGED,
                                      wire.READ))
        packets = min(world.message, self.budget)
        self.budget -= packets
        self.messages += 1
        if op == wire.READ:
            return self.compose_reads(packets)
        length = packets * world.mtu - dice.randrange(world.mtu // 2)
        if packets == 1 and world.form != wire.STD:
            make = wire.small if world.form == wire.SMALL else wire.medium
            self.backlog.append(Sent(world.form, make(op, 8, job, length) +
                                     bytes(length), whole=length, ends=True,
                                     asks=world.ask != "never"))
            return
        for i in range(packets):
            offset = i * world.mtu
            size = min(world.mtu, length - offset)
            ends = i == packets - 1
            asks = {"last": ends, "every 4th": ends or i % 4 == 3,
                    "never": False}[world.ask]
            body = wire.standard(op, 8, self.messages, job, offset, size,
                                 length, i == 0, ends) + bytes(size)
            self.backlog.append(Sent(wire.STD, body, message=self.messages,
                                     whole=length, ends=ends, asks=asks))

    def compose_reads(self, packets):
        """One READ for each packet of its answer, or one for all of them."""
        world, job = self.world, self.context.job
        small = world.reads_in_ack or packets == 1
        length = world.mtu if small else world.mtu * packets
        for _ in range(packets if small else 1):
            self.wanted += length
            body = wire.standard(wire.READ, 8, self.messages, job, 0, 0, length,
                                 True, True)
            self.backlog.append(Sent(wire.STD, body, message=self.messages,
                                     whole=length, ends=True, asks=True,
                                     wants=length))

    def give(self, asked):
        """The data that |asked| wants, in this direction."""
        world, job = self.world, self.context.job
        self.messages += 1
        for offset in range(0, asked.wants, world.mtu):
            size = min(world.mtu, asked.wants - offset)
            ends = offset + size == asked.wants
            if asked.wants == size and world.form == wire.SMALL:
                following = wire.DATA_SMALL
                head = wire.response_data_small(
                    job, size, self.other.psn(asked.number))
            else:
                following = wire.DATA
                head = wire.response_data(self.messages, job, asked.message,
                                          size, asked.wants, offset)
            self.backlog.append(Sent(following, head + bytes(size), ends=ends,
                                     message=READS, whole=size, asks=ends))
        self.go_on()

    def command(self, what):
        self.backlog.append(Sent(control=what, asks=True))
        self.go_on()

    # ---- writing requests ----

    def entropy(self):
        if self.world.paths > 1:
            return self.world.dice.randrange(1 << 16)
        return self.ev

    def peer_or_offset(self, number):
        return self.other.own if self.knows else number & 0xfff

    def clear_offset(self, number):
        clear = {"true": self.may_clear - 1 - number, "before": -1,
                 "zero": 0}[self.world.clear]
        return max(clear, -32768)

    def transmit(self, out, nth):
        world = self.world
        flags = ((0 if self.knows else wire.SYN) |
                 (wire.RETX if nth > 1 else 0) |
                 (wire.ASKS if out.asks or nth > 1 and world.ask_again else 0))
        psn, peer = self.psn(out.number), self.peer_or_offset(out.number)
        if out.control is None:
            kinds = wire.REQUEST_CC if world.cc else wire.REQUEST
            self.credit += len(out.body) // 256 + 1
            packet = wire.request(
                kinds[world.mode], out.following, flags,
                self.clear_offset(out.number), psn, self.own, peer,
                wire.cc_request(1, self.credit) if world.cc else b"") + out.body
        else:
            packet = wire.control(out.control, flags | self.isrod(), psn,
                                  self.own, peer)
        if nth > 1 and world.repaths:
            self.ev = world.dice.randrange(1 << 16)
        ev, syn, clear = self.entropy(), flags & wire.SYN, self.may_clear
        parcel = world.datagram(
            self.src, self.dst, ev, packet, key=self.key,
            number=psn & wire.MASK, first=nth == 1, again=nth > 1,
            control=out.control is not None)
        world.travel(parcel, lambda: self.other.receive(
            out, nth, parcel, flags & wire.ASKS or syn, clear))
        return len(parcel.data) + 38

    def isrod(self):
        return wire.ISROD if self.world.mode == wire.ROD else 0

    def aside(self, what, psn, payload=0, opaque=0, arrive=lambda: None):
        """A control packet that takes no number."""
        if not self.knows:
            return
        packet = wire.control(what, self.isrod(), psn, self.own, self.other.own,
                              payload, opaque)
        self.world.travel(self.world.datagram(
            self.src, self.dst, self.entropy(), packet, control=True,
            answer=True), arrive)

    def chat(self):
        """Control packets for which there is no need."""
        world, newest = self.world, self.psn(max(len(self.made) - 1, 0))
        if world.chance(world.probes):
            self.ask_state()
        if world.chance(world.noops):
            self.aside(wire.NOOP, world.dice.choice((0, newest)))
        if world.chance(world.clears):
            self.aside(wire.CLEAR, 0, self.psn(self.may_clear - 1))
        if world.cc and world.chance(0.05):
            self.aside(wire.CREDIT_REQ, 0, 1 << 24 | self.credit & 0xffffff)

    def ask_state(self):
        opaque, base = self.world.dice.randrange(1 << 16), self.una
        self.aside(wire.PROBE, self.psn(self.una), self.psn(base), opaque,
                   lambda: self.other.answer_probe(opaque, base))

    def doubts(self, out):
        """Asks for the state of |out| before it is sent again."""
        if not self.world.asks_first or out.doubted or not self.knows:
            return False
        out.doubted = True
        self.aside(wire.ACK_REQ, self.psn(out.number),
                   arrive=lambda: self.other.answer_request(out))
        return True

    # ---- receiving requests ----

    def receive(self, out, nth, parcel, at_once, clear):
        world, number = self.world, out.number
        had = number < self.want or number in self.has
        self.cleared = max(self.cleared, clear)
        if parcel.trimmed is not None:
            if had:
                return self.answer(out, nth, parcel)
            last = parcel.trimmed == 1 and world.lasthop
            return self.refuse(wire.TRIMMED_LASTHOP if last else wire.TRIMMED,
                               number, parcel, nth)
        if self.refusals and not self.initiates and not self.answers:
            self.refusals -= 1
            return self.refuse(wire.NO_PDC_AVAIL, number, parcel, nth, own=0)
        if had:
            self.came(out, nth)
            return self.answer(out, nth, parcel, once_more=True)
        if out.control is None and world.chance(world.busy):
            return self.refuse(world.dice.choice(wire.BUSY), number, parcel,
                               nth)
        if world.discards and number > self.want:
            self.disorder += 1
            if world.ooo == "each" or (world.ooo == "once" and
                                       self.want not in self.named):
                self.named.add(self.want)
                self.refuse(wire.ROD_OOO, number, parcel, nth,
                            told=[self.want])
            return None
        return self.accept(out, nth, parcel, at_once)

    def accept(self, out, nth, parcel, at_once):
        world, number = self.world, out.number
        self.other.came(out, nth)
        self.received += len(out.body)
        late = number < self.high
        self.high = max(self.high, number)
        self.has.add(number)
        while self.want in self.has:
            self.has.discard(self.want)
            self.want += 1
        self.disorder += late
        self.act_upon(out)
        self.pending += 1
        if (at_once or self.pending >= world.ack_every or world.guards or
                (self.has or late) and world.ack_disorder):
            self.answer(out, nth, parcel)
        else:
            self.flushes += 1
            world.at(world.now + world.ack_wait, self.flush, self.flushes, out,
                     nth, parcel)
        if self.has and world.infers != "never":
            world.at(world.now + (0 if world.hurries else world.patience // 2),
                     self.infer, self.high, parcel)

    def flush(self, which, out, nth, parcel):
        if which == self.flushes and self.pending:
            self.answer(out, nth, parcel)

    def infer(self, high, parcel):
        """What should have come by now is lost; some say so of the first one
        whenever another comes."""
        for number in range(self.want, high):
            again = self.world.infers == "each" and number == self.want
            if number in self.has or number in self.named and not again:
                continue
            self.named.add(number)
            self.refuse(wire.INFER_LOSS, number, parcel, 1)

    def act_upon(self, out):
        if out.message is READS:
            self.read += out.whole
        if out.wants and not self.in_ack(out):
            self.give(out)
        if out.control == wire.CLOSE:
            self.context.is_closed = True
        if out.control == wire.CLOSE_REQ:
            self.command(wire.CLOSE)
        self.context.look()

    def in_ack(self, out):
        return out.wants and self.world.reads_in_ack

    # ---- answering ----

    def cack(self):
        return min(self.want, self.cleared) if self.world.guards else self.want

    def reply(self, packet, ev, arrive, **what):
        world = self.world
        parcel = world.datagram(self.src, self.dst, ev, packet, answer=True,
                                key=self.other.key, control=True, **what)
        world.at(world.now + world.service, world.travel, parcel, arrive)

    def refuse(self, code, number, parcel, nth, own=None, told=None):
        world = self.world
        own = self.own if own is None else own
        flags = ((wire.MARKED if parcel.marked is not None else 0) |
                 (wire.RETX if nth > 1 else 0)) if world.echoes else 0
        names = [number] if told is None else told
        self.reply(wire.nack(code, flags, self.other.psn(number), own,
                             self.other.own), parcel.path,
                   lambda: self.other.hear_refusal(code, number, own),
                   trims=parcel if parcel.trimmed is not None else None,
                   told=[self.other.psn(n) & wire.MASK for n in names])

    def semantic(self, out, once_more):
        """The response of SES that goes with an answer."""
        world, job = self.world, self.context.job
        if self.in_ack(out):
            if world.form == wire.SMALL:
                head = wire.response_data_small(job, out.wants,
                                                self.other.psn(out.number))
                return wire.DATA_SMALL, head + bytes(out.wants)
            head = wire.response_data(1, job, out.message, out.wants, out.wants,
                                      0)
            return wire.DATA, head + bytes(out.wants)
        if out.control is not None or world.answers == "none":
            return wire.NONE, b""
        if once_more and world.answers_again == "null":
            return wire.RESPONSE, wire.response(0, 0, 0, 0, 0)
        message = 0 if out.message is READS else out.message
        opcode, code = {"default": (0, 1), "null": (0, 0),
                        "response": (1, 1)}[world.answers]
        return wire.RESPONSE, wire.response(opcode, code, message, job,
                                            out.whole)

    def bitmap(self, base):
        return sum(1 << i for i in range(64)
                   if base + i < self.want or base + i in self.has)

    def state(self, around):
        """What ACK_CC has behind an ACK; and what its bitmap is of."""
        world, cack = self.world, self.cack() - 1
        base = {"cack": cack, "next": cack + 1, "eight": cack & ~7,
                "ack": max(around - 40, cack)}[world.base]
        if world.cc:
            kind, state = 1, wire.credit_state(self.received // 256 + 64,
                                               self.disorder & 0xfff)
        else:
            kind, state = 0, wire.nscc(
                world.service // 128, (self.received + 255) // 256 & 0xffffff,
                self.disorder & 0xfff)
        if world.ack == wire.ACK_CCX:
            state += bytes(8)
        bits = self.bitmap(base)
        return base, bits, wire.ack_cc(kind, world.mpr, base - cack, bits,
                                       state)

    def told_by(self, base, bits):
        """The holes that a bitmap shows."""
        return [self.other.psn(base + i) & wire.MASK
                for i in range(bits.bit_length()) if not bits >> i & 1]

    def answer(self, out, nth, parcel, once_more=False, request=0):
        """|request|: what it asks for."""
        world = self.world
        self.pending, self.answers = 0, self.answers + 1
        self.flushes += 1
        flags = request << 1
        if world.echoes:
            flags |= ((wire.MARKED if parcel.marked is not None else 0) |
                      (wire.RETX if nth > 1 else 0))
        if world.guards and not request and self.want - self.cleared > 8:
            flags |= wire.REQ_CLEAR
        kind, rest, bits, base = wire.ACK, b"", 0, 0
        if world.ack != wire.ACK and (world.sack == "always" or (
                self.has if world.sack == "at holes" else
                self.answers % 4 == 0)):
            kind = world.ack
            base, bits, rest = self.state(out.number)
        following, semantic = self.semantic(out, once_more)
        cack = self.cack()
        packet = wire.ack(kind, following, flags, out.number - cack + 1,
                          self.other.psn(cack - 1), self.own, self.other.own,
                          rest) + semantic
        self.reply(packet, parcel.path, lambda: self.other.hear(
            out, cack, base, bits, flags), told=self.told_by(base, bits))

    def answer_probe(self, opaque, base):
        """|base|: what the probe wants to know of."""
        cack = self.cack()
        base = max(base, cack - 1)
        bits = self.bitmap(base)
        state = wire.nscc(0, 0, 0xffff)
        packet = wire.ack(wire.ACK_CC, wire.NONE, wire.PROBED, opaque,
                          self.other.psn(cack - 1), self.own, self.other.own,
                          wire.ack_cc(0, self.world.mpr, base - cack + 1, bits,
                                      state))
        self.reply(packet, self.ev, lambda: self.other.hear(
            None, cack, base, bits, 0), told=self.told_by(base, bits))

    def answer_request(self, out):
        """An ACK_REQ."""
        parcel = self.world.datagram(self.dst, self.src, self.ev, b"")
        if out.number < self.want or out.number in self.has:
            self.answer(out, out.count, parcel)
        else:
            self.refuse(wire.PKT_NOT_RCVD, out.number, parcel, out.count)

    # ---- hearing answers ----

    def hear(self, out, cack, base, bits, flags):
        world = self.world
        self.knows = True
        for other in self.made[self.una:cack]:
            if not self.in_ack(other):
                self.is_acked(other)
        if out:
            out.delivered = True
            if self.in_ack(out) and not out.acked:
                self.read += out.wants
            self.is_acked(out)
        for i in range(bits.bit_length()):
            if bits >> i & 1 and 0 <= base + i < len(self.made) and \
                    not self.in_ack(self.made[base + i]):
                self.is_acked(self.made[base + i])
        while (self.may_clear < len(self.made) and
               self.made[self.may_clear].acked and
               (not world.guards or self.made[self.may_clear].delivered or
                self.made[self.may_clear].count == 1)):
            self.may_clear += 1
        if world.hears_sack:
            self.look_for_holes()
        if flags & 6 == wire.REQ_CLEAR and self.told_clear < self.may_clear:
            self.told_clear = clear = self.may_clear
            self.aside(wire.CLEAR, 0, self.psn(clear - 1), arrive=lambda:
                       self.other.is_cleared(clear))
        if flags & 6 == wire.REQ_CLOSE:
            self.context.close()
        self.chat()
        self.go_on()
        self.context.look()

    def is_cleared(self, clear):
        self.cleared = max(self.cleared, clear)

    def look_for_holes(self):
        acked = [o.number for o in self.made[self.una:] if o.acked]
        if not acked:
            return
        world = self.world
        wait = 0 if world.hasty else world.patience
        least = 0 if world.hurries else world.patience // 2
        self.repeat([o for o in self.made[self.una:max(acked)]
                     if o.number + world.disorder <= max(acked) and
                     world.now - o.last > (least if o.count == 1 else wait)],
                    world.reaction)

    def hear_refusal(self, code, number, own):
        world, out = self.world, self.made[number]
        if own:
            self.knows = True
        just_now = not world.hasty and world.now - out.last < world.patience
        if code in (wire.TRIMMED, wire.TRIMMED_LASTHOP):
            self.repeat([out], world.reaction)
        elif code in wire.BUSY or code == wire.NO_PDC_AVAIL:
            self.repeat([out], 2 * world.reaction)
        elif code == wire.ROD_OOO:
            if world.hears_nacks and (
                    world.hasty or world.now - self.back_at > world.patience):
                self.back_at = world.now
                self.repeat(self.made[self.una:], world.reaction)
        elif code == wire.PKT_NOT_RCVD or world.hears_nacks and (
                out.count == 1 or not just_now):
            self.repeat([out], world.reaction)


class Context:
    """A PDC, and those that come after it between the same two hosts."""

    def __init__(self, world, src, dst, job):
        self.world, self.src, self.dst, self.job = world, src, dst, job
        self.lives, self.initiator = world.lives, None
        self.numbers = self.draw_numbers()
        self.is_closed = self.is_closing = self.is_over = False

    def draw_numbers(self):
        while True:
            drawn = (self.world.dice.randrange(1, 1 << 16),
                     self.world.dice.randrange(1, 1 << 16))
            keys = {(self.src, self.dst, drawn[0]),
                    (self.dst, self.src, drawn[1])}
            if not keys & self.world.keys:
                return drawn

    def draw_start(self):
        """Later ones are random as they should be: never near to those before,
        and not asked to be anything special."""
        dice = self.world.dice
        return {"any": dice.randrange(1 << 16, 1 << 31),
                "wrap": (1 << 32) - dice.randrange(1, 60),
                "half": (1 << 31) - dice.randrange(1, 60),
                "zero": dice.randrange(3)}[
                    "any" if self.initiator else self.world.start]

    def begin(self):
        world = self.world
        if world.same_ids is False or world.closes == "never":
            self.numbers = self.draw_numbers()
        start = self.draw_start()
        back = start if world.same_start else world.dice.randrange(1 << 32)
        self.initiator = None
        a = End(self, self.src, self.dst, self.numbers[0], start)
        self.initiator = a
        b = End(self, self.dst, self.src, self.numbers[1], back)
        a.other, b.other, self.target = b, a, b
        self.is_closed = self.is_closing = self.is_over = False
        a.go_on()

    def is_done(self):
        a, b = self.initiator, self.target
        return all((not a.backlog, not b.backlog, a.budget == 0,
                    a.una == len(a.made), b.una == len(b.made),
                    a.read == a.wanted))

    def look(self):
        """Is there anything left to do?"""
        world = self.world
        if not self.is_done():
            return
        if self.is_closed:
            return self.over()
        if self.is_closing:
            return
        self.is_closing = True
        world.at(world.now + world.pause + 1, self.end)

    def end(self):
        world, b = self.world, self.target
        if world.closes == "never":
            return self.over()
        if world.closes == "target":
            return b.command(wire.CLOSE_REQ)
        if world.closes == "target's ack":
            last = self.initiator.made[-1]
            nothing = world.datagram(self.src, self.dst, b.ev, b"")
            b.answer(last, 1, nothing, request=2)
            world.at(world.now + 4 * world.timeout, self.close)
            return
        self.close()

    def close(self):
        a = self.initiator
        if not any(o.control == wire.CLOSE for o in a.made + list(a.backlog)):
            a.command(wire.CLOSE)

    def over(self):
        """All was acknowledged; the next one, when nothing is under way."""
        if self.is_over:
            return
        self.is_over = True
        self.lives -= 1
        self.initiator.count_spurious()
        self.target.count_spurious()
        if self.lives:
            self.world.at(self.world.now + max(self.world.gap,
                                               self.world.patience),
                          self.begin)


class Idempotent(Sender):
    """RUDI: no context, packet ids, responses."""

    def __init__(self, world, src, dst, job):
        super().__init__(world, src, dst, (src, dst, job))
        self.job, self.ids = job, world.dice.randrange(1 << 32)

    def begin(self):
        self.go_on()

    def supply(self):
        world = self.world
        if len(self.made) == world.packets:
            return None
        length, number = world.mtu, len(self.made)
        if world.form == wire.SMALL:
            body = wire.small(wire.WRITE, 8, self.job, length)
        else:
            body = wire.standard(wire.WRITE, 8, number & 0xffff, self.job, 0,
                                 length, length, True, True)
        out = Sent(wire.SMALL if world.form == wire.SMALL else wire.STD,
                   body + bytes(length), message=number & 0xffff, whole=length,
                   ends=True)
        self.ids = (self.ids + 1 if world.rudi_ids == "count" else
                    world.dice.randrange(1 << 32)) & wire.MASK
        out.control = self.ids
        return out

    def transmit(self, out, nth):
        world = self.world
        flags = wire.RETX if nth > 1 and world.rudi_flag else 0
        packet = wire.rudi(False, out.following, flags, out.control) + out.body
        parcel = world.datagram(
            self.src, self.dst, world.dice.randrange(1 << 16), packet,
            key=self.key, number=out.control, first=nth == 1, again=nth > 1)
        world.travel(parcel, lambda: self.arrive(out, nth, parcel))
        return len(parcel.data) + 38

    def arrive(self, out, nth, parcel):
        """At the other host."""
        world = self.world
        flags = wire.RETX if nth > 1 and world.rudi_flag else 0
        if parcel.marked is not None:
            flags |= wire.MARKED
        if parcel.trimmed is not None:
            packet = wire.nack(wire.TRIMMED, flags | wire.NT, out.control, 0, 0)
            code, told, of = wire.TRIMMED, [out.control], parcel
        else:
            self.came(out, nth)
            packet = wire.rudi(True, wire.RESPONSE, flags, out.control) + \
                wire.response(0, 1, out.message, self.job, out.whole)
            code, told, of = None, (), None
        answer = world.datagram(self.dst, self.src, parcel.path, packet,
                                key=self.key, answer=True, control=True,
                                trims=of, told=told)
        world.at(world.now + world.service, world.travel, answer,
                 lambda: self.hear(out, code))

    def hear(self, out, code):
        if code:
            return self.repeat([out], self.world.reaction)
        self.is_acked(out)
        if self.una == self.world.packets:
            self.count_spurious()
        self.go_on()


class Unreliable(Sender):
    """UUD: nobody answers, and nobody waits."""

    def __init__(self, world, src, dst, job):
        super().__init__(world, src, dst, (src, dst, job))
        self.job = job

    def begin(self):
        self.go_on()

    def supply(self):
        if len(self.made) == self.world.packets:
            return None
        size = self.world.mtu
        return Sent(wire.STD, wire.standard(wire.SEND, 0, 0, self.job, 0, size,
                                            size, True, True) + bytes(size))

    def transmit(self, out, _):
        world = self.world
        parcel = world.datagram(self.src, self.dst,
                                world.dice.randrange(1 << 16),
                                wire.uud(out.following) + out.body,
                                key=self.key, number=out.number)
        world.travel(parcel, lambda: None)
        self.is_acked(out)
        return len(parcel.data) + 38


KINDS = {wire.RUD: Context, wire.ROD: Context, wire.RUDI: Idempotent,
         wire.UUD: Unreliable}
