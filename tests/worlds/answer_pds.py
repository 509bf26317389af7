# SPDX-License-Identifier: GPL-2.0-or-later
"""Packet delivery contexts of Ultra Ethernet (RUD) on the fabric of the answers:
what stands in for a half of a queue pair.

Each half is a context that its requester begins.  Whatever comes is kept; ACKs
say by bitmap what is not there, and that is sent again; marks come back in the
ACK."""
import struct

import answer_fabric as af
import answer_nic as nic
import uet_wire as wire

OPS = {nic.WRITE: wire.WRITE, nic.SEND: wire.SEND}
VERSION = 8             # of the semantic header, as in uet_host.py
MANY = 64               # what a bitmap holds


class Context(nic.Half):
    disorder = 3        # so many later ones, and it is taken for lost

    def __init__(self, world, job, src, dst, numbers, sport, start):
        super().__init__(world, job, src, dst, numbers, sport, start)
        world.next_context += 2
        self.own, self.peer = world.next_context, world.next_context + 1
        self.group = 300 + sum(job.encode())
        # requester
        self.knows, self.told, self.repaired = False, set(), {}
        # responder
        self.is_marked, self.received, self.latest = False, 0, 0

    def psn(self, i):
        return self.start + i & wire.MASK

    # ---- requester ----

    def take(self):
        again = bool(self.again)
        i = self.again.popleft() if again else self.next
        m, world = self.pk[i], self.world
        if i == self.next:
            self.next += 1
        again = again or i < self.highest
        self.highest = max(self.highest, self.next)
        place = i - m.begin
        last = place == m.packets - 1
        ask = (last or again or self.next - self.una >= world.window or
               bool(world.ask) and i % world.ask == world.ask - 1)
        payload = self.payload(m, place)
        flags = ((0 if self.knows else wire.SYN) | wire.RETX * again |
                 wire.ASKS * ask)
        data = wire.request(
            wire.REQUEST[wire.RUD], wire.STD, flags,
            max(self.una - 1 - i, -32768), self.psn(i), self.own,
            self.peer if self.knows else i & 0xfff) + wire.standard(
                OPS[m.op], VERSION, m.begin & 0xffff, self.group,
                place * world.mtu, payload, m.bytes, place == 0, last)
        packet = af.Packet(self, self.src, self.dst, self.sport,
                           ("data", i, ask), data, payload, world.ect)
        if self.limiter.is_on:
            self.sends_at = (max(world.now, self.sends_at) +
                             packet.size * 8 / self.limiter.rate)
        self.wind_up()
        return packet

    def expire(self):
        first, self.timer_set = self.una, False
        if first >= self.highest:
            return
        if self.world.now < self.progress + self.world.rto:
            self.wind_up()
            return
        self.world.timeouts[self.job] += 1
        self.progress = self.world.now
        self.again.clear()
        self.again.extend(i for i in range(first, self.highest)
                          if i not in self.told)
        self.repaired.clear()
        self.wind_up()
        self.src.wake(self)

    def hear_ack(self, to):
        to, bits, marked = to
        self.knows = True
        if marked and self.world.cc:
            self.limiter.cut()
        self.advance(to)
        self.told.update(to + i for i in range(bits.bit_length())
                         if bits >> i & 1)
        self.told = {i for i in self.told if i >= self.una}
        self.repaired = {i: n for i, n in self.repaired.items()
                         if i >= self.una}
        top = max(self.told, default=0)
        for i in range(self.una, max(self.una, top - self.disorder + 1)):
            if i not in self.told and i not in self.repaired:
                self.repaired[i] = True
                self.world.at(self.world.now + self.world.reaction,
                              self.repair, i)

    def repair(self, i):
        if i >= self.una and i not in self.told and i not in self.again:
            self.again.append(i)
            self.progress = self.world.now
            self.src.wake(self)

    # ---- responder ----

    def answer_mark(self, what):
        self.is_marked = True

    def arrive_data(self, i, ask):
        is_new = i >= self.want and i not in self.has
        self.latest = i
        if not is_new:
            self.send_ack()
            return
        self.received += self.payload(self.pk[i], i - self.pk[i].begin)
        self.has.add(i)
        before = self.want
        while self.want in self.has:
            self.has.discard(self.want)
            m = self.pk[self.want]
            self.want += 1
            if self.want == m.begin + m.packets and m.delivered:
                m.delivered()
        if self.has or (ask and self.want - before > 1):
            self.send_ack()
        elif (ask or self.is_marked or
              self.want - self.acked >= self.world.ack_every):
            self.ack_soon()

    def send_ack(self):
        self.ack_due, self.acked = False, self.want
        bits = sum(1 << i for i in range(MANY) if self.want + i in self.has)
        marked, self.is_marked = self.is_marked, False
        flags = wire.MARKED * marked
        data = wire.ack(
            wire.ACK_CC, wire.RESPONSE, flags, self.latest - self.want + 1,
            self.psn(self.want - 1), self.peer, self.own,
            wire.ack_cc(0, 0, 1, bits, wire.nscc(
                0, (self.received + 255) // 256 & 0xffffff,
                len(self.has)))) + wire.response(0, 0, 0, 0, 0)
        self.control(("ack", (self.want, bits, marked), None), data)


def behind_ip(packet, addresses):
    """The UDP header and all behind it."""
    length = 8 + len(packet.data) + packet.payload + 4
    inside = (struct.pack("!HHHH", packet.sport, wire.PORT, length, 0) +
              packet.data + bytes(min(packet.payload, 60)))
    if packet.payload <= 60:
        inside += wire.crc32c(addresses + inside).to_bytes(4, "big")
    return inside
