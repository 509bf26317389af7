# SPDX-License-Identifier: GPL-2.0-or-later
"""How Ultra Ethernet limits what is sent: a window of the sender (like NSCC),
or credit of the receiver (like RCCC)."""
import collections

import net
import uetwire as wire


class Fixed:
    """Only the window in packets."""

    def allows(self, end, size):
        return True

    def acked(self, end, size, rtt, is_marked):
        pass

    def lost(self, end, size):
        pass


class Window(Fixed):
    """A window of bytes: grows while round trips are short, shrinks with marks
    and delay, at most once a round trip, and with each trimmed packet."""

    def __init__(self, nic):
        self.least, self.most = nic["mtu"] + 200, nic["bdp"] * 1.5
        self.bytes, self.mtu = self.most, nic["mtu"]
        self.base, self.last_cut = None, -1e9

    def allows(self, end, size):
        return end.inflight + size <= self.bytes or not end.inflight

    def acked(self, end, size, rtt, is_marked):
        if rtt is not None:
            self.base = min(self.base or rtt, rtt)
        now, base = end.sim.now, self.base or 1
        late, target = (rtt or base) - base, 0.75 * base
        if not is_marked:
            share = max(0.05, 1 - late / target)
            self.bytes += self.mtu * size / self.bytes * share * 2
        elif late > target and now - self.last_cut > base:
            self.last_cut = now
            self.bytes *= max(0.5, 1 - 0.8 * (late - target) / late)
        self.limit()

    def lost(self, end, size):
        self.bytes -= size
        self.limit()

    def limit(self):
        self.bytes = min(self.most, max(self.least, self.bytes))


class Credit(Fixed):
    """Bytes sent stay below the credit; |unasked|: what needs none."""

    def __init__(self, nic):
        self.credit = nic["bdp"]

    def allows(self, end, size):
        return end.new_bytes + size <= self.credit


def make(nic):
    return {"none": lambda _: Fixed(), "nscc": Window, "rccc": Credit}[
        nic["ccc"]](nic)


class Granter:
    """Of a host: grants credit in turn, as fast as its link, or slower while
    |host.credit| (part, from, to) says so."""

    def __init__(self, host, nic):
        self.host, self.sim = host, host.sim
        self.quantum = max(2 * nic["mtu"], 4096) // wire.CREDIT_UNIT * \
            wire.CREDIT_UNIT
        self.waiting, self.is_busy = collections.deque(), False

    def want(self, end):
        if end not in self.waiting:
            self.waiting.append(end)
        if not self.is_busy:
            self.tick()

    def tick(self):
        self.is_busy = bool(self.waiting)
        if not self.waiting:
            return
        end, now = self.waiting.popleft(), self.sim.now
        end.grant(self.quantum)
        if end.wanted > end.granted:
            self.waiting.append(end)
        speed, slow = self.host.port.speed, self.host.credit
        if slow and slow[1] <= now < slow[2]:
            speed *= slow[0]
        wire_size = self.quantum * 1.05 + net.FRAMING
        self.sim.at(now + wire_size * 8 / speed, self.tick)
