# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs: ranks that compute, send and receive in a pattern, step by step."""
import zlib

import net
import rc
import streams
import uet

TRANSPORTS = {"rc": rc, "uet": uet}
ANNOUNCEMENT = 64    # bytes of a CTS, RTS or FIN


class Event:
    def __init__(self):
        self.is_set, self.waiting = False, []

    def set(self):
        self.is_set = True
        waiting, self.waiting = self.waiting, []
        for call in waiting:
            call()

    def then(self, call):
        if self.is_set:
            call()
        else:
            self.waiting.append(call)


class Rank:
    """A generator that yields lengths of sleep, or events it waits for.
    |frozen|: times from and to which it does nothing."""

    def __init__(self, sim, work, frozen):
        self.sim, self.work, self.frozen = sim, work, frozen
        self.is_done = False
        sim.at(sim.now, self.step)

    def step(self):
        now = self.sim.now
        for since, until in self.frozen:
            if since <= now < until:
                self.sim.at(until, self.step)
                return
        for wish in self.work:
            if not isinstance(wish, Event):
                self.sim.at(now + wish, self.step)
                return
            if not wish.is_set:
                wish.waiting.append(self.step)
                return
        self.is_done = True


class Channel:
    """Messages from one rank to another, in order, over some queue pairs or
    PDCs.

    A sender with |cts| waits for a WRITE of the receiver, one for each buffer.
    With READs the sender announces a message by a WRITE (RTS), the receiver
    fetches it once it has a buffer, and says so by a WRITE (FIN): nobody knows
    what no packet said.  Some kinds of sends look for a buffer when they
    arrive."""

    def __init__(self, sender, receiver, nic, app, name):
        self.nic, self.app = nic, app
        connect = TRANSPORTS[nic["transport"]].connect
        ends = [connect(sender, receiver, nic, f"{name} {i}")
                for i in range(app["pairs"])]
        self.needs_buffer = app["rnr"] or app["op"] in ("defer", "rendezvous")
        self.near, self.far = zip(*ends)
        self.pending, self.arrivals, self.posted = [], [], []
        self.credits = self.announced = self.buffers = 0
        self.begun = self.received = 0

    def arrival(self, number):
        return numbered(self.arrivals, number)

    def send(self, size):
        sent = Event()
        self.pending.append((size, sent))
        if self.app["op"] == "read":
            self.near[0].post("write", ANNOUNCEMENT, seen=self.take_rts)
        else:
            self.pump()
        return sent

    def receive(self):
        arrival = self.arrival(self.received)
        self.received += 1
        numbered(self.posted, self.received - 1).set()
        if self.app["op"] == "read":
            self.buffers += 1
            self.fetch()
        elif self.app["cts"]:
            self.far[0].post("write", ANNOUNCEMENT, seen=self.take_cts)
        return arrival

    def take_cts(self):
        self.credits += 1
        self.pump()

    def take_rts(self):
        self.announced += 1
        self.fetch()

    def parts(self, size, number):
        """(queue pair, bytes): divided among all, or each message by one."""
        count, mtu = self.app["pairs"], self.nic["mtu"]
        if not self.app["split"] or size <= mtu:
            return [(number % count, size)]
        each = -(-size // count // mtu) * mtu
        return [(i, min(each, size - i * each)) for i in range(count)
                if size > i * each]

    def pump(self):
        while self.pending and (self.credits or not self.app["cts"]):
            size, sent = self.pending.pop(0)
            self.credits -= self.app["cts"]
            parts = self.parts(size, self.begun)
            done = count_down(len(parts), sent.set)
            seen = count_down(len(parts), self.arrival(self.begun).set)
            buffer = numbered(self.posted, self.begun) \
                if self.needs_buffer else None
            self.begun += 1
            for i, part in parts:
                self.near[i].post(self.app["op"], part, self.app["immediate"],
                                  done, seen, buffer)

    def fetch(self):
        while self.announced and self.buffers:
            self.announced -= 1
            self.buffers -= 1
            size, sent = self.pending.pop(0)
            parts = self.parts(size, self.begun)
            done = count_down(len(parts), self.fetched,
                              self.arrival(self.begun), sent)
            self.begun += 1
            for i, part in parts:
                self.far[i].post("read", part, done=done)

    def fetched(self, arrival, sent):
        arrival.set()
        self.far[0].post("write", ANNOUNCEMENT, seen=sent.set)


def numbered(events, number):
    while len(events) <= number:
        events.append(Event())
    return events[number]


def count_down(count, call, *args):
    left = [count]

    def once():
        left[0] -= 1
        if left[0] == 0:
            call(*args)
    return once


class Receives:
    """Of |count| messages from one rank, as many posted as there are buffers;
    |late|: how long a buffer that became free waits.  Whoever takes one frees
    it."""

    def __init__(self, job, channel, count, late):
        self.sim, self.channel, self.left = job.sim, channel, count
        self.late, self.posted, self.more = late, [], Event()
        for _ in range(job.like["buffers"]):
            self.post()

    def post(self):
        if self.left:
            self.left -= 1
            self.posted.append(self.channel.receive())
            self.more.set()

    def take(self):
        while not self.posted:
            self.more = Event()
            yield self.more
        yield self.posted.pop(0)

    def free(self):
        if self.late:
            self.sim.at(self.sim.now + self.late, self.post)
        else:
            self.post()

    def get(self):
        yield from self.take()
        self.free()


class Job:
    """|like|: what it is like; |problems|: those of its ranks."""

    def __init__(self, world, name, like, problems):
        self.sim, self.name, self.like = world.sim, name, like
        self.nic = dict(world.nic, job=200 + zlib.crc32(name.encode()) % 999)
        self.size = len(like["hosts"])
        self.hosts = [world.hosts[i] for i in like["hosts"]]
        self.app = dict(like["app"], rnr=any(p["kind"] == "rnr"
                                             for p in problems))
        self.channels, self.late = {}, {}
        self.open = [[] for _ in self.hosts]
        dice = self.sim.dice("job " + name)
        self.compute = [[like["compute"] * weight *
                         (1 + like["jitter"] * dice.random())
                         for _ in range(like["steps"])]
                        for weight in like.get("weights", [1] * self.size)]
        frozen = self.frozen = [[] for _ in self.hosts]
        for p in problems:
            if p["kind"] == "freeze":
                frozen[p["rank"]] += p["when"]
            elif p["kind"] == "straggler":
                for step in range(like["steps"]):
                    if dice.random() < p["part"]:
                        self.compute[p["rank"]][step] += p["ns"]
            elif p["kind"] == "cts-late":
                self.late[p["rank"]] = p["ns"]
        self.ranks = [Rank(self.sim, self.work(r), frozen[r])
                      for r in range(self.size)]

    def is_done(self):
        return all(rank.is_done for rank in self.ranks)

    def channel(self, a, b):
        if (a, b) not in self.channels:
            self.channels[a, b] = Channel(
                self.hosts[a], self.hosts[b], self.nic, self.app,
                f"{self.name} {a} to {b}")
        return self.channels[a, b]

    def work(self, rank):
        run = {"ring": self.ring, "slots": self.slots, "relay": self.relay,
               "alltoall": self.alltoall, "serial": self.serial,
               "tree": self.tree, "pipeline": self.pipeline}
        pattern = self.like["pattern"]
        for step in range(self.like["steps"]):
            compute = self.compute[rank][step]
            if pattern in streams.PATTERNS:
                sent = yield from streams.PATTERNS[pattern](self, rank,
                                                            compute)
                yield from sent
                continue
            if pattern != "pipeline":
                yield compute
            sent = yield from run[pattern](rank, compute)
            yield from sent

    def pieces(self, size):
        chunk = self.like["chunk"]
        return [min(chunk, size - at) for at in range(0, size, chunk)]

    def send(self, rank, to, size):
        return [self.channel(rank, to).send(p) for p in self.pieces(size)]

    def receives(self, rank, source, size):
        return Receives(self, self.channel(source, rank),
                        len(self.pieces(size)), self.late.get(rank))

    def take(self, rank, source, size):
        receives = self.receives(rank, source, size)
        for _ in self.pieces(size):
            yield from receives.get()

    # ---- patterns: generators that return what was sent ----

    def ring(self, rank, _):
        part, sent = self.like["bytes"] // self.size, []
        for _ in range(2 * (self.size - 1)):
            receives = self.receives(rank, (rank - 1) % self.size, part)
            sent += self.send(rank, (rank + 1) % self.size, part)
            for _ in self.pieces(part):
                yield from receives.get()
        return sent

    def slots(self, rank, _):
        """A ring, chunk by chunk.  What came stays in its buffer until there is
        room in the ones to send from, which are as many: those are free when
        their data is acknowledged."""
        part, sent = self.like["bytes"] // self.size, []
        rounds, pieces = 2 * (self.size - 1), self.pieces(part)
        before, after = (rank - 1) % self.size, (rank + 1) % self.size
        receives = Receives(self, self.channel(before, rank),
                            len(pieces) * rounds, self.late.get(rank))
        for piece in pieces:
            for turn in range(rounds):
                if len(sent) >= self.like["buffers"]:
                    yield sent[-self.like["buffers"]]
                if turn:
                    receives.free()
                sent.append(self.channel(rank, after).send(piece))
                yield from receives.take()
            receives.free()
        return sent

    def relay(self, rank, _):
        """All get what the first has, each from the one before, chunk by
        chunk: a buffer is free when the next has what was in it."""
        pieces, sent = self.pieces(self.like["bytes"]), []
        last = rank == self.size - 1
        receives = self.receives(rank, rank - 1, self.like["bytes"]) \
            if rank else None
        for piece in pieces:
            if rank:
                yield from receives.take()
            if last:
                receives.free()
                continue
            sent.append(self.channel(rank, rank + 1).send(piece))
            if rank:
                sent[-1].then(receives.free)
        return sent

    def alltoall(self, rank, _):
        part, sent = self.like["bytes"] // self.size, []
        peers = range(1, self.size)
        receives = [self.receives(rank, (rank - k) % self.size, part)
                    for k in peers]
        for k in peers:
            sent += self.send(rank, (rank + k) % self.size, part)
        for each in receives:
            for _ in self.pieces(part):
                yield from each.get()
        return sent

    def serial(self, rank, _):
        """All to all, |at_once| messages at a time, of all steps: who does not
        wait for them at the end of a step has them in the next."""
        part, sent = self.like["bytes"] // self.size, self.open[rank]
        peers, most = range(1, self.size), self.like["at_once"]
        receives = [self.receives(rank, (rank - k) % self.size, part)
                    for k in peers]
        for k in peers:
            for piece in self.pieces(part):
                if len(sent) >= most:
                    yield sent[-most]
                sent.append(self.channel(rank, (rank + k) % self.size)
                            .send(piece))
        for each in receives:
            for _ in self.pieces(part):
                yield from each.get()
        return sent[-most:] if self.like["ends_with_sends"] else []

    def tree(self, rank, _):
        size, sent = self.like["bytes"], []
        children = [k for k in (2 * rank + 1, 2 * rank + 2) if k < self.size]
        for child in children:
            yield from self.take(rank, child, size)
        if rank:
            sent += self.send(rank, (rank - 1) // 2, size)
            yield from self.take(rank, (rank - 1) // 2, size)
        for child in children:
            sent += self.send(rank, child, size)
        return sent

    def pipeline(self, rank, compute):
        """Some batches forwards, then as many backwards."""
        size, batches, sent = self.like["bytes"], self.like["batches"], []
        for ahead in (1, -1):
            source, to = rank - ahead, rank + ahead
            for _ in range(batches):
                if 0 <= source < self.size:
                    yield from self.take(rank, source, size)
                yield compute / batches
                if 0 <= to < self.size:
                    sent += self.send(rank, to, size)
        return sent


class Plain:
    """What a host sends that is no RDMA: TCP segments, say.  Nobody answers
    them; they are sent as fast as the link takes them."""
    SIZE = 1514

    def __init__(self, host, to, name):
        self.host, self.to, self.name = host, to, name
        self.left, self.in_ring = 0, False

    def post(self, _, size):
        self.left += -(-size // self.SIZE)
        self.host.wake(self)

    def ready(self, now):
        return now if self.left else None

    def emit(self, _):
        self.left -= 1
        p = net.Packet(net.PLAIN, self.host.index, self.to.index, net.DATA)
        p.pair, p.size = self, self.SIZE
        return p

    def receive(self, packet):
        pass


def stream(world, name, like):
    """Messages of somebody else: |count| of |bytes|, one every |gap| ns."""
    ends = world.hosts[like["src"]], world.hosts[like["dst"]]
    if like.get("plain"):
        pair = Plain(*ends, name)
    else:
        pair, _ = TRANSPORTS[world.nic["transport"]].connect(
            *ends, dict(world.nic, reacts=like["reacts"], job=77), name)

    def send(left):
        if left:
            pair.post("write", like["bytes"])
            world.sim.at(world.sim.now + like["gap"], send, left - 1)
    world.sim.at(like["since"], send, like["count"])
