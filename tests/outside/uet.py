# SPDX-License-Identifier: GPL-2.0-or-later
"""Packet delivery contexts (PDC) of Ultra Ethernet and the messages on them.

RUD (any order, SACK) and ROD (in order, ROD_OOO or held back), NACKs, trimmed
packets, probes, retransmission timeouts, deferred and rendezvous sends, READs
whose data comes back as requests of the target.  Habits are of |nic|, a
dict."""
import collections

import net
import uetcc
import uetwire as wire

REQUEST, ACKNOWLEDGE, REFUSE, CONTROL = "request", "ack", "nack", "cp"
MOST_OFFSET = 0xfff     # of a SYN


class Message:
    """|seen|: called when it has arrived, |done|: when the sender knows that,
    |buffer|: an event, before which there is no buffer for it."""

    def __init__(self, op, size, number, count):
        self.op, self.size, self.number = op, size, number
        self.to_arrive = self.to_ack = count
        self.done = self.seen = self.served = self.buffer = None
        self.has_data = self.is_deferred = self.is_second = False
        self.address = self.token = self.eager = 0
        self.answer = self.read = None


    def waits(self):
        return self.is_deferred and not self.is_second


class Item:
    """What one packet carries of a message, and how often that was sent."""
    __slots__ = ("message", "op", "at", "payload", "is_first", "is_last",
                 "asked", "when", "order", "tries", "size", "is_flying",
                 "is_acked")

    def __init__(self, message, op, at, payload, is_first, is_last):
        self.message, self.op, self.at = message, op, at
        self.payload, self.is_first, self.is_last = payload, is_first, is_last
        self.when = self.order = self.tries = self.size = 0
        self.is_flying = self.is_acked = False
        self.asked = None           # rel of the READ that this answers


class Sender:
    """The requests of one end.  PSNs are counted from its first."""

    def start(self):
        self.items, self.unsent = [], collections.deque()
        self.again = collections.deque()
        self.unacked = self.inflight = self.order = 0
        self.new_bytes = self.unsent_bytes = 0
        self.best, self.progress, self.backoff = (0, 0.0), 0.0, 0
        self.has_timer, self.probed, self.probe_number = False, None, 0
        self.hold, self.last_ask, self.asked_for = 0.0, -1e9, 0
        self.cc = uetcc.make(self.nic)

    def put(self, message, op, size, is_data):
        """As many packets as |size| needs; READs ask for as much each."""
        mtu = self.nic["mtu"]
        self.put_items([
            Item(message, op, at, min(mtu, size - at) if is_data else 0,
                 at == 0, at + mtu >= size)
            for at in range(0, max(size, 1), mtu)])

    def put_items(self, items):
        for item in items:
            item.size = self.size_of(item)
            self.unsent_bytes += item.size
        self.unsent += items
        self.host.wake(self)
        self.ask_for_credit()

    def may_send(self, item):
        return item.op == wire.CLOSING or (
            len(self.items) - self.unacked < self.nic["window"] and
            (self.knows_peer or len(self.items) < MOST_OFFSET) and
            self.cc.allows(self, item.size))

    def ready(self, now):
        while self.again and self.items[self.again[0]].is_acked:
            self.again.popleft()
        if self.again or (self.unsent and self.may_send(self.unsent[0])):
            return max(now, self.hold)
        return None

    def emit(self, now):
        if self.again:
            rel = self.again.popleft()
        elif self.unsent and self.may_send(self.unsent[0]):
            rel = len(self.items)
            self.items.append(self.unsent.popleft())
            self.new_bytes += self.items[rel].size
            self.unsent_bytes -= self.items[rel].size
        else:
            return None
        item = self.items[rel]
        if rel == self.unacked and not item.tries:
            self.progress = now
        item.tries += 1
        self.order += 1
        item.when, item.order, item.is_flying = now, self.order, True
        self.inflight += item.size
        p = self.request_packet(rel, item)
        if item.tries > 1:
            self.sim.retransmitted.append((now, self.name, p.psn))
        self.start_timer(now)
        return p

    def start_timer(self, now):
        if not self.has_timer:
            self.has_timer = True
            self.progress = max(self.progress, now)
            first = self.nic["probe_after"] or self.nic["rto"]
            self.sim.at(now + first, self.timer)

    def timer(self):
        now, nic = self.sim.now, self.nic
        if self.unacked >= len(self.items):
            self.has_timer = False
            return
        wait = nic["rto"] * (2 ** min(self.backoff, 3) if nic["rto_grows"]
                             else 1)
        if now >= self.progress + wait - 1:
            self.backoff += 1
            self.sim.timeouts += 1
            self.progress, self.probed = now, None
            for rel in range(self.unacked, len(self.items)):
                if self.is_rod or self.items[rel].when <= now - wait / 2:
                    self.lose(rel)
            self.restart()
        elif nic["probe_after"] and self.probed is None and self.knows_peer \
                and now >= self.progress + nic["probe_after"] - 1:
            self.probed = now
            self.probe_number += 1
            self.say_control(wire.PROBE, self.psn(self.unacked),
                             opaque=self.probe_number & 0xffff)
        wake = self.progress + wait
        if nic["probe_after"] and self.probed is None:
            wake = min(wake, self.progress + nic["probe_after"])
        self.sim.at(max(wake, now + 1000), self.timer)

    def restart(self):
        """ROD: all from the first again, in order."""
        if self.is_rod:
            self.again = collections.deque(
                rel for rel in range(self.unacked, len(self.items)))
            for rel in self.again:
                self.land(rel)
            self.host.wake(self)

    def land(self, rel):
        item = self.items[rel]
        if item.is_flying:
            item.is_flying = False
            self.inflight -= item.size

    def lose(self, rel, order=None):
        """To be retransmitted, unless it was already (|order|: which try)."""
        item = self.items[rel]
        if item.is_acked or not item.is_flying or \
                order not in (None, item.order):
            return
        self.land(rel)
        if not self.is_rod:
            self.again.append(rel)
        self.host.wake(self)

    def acked(self, rel, now, trigger, is_marked, is_again):
        item = self.items[rel]
        if item.is_acked:
            return
        item.is_acked = True
        self.land(rel)
        if item.tries == 1:
            self.best = max(self.best, (item.order, item.when))
        rtt = now - item.when if rel == trigger and item.tries == 1 and \
            not is_again else None
        self.cc.acked(self, item.size, rtt, is_marked)
        self.progress, self.backoff, self.probed = now, 0, None
        message = item.message
        if message:
            message.to_ack -= 1
            if message.to_ack == 0 and not message.waits():
                if message.op == wire.ANSWER:
                    run(message.served)
                elif message.op != wire.READ:
                    run(message.done)

    def take_ack(self, p):
        f, now = p.fields, self.sim.now
        self.knows_peer = True
        had = self.unacked
        if "credit" in f:
            self.take_credit(f["credit"])
        said = list(range(self.unacked, f["cack_rel"] + 1))
        if f["trigger"] is not None:
            said.append(f["trigger"])
        if f["kind"] == wire.ACK_CC:
            said += [f["base_rel"] + bit for bit in range(64)
                     if f["bitmap"] >> bit & 1 and
                     f["base_rel"] + bit >= self.unacked]
        for rel in said:
            if 0 <= rel < len(self.items):
                self.acked(rel, now, f["trigger"],
                           f["flags"] & wire.MARKED, p.is_retx)
        while self.unacked < len(self.items) and \
                self.items[self.unacked].is_acked:
            self.unacked += 1
        if f["kind"] == wire.ACK_CC and not self.is_rod:
            self.infer(f)
        if f["is_overflow"]:
            self.deferred(self.items[f["trigger"]].message)
        if had != self.unacked and self.unacked == len(self.items):
            self.idle()
        self.host.wake(self)
        self.ask_for_credit()

    def infer(self, f):
        """Lost: what was sent well before what has arrived; after a probe, all
        that the receiver could have reported and did not."""
        nic, (order, when) = self.nic, self.best
        if f["flags"] & wire.PROBED and self.probed is not None:
            for rel in range(f["base_rel"], min(f["base_rel"] + 64,
                                                len(self.items))):
                if rel >= self.unacked and self.items[rel].when < self.probed:
                    self.lose(rel)
            self.probed = None
            self.progress = self.sim.now
            return
        if not nic["sack_after"]:
            return
        for rel in range(self.unacked, min(f["base_rel"] + 64,
                                           len(self.items))):
            item = self.items[rel]
            if item.is_flying and order - item.order >= nic["sack_after"] and \
                    when - item.when > nic["sack_wait"]:
                self.cc.lost(self, item.size)
                self.sim.at(self.sim.now + nic["reaction"], self.lose, rel,
                            item.order)

    def take_nack(self, p):
        f, nic = p.fields, self.nic
        rel, code = f["rel"], f["code"]
        item = self.items[rel]
        if code in (wire.NO_BUFFER, wire.NO_MESSAGE):
            self.progress = max(self.progress, self.sim.now + nic["rnr_wait"])
            self.sim.at(self.sim.now + nic["rnr_wait"], self.refused, rel,
                        item.order)
            return
        self.cc.lost(self, item.size)
        call = self.go_back if code == wire.ROD_OOO or self.is_rod else \
            self.lose
        self.sim.at(self.sim.now + nic["reaction"], call, f["wants"]
                    if code == wire.ROD_OOO else rel, item.order)

    def refused(self, rel, order):
        if self.is_rod:
            self.go_back(rel, order)
        else:
            self.lose(rel, order)

    def go_back(self, rel, _):
        if rel >= self.unacked and (not self.again or rel < self.again[0]):
            self.again = collections.deque(range(rel, len(self.items)))
            for each in self.again:
                self.land(each)
            self.host.wake(self)

    # ---- credit ----

    def ask_for_credit(self):
        """When nothing under way says how much more it would like."""
        if self.nic["ccc"] != "rccc" or not self.unsent or self.inflight or \
                not self.knows_peer or self.may_send(self.unsent[0]):
            return
        now, again = self.sim.now, self.nic["rto"] / 4
        if now - self.last_ask >= again or self.target() > self.asked_for:
            self.last_ask, self.asked_for = now, self.target()
            self.say_control(wire.CREDIT_REQ, wire.credit_payload(
                self.target(), 1), target=self.target())
            self.sim.at(now + again + 1, self.ask_for_credit)

    def target(self):
        return self.new_bytes + self.unsent_bytes

    def take_credit(self, credit):
        if credit > self.cc.credit:
            self.cc.credit = credit
            self.host.wake(self)


class Receiver:
    """What one end receives of the other's requests."""

    def listen(self):
        self.expected, self.early = 0, {}
        self.since_ack, self.is_marked, self.ack_timer = 0, False, False
        self.received = self.ooo = 0
        self.nacked, self.refused_rel = {}, None
        self.granted = self.wanted = self.nic["bdp"]

    def take_request(self, p):
        nic, rel = self.nic, p.rel
        if p.kept:
            if not self.has(rel):
                self.refuse(p, wire.LASTHOP if p.is_lasthop and
                            nic["says_lasthop"] else wire.TRIMMED)
            return
        self.is_marked |= p.ecn == 3
        self.take_wish(p.fields.get("target"))
        if self.has(rel):
            self.acknowledge(p)
            return
        if self.is_rod and rel > self.expected and not nic["rod_holds"]:
            if self.refused_rel != self.expected and \
                    self.nacked.get(self.expected) != "ooo":
                self.nacked[self.expected] = "ooo"
                self.refuse(p, wire.ROD_OOO)
            return
        if not self.has_buffer(p):
            return
        self.ooo += rel != self.expected
        self.received += p.size
        if self.is_rod:
            self.early[rel] = p
        else:
            self.early[rel] = None
            self.deliver(p)
        while self.expected in self.early:
            held = self.early.pop(self.expected)
            self.nacked.pop(self.expected, None)
            self.expected += 1
            if held:
                self.deliver(held)
        self.find_holes()
        self.maybe_acknowledge(p)

    def has(self, rel):
        return rel < self.expected or rel in self.early

    def take_wish(self, target):
        if target is not None and target > self.wanted:
            self.wanted = target
            if self.wanted > self.granted:
                if self.host.granter is None:
                    self.host.granter = uetcc.Granter(self.host, self.nic)
                self.host.granter.want(self)

    def grant(self, quantum):
        self.granted += quantum
        if self.nic["grants_by_ack"]:
            self.say_ack(None, wire.ACK_CC)
        else:
            self.say_control(wire.CREDIT, wire.credit_payload(self.granted),
                             credit=self.granted)

    def has_buffer(self, p):
        """A send without a buffer is deferred, or its packets are refused."""
        message = p.item.message
        if not message or not message.buffer or message.buffer.is_set or \
                p.item.op == wire.RENDEZVOUS:
            return True
        if p.item.op != wire.DEFERRABLE:
            self.refused_rel = p.rel
            self.sim.rnr_naks += 1
            self.refuse(p, self.nic["no_buffer"])
            return False
        if not message.is_second and not message.is_deferred:
            message.is_deferred = True
            message.buffer.waiting.append(lambda: self.resume(message))
        return True

    def resume(self, message):
        """The buffer is there: ready to restart, on a PDC of the target's."""
        self.fep.peer.restart(message)

    def deliver(self, p):
        item, message = p.item, p.item.message
        if item.op == wire.CLOSING or message.waits():
            return
        if item.op == wire.READ:
            answer = Item(message.answer, wire.ANSWER, item.at, min(
                self.nic["mtu"], message.size - item.at), item.is_first,
                          item.is_last)
            answer.asked = p.psn
            self.put_items([answer])
            return
        if item.op == wire.ANSWER:
            message = message.read
        message.to_arrive -= 1
        if message.to_arrive:
            return
        if item.op == wire.ANSWER:
            self.open_messages -= 1
            run(message.done)
            self.idle()
        elif message.seen:
            self.sim.at(self.sim.now + self.nic["turn"], message.seen)

    def find_holes(self):
        after = self.nic["nack_after"]
        if not after or not self.early or self.is_rod:
            return
        for rel in range(self.expected, max(self.early)):
            if rel not in self.early and rel not in self.nacked:
                self.nacked[rel] = "waits"
                self.sim.at(self.sim.now + after, self.still_missing, rel)

    def still_missing(self, rel):
        if not self.has(rel):
            self.refuse(None, wire.INFERRED, rel)

    def refuse(self, p, code, rel=None):
        self.sim.naks += 1
        q = self.packet(REFUSE)
        rel = p.rel if p else rel
        q.fields = {
            "code": code, "flags": wire.RETX if p and p.is_retx else 0,
            "psn": self.peer.psn(rel), "rel": rel, "wants": self.expected,
            "payload": self.peer.psn(self.expected)
            if code == wire.ROD_OOO else 0,
            "spdcid": self.number, "dpdcid": self.peer.number}
        self.send_control(q, 16, p)

    def maybe_acknowledge(self, p):
        nic, item = self.nic, p.item
        self.since_ack += max(p.size, 1024)
        is_deferred = bool(item.message and item.message.waits())
        if p.asks or item.op == wire.ANSWER or self.early or is_deferred or \
                p.fields["flags"] & wire.SYN or \
                self.since_ack >= nic["ack_bytes"]:
            self.acknowledge(p, is_deferred)
        elif not self.ack_timer:
            self.ack_timer = True
            self.sim.at(self.sim.now + nic["ack_after"], self.ack_late)

    def ack_late(self):
        self.ack_timer = False
        if self.since_ack:
            self.acknowledge(None)

    def acknowledge(self, p, is_deferred=False):
        self.say_ack(p, wire.ACK_CC if self.nic["sack"] else wire.ACK,
                     is_deferred)

    def say_ack(self, p, kind, is_deferred=False, opaque=None, base=None):
        self.since_ack = 0
        q, cack, nic = self.packet(ACKNOWLEDGE), self.expected - 1, self.nic
        trigger = p.rel if p else None
        base = self.base_of(trigger) if base is None else base
        flags = wire.MARKED * (self.is_marked and nic["reacts"]) | \
            wire.PROBED * (opaque is not None)
        self.is_marked = False
        if p and p.is_retx and nic["ack_retx"]:
            flags |= wire.RETX
        q.is_retx = bool(flags & wire.RETX)
        item = p.item if p else None
        answers = bool(item and item.message and nic["responds"])
        q.fields = f = {
            "kind": kind, "flags": flags, "cack": self.peer.psn(cack),
            "cack_rel": cack, "trigger": trigger, "opaque": opaque,
            "psn": self.peer.psn(cack if trigger is None else trigger),
            "spdcid": self.number, "dpdcid": self.peer.number,
            "base_rel": base, "base": self.peer.psn(base),
            "bitmap": self.bitmap(base) if kind == wire.ACK_CC else 0,
            "mpr": nic["mpr"], "service": nic["service"], "pend": 0,
            "received": self.received, "ooo": self.ooo & 0x7fff,
            "is_overflow": is_deferred, "next": wire.RESPONSE if answers
            else wire.NONE, "job": nic["job"],
            "message": item.message if answers else None}
        if nic["ccc"] == "rccc" and kind == wire.ACK_CC:
            f["credit"] = self.granted
        self.send_control(q, wire.PDS_SIZE[kind] +
                          wire.SES_SIZE[f["next"]], p)

    def bitmap(self, base):
        """Of 64 from |base| on; all before the expected one were received."""
        bits = (1 << max(0, min(64, self.expected - base))) - 1
        for rel in self.early:
            if base <= rel < base + 64:
                bits |= 1 << rel - base
        return bits

    def base_of(self, trigger):
        """Of the bitmap: the cumulative one, unless it ends before."""
        base = self.expected - 1 + self.nic["sack_base"]
        if trigger is not None and trigger >= base + 64:
            base = trigger - 32
        return base


class End(Sender, Receiver):
    """One end of a PDC."""

    def __init__(self, fep, nic, name, is_initiator):
        self.fep, self.host, self.nic, self.name = fep, fep.host, nic, name
        self.sim, self.is_rod = fep.host.sim, nic["rod"]
        self.dice = dice = self.sim.dice("end " + name)
        self.number = new_pdc(fep.host, nic["pdcid"], dice)
        self.is_initiator, self.knows_peer = is_initiator, not is_initiator
        self.first_psn = dice.randrange(1 << 16, 1 << 31)
        if nic["psn"] == "wrap":
            self.first_psn = (1 << 32) - dice.randrange(1, 600)
        self.entropies = [dice.randrange(1 << 16)
                          for _ in range(nic["entropies"])]
        self.peer, self.in_ring, self.is_closing = None, False, False
        self.open_messages, self.idle_turn = 0, 0
        self.start()
        self.listen()

    def psn(self, rel):
        return self.first_psn + rel & wire.MASK

    def packet(self, kind):
        prio = net.DATA if kind == REQUEST else net.CTRL
        p = net.Packet(kind, self.host.index, self.peer.host.index, prio)
        p.pair, p.ecn = self.peer, 2 if prio == net.DATA else 0
        return p

    def pds_of(self, item):
        if self.nic["ccc"] == "rccc" and item.op != wire.CLOSING:
            return wire.ROD_CC if self.is_rod else wire.RUD_CC
        return wire.ROD if self.is_rod else wire.RUD

    def ses_of(self, item):
        if item.op == wire.CLOSING:
            return wire.NONE
        is_only = item.is_first and item.is_last and self.nic["compact"]
        if item.op == wire.ANSWER:
            return wire.DATA_SMALL if is_only else wire.DATA
        if is_only and item.op in (wire.WRITE, wire.READ):
            return wire.SMALL
        return wire.MEDIUM if is_only and item.op in (
            wire.SEND, wire.TAGGED) else wire.STANDARD

    def size_of(self, item):
        if item.op == wire.CLOSING:
            return self.full_size(wire.PDS_SIZE[wire.CP])
        return self.full_size(
            wire.PDS_SIZE[self.pds_of(item)] + item.payload +
            wire.SES_SIZE[self.ses_of(item)] +
            wire.RENDEZVOUS_SIZE * (item.op == wire.RENDEZVOUS))

    def full_size(self, inside):
        nic = self.nic
        return max(60, (18 if nic["vlan"] else 14) + (40 if nic["v6"] else 20)
                   + (4 if nic["native"] else 8) + inside + 4)

    def request_packet(self, rel, item):
        p, is_close = self.packet(REQUEST), item.op == wire.CLOSING
        p.rel, p.psn, p.item, p.work = rel, self.psn(rel), item, item
        p.payload, p.is_last = item.payload, item.is_last
        p.size, p.is_retx = item.size, item.tries > 1
        p.asks = item.is_last or p.is_retx or not self.unsent or \
            not self.may_send(self.unsent[0])
        if is_close:
            p.prio, p.ecn = net.CTRL, 0
        p.sport = self.entropies[self.dice.randrange(len(self.entropies))]
        p.fields = {
            "kind": self.pds_of(item), "next": self.ses_of(item),
            "flags": wire.RETX * p.is_retx | wire.ASKS * bool(p.asks) |
            wire.SYN * (not self.knows_peer), "psn": p.psn,
            "clear": self.psn(self.unacked - 1), "spdcid": self.number,
            "dpdcid": self.peer.number if self.knows_peer else rel,
            "ccc_id": 1, "type": wire.CLOSE, "payload": 0,
            "job": self.nic["job"]}
        if p.fields["kind"] in (wire.RUD_CC, wire.ROD_CC):
            p.fields["target"] = self.target()
        if is_close:
            p.fields["flags"] |= wire.IS_ROD * self.is_rod
        return p

    def send_control(self, q, inside, answered):
        """Takes the way that the entropy of what it answers says."""
        q.size = self.full_size(inside)
        q.sport = answered.sport if answered else self.entropies[0]
        self.host.control.append(q)
        self.host.port.kick()

    def say_control(self, kind, payload, **more):
        q = self.packet(CONTROL)
        q.fields = dict(more, type=kind, payload=payload, spdcid=self.number,
                        dpdcid=self.peer.number, psn=self.psn(self.unacked)
                        if kind == wire.PROBE else 0,
                        flags=wire.IS_ROD * self.is_rod)
        self.send_control(q, 16, None)

    def receive(self, p):
        if p.op == REQUEST:
            self.take_request(p)
        elif p.op == ACKNOWLEDGE:
            self.take_ack(p)
        elif p.op == REFUSE:
            self.take_nack(p)
        elif p.fields["type"] == wire.PROBE:
            self.say_ack(None, wire.ACK_CC, opaque=p.fields["opaque"],
                         base=self.expected)
        elif p.fields["type"] == wire.CREDIT:
            self.take_credit(p.fields["credit"])
        else:
            self.take_wish(p.fields["target"])
            self.say_control(wire.CREDIT, wire.credit_payload(self.granted),
                             credit=self.granted)

    def deferred(self, message):
        """What was not sent yet of it waits for the RTR."""
        self.unsent = collections.deque(i for i in self.unsent
                                      if i.message is not message)
        self.unsent_bytes = sum(i.size for i in self.unsent)

    def idle(self):
        """Closes after some time without work, if that is its habit."""
        after = self.nic["close_after"]
        self.idle_turn += 1
        if after and self.is_initiator and not self.is_closing:
            self.sim.at(self.sim.now + after, self.close, self.idle_turn)

    def close(self, turn):
        if turn == self.idle_turn and not self.open_messages and \
                not self.unsent and self.unacked == len(self.items):
            self.is_closing = True
            self.put_items([Item(None, wire.CLOSING, 0, 0, True, True)])


class Fep:
    """Of one rank towards another: opens PDCs and posts messages on them."""

    def __init__(self, host, nic, name):
        self.host, self.nic, self.name = host, nic, name
        self.dice = host.sim.dice("fep " + name)
        self.end, self.opened, self.posted, self.peer = None, 0, 0, None

    def open(self):
        self.opened += 1
        name = f"{self.name} pdc {self.opened}"
        self.end = End(self, self.nic, name, True)
        back = End(self.peer, self.nic, "back of " + name, False)
        if self.nic["psn"] == "same":
            back.first_psn = self.end.first_psn
        if self.nic["entropy"] == "same":
            back.entropies = self.end.entropies
        self.end.peer, back.peer = back, self.end

    def post(self, op, size, immediate=False, done=None, seen=None,
             buffer=None):
        code = {"write": wire.WRITE, "read": wire.READ, "send": self.nic[
            "send_op"], "defer": wire.DEFERRABLE,
            "rendezvous": wire.RENDEZVOUS}[op]
        eager = min(size, self.nic["eager"]) if op == "rendezvous" else size
        message = self.new_message(code, size, eager)
        message.has_data, message.buffer = immediate, buffer
        message.seen, message.done, message.eager = seen, done, eager
        if op == "rendezvous":
            self.rendezvous(message, size - eager, seen, done)
        self.begin(message, code, eager)

    def new_message(self, code, size, sent):
        self.posted += 1
        message = Message(code, size, self.posted & 0xffff or 1,
                          max(1, -(-sent // self.nic["mtu"])))
        message.address = self.dice.randrange(1 << 20) * 4096
        message.token = self.posted
        if code == wire.READ:
            message.answer = Message(wire.ANSWER, size, message.number,
                                     message.to_arrive)
            message.answer.read = message
        return message

    def begin(self, message, code, size):
        if self.end is None or self.end.is_closing:
            self.open()
        self.end.idle_turn += 1
        if code == wire.READ:
            self.end.open_messages += 1
        self.end.put(message, code, size, code not in (wire.READ, wire.RTR))

    def rendezvous(self, message, rest, seen, done):
        """The target fetches what is not eager once it has a buffer."""
        def fetch():
            if rest:
                read = self.peer.new_message(wire.READ, rest, rest)
                read.done, read.answer.served = seen, done
                self.peer.begin(read, wire.READ, rest)
            else:
                run(seen)
                run(done)

        def arrived():
            if message.buffer and not message.buffer.is_set:
                message.buffer.waiting.append(fetch)
            else:
                fetch()
        message.seen, message.done = arrived, None

    def restart(self, first):
        """Called at the sender's side: the target says when, then all again."""
        def again():
            message = self.new_message(wire.DEFERRABLE, first.size, first.size)
            message.number, message.is_second = first.number, True
            message.has_data, message.seen = first.has_data, first.seen
            message.done, message.address = first.done, first.token << 32 | 2
            self.begin(message, wire.DEFERRABLE, first.size)
        rtr = self.peer.new_message(wire.RTR, 0, 0)
        rtr.seen, rtr.token, rtr.address = again, first.token, 0
        self.peer.begin(rtr, wire.RTR, 0)


def new_pdc(host, how, dice):
    """A PDCID that |host| does not use yet."""
    number = len(host.pdcs) + 1
    while number in host.pdcs or how == "random":
        number = dice.randrange(1, 1 << 16)
        if number not in host.pdcs:
            break
    host.pdcs.add(number)
    return number


def run(call):
    if call:
        call()


def connect(a, b, nic, name):
    """Both sides; |name| is theirs alone."""
    ends = Fep(a, nic, name), Fep(b, nic, "back of " + name)
    ends[0].peer, ends[1].peer = ends[1], ends[0]
    return ends
