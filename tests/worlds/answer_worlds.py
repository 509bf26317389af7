# SPDX-License-Identifier: GPL-2.0-or-later
"""Worlds with a job, what slows it, and the truth: what that cost.

|Spec| is drawn from a kind and a seed; |World| is one run of it, |truth| runs
it with and without its problems, and in fabrics that do less.  What a job took
longer with something than without it, that something cost (Shapley's value
where there are several).  A problem that is in the fabric alone has no twin but
the ideal fabric: links between switches that carry packets side by side, no
other job, no end of buffers, no pause, no mark, no loss."""
import collections
import itertools
import os
import random
import struct

import answer_fabric as af
import answer_jobs as jobs
import answer_nic as nic
import answer_pds as pds
import fabric
from world import icrc_of

US, MS = 1000, 1000_000
IDEAL, QUEUES, PAUSES, MARKS, REAL = range(5)
CLASS_OF = {QUEUES: "queueing", PAUSES: "pause", MARKS: "rate-cut",
            REAL: "loss"}
HARMLESS, PERHAPS, A_SIDE, ABOUT = 0.02, 0.06, 0.2, 0.05

Problem = collections.namedtuple("Problem", "name cls side at")

HABITS = {
    "mtu": (1024, 4096, 4096), "tick": (1, 1, 1000),
    "ip_id": ("zero", "count", "random"), "v6": (False,) * 7 + (True,),
    "vlan": (False,) * 4 + (True,), "snaplen": (96, 128, 128),
    "window": (32, 128, 512), "ack_every": (1, 4, 16, 32, 10**6),
    "ask": (0, 0, 4, 16), "ack_delay": (200, 1 * US, 5 * US),
    "reaction": (2 * US, 10 * US, 30 * US),
    "rto": (500 * US, 1 * MS, 4 * MS), "selective": (False, True),
    "reads": (1, 2, 16), "credit": (0x1f, 0x1f, 10), "rnr_code": (1, 5, 10),
    "sports": ("random", "high", "fixed"), "psns": ("random", "zero", "wrap"),
    "qpns": ("random", "small"), "dscp": (0, 24, 26, 3),
}
RNR_NS = {1: 10 * US, 5: 80 * US, 10: 480 * US}
CC = ({"gain": 1 / 16, "timer": 55 * US, "fast": 5, "step": 0.02,
       "apart": 4 * US, "cnp_every": 4 * US},
      {"gain": 1 / 4, "timer": 300 * US, "fast": 1, "step": 0.05,
       "apart": 50 * US, "cnp_every": 50 * US})


class World(fabric.Fabric):
    """One run.  |level|: what the fabric does; |on|: names of problems that
    are there; |alone|: the only job, or None."""
    chances, ends_ns, most_events = (), 3e9, 2_500_000

    def __init__(self, spec, level=REAL, on=(), alone=None):
        super().__init__(spec.seed, HABITS, **spec.habits)
        self.__dict__.update(self.is_like)
        self.spec, self.level, self.on, self.seed = spec, level, on, spec.seed
        self.salt = spec.salt
        self.rnr_ns = RNR_NS[self.rnr_code]
        self.cc = spec.cc if level >= MARKS else None
        self.ect = spec.cc is not None
        self.half = pds.Context if spec.uet else nic.Half
        self.next_context = 0x1000
        self.timeouts = collections.Counter()
        self.identifications = collections.Counter()
        self.dropped = collections.Counter()
        self.spans = {}
        self.is_over = False
        self.seen = []
        self.build()
        self.jobs = {}
        for name, (kind, like) in spec.works(on).items():
            if alone in (None, name) or (level > IDEAL and alone is None):
                self.jobs[name] = kind(self, name, like)

    # ---- the fabric ----

    def build(self):
        spec = self.spec
        self.leaves = [af.Switch(self, f"leaf{i + 1}", 100 + i)
                       for i in range(spec.leaves)]
        self.spines = [af.Switch(self, f"spine{i + 1}", 200 + i)
                       for i in range(spec.spines)]
        self.hosts, self.ports = {}, {}
        for i, (name, leaf, speed) in enumerate(spec.hosts):
            host = nic.Host(self, name, i + 1, self.leaves[leaf])
            self.hosts[name] = host
            host.out = self.link(host, self.leaves[leaf], speed)
            host.out.nic = host
        if spec.leaves > 1:
            for leaf in self.leaves:
                for spine in self.spines:
                    self.link(leaf, spine, spec.uplink, True)
        for (leaf, src, dst), way in spec.routes.items():
            self.leaves[leaf].routes[src, dst] = way
        for name, change in spec.changes.items():
            if name in self.on or name is None and self.level == REAL:
                change(self)

    def link(self, a, b, speed, between=False):
        spec, ports = self.spec, []
        for x, y in ((a, b), (b, a)):
            port = af.Port(self, x, y, speed, spec.delay)
            port.blocks = not (between and self.level == IDEAL)
            if isinstance(x, af.Switch):
                x.to[y.name] = port
                if self.level == REAL:
                    port.buffer = spec.buffer
                if self.level >= MARKS and spec.cc:
                    port.marks = spec.marks
            if (self.level >= PAUSES and spec.lossless and
                    isinstance(y, af.Switch)):
                port.xoff, port.xon = spec.lossless
            self.ports[repr(port)] = port
            ports.append(port)
        ports[0].back, ports[1].back = ports[1], ports[0]
        return ports[0]

    # ---- numbers ----

    def qp_number(self, dice):
        if self.qpns == "random":
            return dice.randrange(2, 1 << 24)
        self.next_id += 1
        return 0x100 + dice.randrange(1, 8) * 500 + self.next_id

    def sport(self, dice):
        return {"random": dice.randrange(49152, 65536),
                "high": 0xc000 | dice.randrange(1 << 14),
                "fixed": 49152 + dice.randrange(4)}[self.sports]

    def psn_start(self, dice):
        return {"random": dice.randrange(1 << 24), "zero": 0,
                "wrap": (1 << 24) - dice.randrange(1, 300)}[self.psns]

    # ---- what is seen ----

    def see(self, port, packet):
        """At the middle of its link."""
        now = self.now + port.delay / 2
        if isinstance(port.node, nic.Host) or isinstance(port.peer, nic.Host):
            first, _ = self.spans.get(packet.job, (now, now))
            self.spans[packet.job] = first, now
        tap = self.spec.taps.get(frozenset((port.node.name, port.peer.name)))
        if tap and self.capturing:
            frame = self.frame_of(port, packet)
            self.seen.append((now, len(self.seen), tap, frame,
                              max(packet.size - af.OVERHEAD +
                                  4 * bool(self.vlan), len(frame))))

    def see_pause(self, port, quanta):
        tap = self.spec.taps.get(frozenset((port.node.name, port.peer.name)))
        if tap and self.capturing:
            now = self.now + port.delay / 2
            frame = (b"\x01\x80\xc2\x00\x00\x01" + mac(port.node) +
                     b"\x88\x08\x01\x01\x00\x08" +
                     struct.pack("!8H", 0, 0, 0, quanta, 0, 0, 0, 0))
            self.seen.append((now, len(self.seen), tap, frame.ljust(60, b"\0"),
                              60))

    capturing = False

    def address_text(self, host):
        if self.v6:
            return f"fd09::{host.number:x}"
        return f"10.9.{host.number >> 8}.{host.number & 255}"

    def addresses(self, parcel):
        ends = (parcel.src.number, parcel.dst.number)
        if self.v6:
            return b"".join(b"\xfd\x09" + bytes(12) + struct.pack("!H", e)
                            for e in ends)
        return b"".join(bytes((10, 9)) + struct.pack("!H", e) for e in ends)

    def identification(self, parcel):
        return parcel.identification

    def new_identification(self, host):
        if self.ip_id == "count":
            self.identifications[host] += 1
            return self.identifications[host] & 0xffff
        return self.dice.randrange(65536) if self.ip_id == "random" else 0

    def frame_of(self, port, packet):
        self.hops = 64 - packet.hops
        behind = 8 + len(packet.data) + packet.payload + 4
        tos = self.dscp << 2 | (3 if packet.ce else 2 if packet.ect else 0)
        ip, masked = self.headers(packet, tos, behind)
        tag = b"\x81\x00\x60\x05" if self.vlan else b""
        kind = b"\x86\xdd" if self.v6 else b"\x08\x00"
        if self.spec.uet:
            return (mac(port.peer) + mac(port.node) + tag + kind + ip +
                    pds.behind_ip(packet, self.addresses(packet)))
        inside = (struct.pack("!HHHH", packet.sport, 4791, behind, 0) +
                  packet.data + bytes(min(packet.payload, 60)))
        if packet.payload <= 60:
            inside += struct.pack("<I", icrc_of(masked, inside))
        return mac(port.peer) + mac(port.node) + tag + kind + ip + inside

    # ---- the run ----

    def run(self):
        while self.agenda and self.now < self.ends_ns:
            self.now, _, what, args = fabric.heapq.heappop(self.agenda)
            what(*args)
            if not self.is_over and all(j.is_over for j in self.jobs.values()):
                self.is_over = True
                self.ends_ns = min(self.ends_ns, self.now + 300 * US)
            if self.turn > self.most_events:
                break
        return self

    def took(self, job):
        if not self.jobs[job].is_over:
            raise RuntimeError(f"{self.spec.kind} {self.spec.seed}: job "
                               f"{job} is not done")
        first, last = self.spans[job]
        return last - first


def mac(node):
    return bytes((2, 0, 0, 9)) + struct.pack("!H", node.number)


# ---- what is drawn ----------------------------------------------------------------

class Spec:
    """A kind of world, drawn from a seed."""

    def __init__(self, kind, seed, uet=False):
        self.kind, self.seed, self.uet = kind, f"{kind} {seed}", uet
        self.dice = dice = random.Random(self.seed)
        self.draw = lambda *of: dice.choice(of)
        self.habits = {k: dice.choice(v) for k, v in HABITS.items()}
        self.salt = dice.randrange(1 << 30)
        self.speed = self.draw(25, 100, 100, 200)
        self.delay = self.draw(300, 600, 1500)
        self.n = self.draw(2, 4, 4, 6, 8, 8, 16)
        self.shape = self.draw("ring", "ring", "tree", "alltoall", "halving",
                               "pipeline", "parallel")
        self.mode = self.draw("write", "write", "cts", "read", "send")
        self.iterations = self.draw(8, 12, 20, 40)
        self.leaves, self.spines, self.uplink = 2, self.draw(1, 2, 4), None
        self.buffer, self.marks = float("inf"), None
        self.cc, self.lossless = None, None
        self.routes, self.changes, self.others = {}, {}, {}
        self.problems, self.extra, self.settings = [], [], {}
        self.size, self.compute, self.same_order = None, None, False
        self.watch, self.taps, self.no_job = None, {}, False
        self.is_heavy, self.copies_lost = False, 0
        KINDS[kind](self)

    # ---- the job ----

    def prepare(self):
        """What is drawn once the kind has said what it wants."""
        if self.uet and self.mode == "read":
            self.mode = "write"
        if self.shape == "halving":
            self.n = self.draw(4, 8, 8, 16)
        if self.shape == "parallel":
            self.n = self.draw(4, 8, 8)
        if self.shape == "alltoall" and self.n == 2:
            self.n = 4
        if self.shape == "tree":
            self.n = max(self.n, 4)
        while self.n * self.iterations > 100:
            self.iterations -= 1
        self.budget = self.draw(1200, 2400) * (2 if self.is_heavy else 1)
        if not self.size:
            self.size = self.draw_size()
        self.names = [f"h{i + 1}" for i in range(self.n)]
        mixed = self.draw(True, False)
        self.leaf_of = {h: (i % 2 if mixed else int(i >= self.n // 2))
                        for i, h in enumerate(self.names)}
        self.uplink = self.uplink or self.speed * 4
        if self.compute is None:
            self.compute = int(self.estimate() * self.draw(0.2, 0.5, 1.0))
        most = max(t.size for t in self.pattern())
        self.like = {
            "hosts": self.names, "mode": self.mode,
            "iterations": self.iterations, "compute": self.compute,
            "jitter": self.draw(0.005, 0.02, 0.05),
            "qps": min(self.draw(1, 1, 2, 4), max(1, most // 4096)),
            "message": self.draw(16, 64, 1024) * 1024,
            "depth": self.draw(2, 4, 8), "imm": self.draw(True, False),
            "start": 0, "late": {}, "receive_late": {}}

    def draw_size(self):
        """Of a collective, such that the run has about |budget| packets of
        data."""
        unit = 1 << 20
        self.size = unit
        packets = sum(-(-t.size // self.habits["mtu"])
                      for t in self.pattern())
        size = unit * self.budget // (packets * self.iterations)
        least = {"ring": self.n, "alltoall": self.n,
                 "halving": self.n}.get(self.shape, 1) * 512
        return max(size // 64 * 64, least)

    def pattern(self, same_order=False):
        n, size = self.n, self.size
        if self.shape == "ring":
            return jobs.ring(n, size)
        if self.shape == "tree":
            return jobs.tree(n, size)
        if self.shape == "alltoall":
            return jobs.alltoall(n, size, same_order)
        if self.shape == "halving":
            return jobs.halving(n, size)
        if self.shape == "pipeline":
            return jobs.pipeline(n, size, 4, self.stage_ns())
        return jobs.pipeline(n // 2, size, 3, self.stage_ns(), 2, 2 * size)

    def stage_ns(self):
        return 2 * US + self.size * 8 // self.speed // 2

    def estimate(self):
        """What an iteration takes at the speed of links, about."""
        depth, sent = {}, collections.Counter()
        for k, t in enumerate(self.pattern()):
            own = t.size * 8 / self.speed
            sent[t.src] += own
            depth[k] = (max([depth[a] for a in t.after], default=0) + own +
                        t.delay + 4 * self.delay + 2 * US)
        return max(max(depth.values()), max(sent.values()))

    def works(self, on):
        """Jobs and other work, with the problems |on| of their settings."""
        like = dict(self.like)
        like["pattern"] = self.pattern("order" in on)
        for name in on:
            if name in self.settings:
                like.update(self.settings[name])
        works = {"job": (jobs.Job, like)} if not self.no_job else {}
        works.update(self.others)
        return works

    # ---- more hosts ----

    @property
    def hosts(self):
        return [(h, self.leaf_of[h], self.speed)
                for h in self.names] + self.extra

    def more(self, leaf, count, speed=None):
        names = [f"x{len(self.extra) + i + 1}" for i in range(count)]
        self.extra += [(x, leaf, speed or self.speed) for x in names]
        return names

    def rank(self):
        """A rank that others wait for."""
        return self.dice.randrange(self.n)

    def side(self, leaf):
        return [h for h in self.names if self.leaf_of[h] == leaf]

    def problem(self, name, cls, side, at, settings=None, change=None):
        self.problems.append(Problem(name, cls, side, at))
        if settings:
            self.settings[name] = settings
        if change:
            self.changes[name] = change

    # ---- taps ----

    def tap(self, layout):
        def host_link(h, leaf):
            return frozenset((h, f"leaf{leaf + 1}"))
        if layout == "one":
            watch = self.names[self.rank() if self.watch is None
                               else self.watch]
            self.taps = {host_link(watch, self.leaf_of[watch]): watch}
        elif layout == "uplinks":
            links = [(leaf, spine) for leaf in range(2)
                     for spine in range(self.spines)][:2]
            self.taps = {frozenset((f"leaf{a + 1}", f"spine{b + 1}")):
                         f"up{i + 1}" for i, (a, b) in enumerate(links)}
        else:
            self.taps = {host_link(h, leaf): h for h, leaf, _ in self.hosts}


# ---- truth ------------------------------------------------------------------------

def weight(before, players):
    w = 1 / players
    for i in range(1, before + 1):
        w *= i / (players - i)
    return w


def shapley(time, player, players):
    """|time| by frozenset of players."""
    rest = [p for p in players if p != player]
    return sum(weight(k, len(players)) *
               (time[frozenset(s) | {player}] - time[frozenset(s)])
               for k in range(len(rest) + 1)
               for s in itertools.combinations(rest, k))


class Truth:
    """Of one job: total and parts, [(class, side, ns, problem)]."""

    def __init__(self, spec, job, real, levels):
        self.job = job
        names = [p.name for p in spec.problems]
        time = {}
        for k in range(len(names) + 1):
            for on in itertools.combinations(names, k):
                ideal = World(spec, IDEAL, on, job).run()
                time[frozenset(on)] = ideal.took(job)
                time[frozenset(on) | {"fabric"}] = real[on].took(job)
        self.total = time[frozenset(names) | {"fabric"}]
        self.ideal = time[frozenset()]
        players = names + ["fabric"]
        alone = time[frozenset({"fabric"})] - self.ideal
        worth = {p: max(0, shapley(time, p, players)) for p in players}
        worth["fabric"] = min(worth["fabric"], max(0, alone))
        parts = [(p.cls, p.side, worth[p.name], p)
                 for p in spec.problems]
        parts += self.of_fabric(levels, worth["fabric"],
                                time[frozenset({"fabric"})])
        excess = max(0, self.total - self.ideal)
        whole = sum(p[2] for p in parts)
        self.parts = [(c, s, ns * excess / whole, p)
                      for c, s, ns, p in parts if ns > 0]
        self.excess = excess if self.parts else 0

    def of_fabric(self, levels, cost, real):
        """What it costs more than the one before it that does less."""
        more, before = {}, self.ideal
        for level in (QUEUES, PAUSES, MARKS, REAL):
            if level == REAL or not levels:
                took = real
            else:
                took = levels.get(level, {}).get(self.job, before)
            if took > before:
                more[level] = took - before
                before = took
        whole = sum(more.values())
        return [(CLASS_OF[level], "network", cost * ns / whole, None)
                for level, ns in more.items() if cost > 0]

    def of(self, side):
        return sum(ns for _, s, ns, _ in self.parts if s == side)

    @property
    def verdicts(self):
        share = self.excess / self.total
        if share < HARMLESS:
            return {"nothing-wrong"}
        host = self.of("host") / self.excess
        less = min(host, 1 - host)
        side = "network" if host < 0.5 else "host"
        right = {"both" if less >= A_SIDE else side}
        if A_SIDE - ABOUT <= less < A_SIDE + ABOUT:
            right |= {"both", side}
        if share < PERHAPS:
            right.add("nothing-wrong")
        return right

    def shares(self):
        out = collections.Counter()
        for cls, side, ns, _ in self.parts:
            out[cls, side] += ns / self.total
        out["needed"] = 1 - sum(out.values())
        return out

    def roots(self):
        """Sets of words each, of which a root has to have one set."""
        out = []
        for _, _, ns, problem in self.parts:
            if ns >= A_SIDE * self.excess:
                out.append(problem.at if problem else None)
        return out


def run_all(spec):
    """The captured run, and the truth by job."""
    names = tuple(p.name for p in spec.problems)
    real = {}
    for k in range(len(names) + 1):
        for on in itertools.combinations(names, k):
            world = World(spec, REAL, on)
            world.capturing = on == names
            real[on] = world.run()
    levels = {}
    if spec.lossless or spec.cc or spec.buffer < float("inf") or \
            None in spec.changes:
        for level in (QUEUES, PAUSES, MARKS):
            if (level == PAUSES and not spec.lossless or
                    level == MARKS and not spec.cc):
                continue
            world = World(spec, level).run()
            levels[level] = {j: world.took(j) for j, w in world.jobs.items()
                             if isinstance(w, jobs.Job)}
    truths = [Truth(spec, name, real, levels)
              for name, work in real[names].jobs.items()
              if isinstance(work, jobs.Job)]
    return real[names], truths


def write_captures(world, folder):
    """One file per capture point; returns {name: path}."""
    paths, dice = {}, random.Random(world.spec.seed)
    for tap in sorted(set(world.spec.taps.values())):
        paths[tap] = os.path.join(folder, f"{tap}.pcap")
        world.write_frames(paths[tap], [
            (ns, turn, frame, length) for
            ns, turn, t, frame, length in world.seen
            if t == tap and dice.random() >= world.spec.copies_lost])
    return paths


# ---- kinds ------------------------------------------------------------------------

KINDS = {}


def kind(function):
    KINDS[function.__name__.replace("_", "-")] = function
    return function


@kind
def clean(s):
    s.prepare()


@kind
def copies_lost(s):
    """Mirrors that lose some of their copies, of a job that lost nothing."""
    s.prepare()
    s.copies_lost = s.draw(0.002, 0.005, 0.02)


@kind
def clean_marked(s):
    """Switches that could mark, pause and drop, and need not."""
    s.prepare()
    s.cc, s.marks = s.draw(*CC), (400_000, 1600_000)
    lossless(s, 1_000_000)


def lossless(s, xoff):
    """DSCP 24 to 31 are priority 3, which is the one that pauses."""
    s.lossless = xoff, xoff // 2
    s.habits["dscp"] = s.draw(24, 26)


@kind
def small(s):
    """A packet or less a message: latency is all there is."""
    s.iterations = s.draw(20, 40)
    s.size = s.draw(256, 1024, 4096)
    s.compute = s.draw(20, 60) * US
    s.prepare()


@kind
def harmless(s):
    """Storage on other hosts, in no way."""
    s.prepare()
    a, b = s.more(0, 1) + s.more(1, 1)
    bursts(s, [a], b, 0.4)


def bursts(s, senders, to, share):
    size = s.draw(64, 128, 256) * 1024
    speed = dict((h, v) for h, _, v in s.hosts)[to]
    s.others["storage"] = (jobs.Bursts, {
        "hosts": senders, "to": to, "size": size, "start": 5 * US,
        "period": len(senders) * size * 8 / speed / share,
        "jitter": s.draw(0, 0.3), "op": s.draw(nic.WRITE, nic.SEND)})


def other_ring(s, hosts, scale=1.0, start=None):
    n = len(hosts)
    size = max(n * 4096, int(s.size * scale))
    like = dict(s.like, hosts=hosts, pattern=jobs.ring(n, size),
                mode="write", compute=s.compute // 2 + 3 * US,
                start=s.draw(0, 20, 50) * US if start is None else start)
    s.others["other"] = (jobs.Job, like)


def heavy(s, *shapes):
    s.is_heavy = True
    s.speed = s.draw(25, 100, 100)
    s.n = s.draw(4, 4, 6, 8)
    s.shape = s.draw(*shapes)
    s.iterations = s.draw(8, 8, 12)


@kind
def contention(s):
    """Another job on the same uplinks."""
    heavy(s, "ring", "pipeline", "halving", "tree")
    s.spines = 1
    s.uplink = s.speed
    s.prepare()
    other_ring(s, s.more(0, 2) + s.more(1, 2), s.draw(0.5, 1, 2))


@kind
def oversubscription(s):
    heavy(s, "ring", "alltoall", "halving", "parallel")
    s.uplink = max(5, s.speed // s.draw(2, 3, 4))
    s.spines = 1
    s.prepare()


@kind
def collision(s):
    """Uplinks enough, but all lie on one."""
    heavy(s, "ring", "alltoall", "halving")
    s.n = s.draw(4, 6, 8) if s.shape != "halving" else 8
    s.spines = s.n // 2
    s.uplink = s.speed
    s.prepare()
    for a in s.side(0):
        for b in s.side(1):
            s.routes[0, a, b] = s.routes[1, b, a] = "spine1"


@kind
def incast(s):
    """Storage writes to the host of a rank."""
    heavy(s, "ring", "alltoall", "tree", "pipeline", "halving")
    s.prepare()
    rank = s.rank()
    s.watch = s.draw(rank, (rank - 1) % s.n)
    senders = s.more(0, s.draw(1, 2)) + s.more(1, s.draw(1, 2))
    bursts(s, senders, s.names[rank], s.draw(0.4, 0.6))


@kind
def order(s):
    """All send to rank 0 first: an incast of the job's own."""
    heavy(s, "alltoall")
    s.prepare()
    s.problem("order", "queueing", "network", None)


@kind
def late(s):
    s.prepare()
    make_late(s)


def make_late(s):
    rank = s.rank()
    s.watch = s.draw(rank, s.rank())
    by = int((s.compute + s.estimate()) * s.draw(0.2, 0.5, 1))
    from_ = s.draw(0, 3)
    s.problem("late", "host-late", "host", [s.names[rank]],
              {"late": {rank: lambda i: by * (i >= from_)}})


@kind
def late_at_times(s):
    """A host that stalls now and then."""
    s.prepare()
    rank = s.rank()
    s.watch = s.draw(rank, s.rank())
    by = int((s.compute + s.estimate()) * s.draw(1, 3))
    dice = random.Random(s.seed + "stalls")
    when = set(dice.sample(range(1, s.iterations), max(2, s.iterations // 5)))
    s.problem("late", "host-late", "host", [s.names[rank]],
              {"late": {rank: lambda i: by * (i in when)}})


@kind
def late_in_turn(s):
    """In each iteration another host stalls, as when they collect garbage."""
    s.prepare()
    by = int((s.compute + s.estimate()) * s.draw(0.2, 0.5, 1))
    dice = random.Random(s.seed + "turns")
    ranks = s.n
    who = [dice.randrange(ranks) for _ in range(s.iterations)]
    s.problem("late", "host-late", "host", [s.names[r] for r in set(who)],
              {"late": {r: lambda i, r=r: by * (who[i] == r)
                        for r in set(who)}})


@kind
def receiver(s):
    """A rank that posts its buffers late."""
    s.mode = "cts"
    s.prepare()
    rank = s.rank()
    s.watch = s.draw(rank, s.rank())
    by = int((s.compute + s.estimate()) * s.draw(0.1, 0.2))
    s.problem("receiver", "host-receiver", "host", [s.names[rank]],
              {"receive_late": {rank: by}})


@kind
def rnr(s):
    s.mode = "send"
    s.prepare()
    rank = s.rank()
    s.watch = s.draw(rank, s.rank())
    every = s.draw(3, 5)
    wait = int((s.compute + s.estimate()) * s.draw(0.1, 0.3))

    def not_ready(world):
        since = {}

        def check(m, i):
            if m.op != nic.SEND or i != m.begin:
                return False
            number = m.begin
            if (m.begin // max(1, m.packets)) % every:
                return False
            return world.now < since.setdefault(number, world.now + wait)
        return check
    s.problem("rnr", "host-receiver", "host", [s.names[rank]],
              {"rnr": {rank: not_ready}})


@kind
def slow_nic(s):
    s.prepare()
    rank = s.rank()
    s.watch = s.draw(rank, s.rank())
    host, feed = s.names[rank], s.speed / s.draw(4, 8, 12)

    def change(world):
        world.hosts[host].feed = feed
    s.problem("nic", "host-nic", "host", [host], change=change)


@kind
def pause_host(s):
    """An adapter that drains slowly and pauses its switch."""
    s.prepare()
    lossless(s, 60_000)
    rank = s.rank()
    s.watch = rank
    host, drain = s.names[rank], s.speed / s.draw(4, 6, 10)

    def change(world):
        world.hosts[host].drain, world.hosts[host].xoff = drain, 12_000
    s.problem("drain", "pause", "host", [host], change=change)


@kind
def pause_spread(s):
    """Another job's incast into a slow port pauses what the job needs."""
    heavy(s, "ring", "pipeline", "halving", "tree")
    s.spines = 1
    s.prepare()
    lossless(s, 60_000)
    senders = s.more(0, 2)
    slow, = s.more(1, 1, max(5, s.speed // 5))
    bursts(s, senders, slow, 0.9)


def link_of(s, rank):
    host = s.names[rank]
    leaf = f"leaf{s.leaf_of[host] + 1}"
    return s.draw((host, leaf), (leaf, host))


def lose(s, chance, burst, wanted):
    rank = s.rank()
    s.watch = s.draw(rank, (rank + 1) % s.n)
    a, b = link_of(s, rank)
    seed = s.seed + "fault"

    def change(world):
        world.ports[f"{a}->{b}"].fault = af.Fault(seed, chance, burst, wanted)
    s.problem("loss", "loss", "network", [a, b], change=change)


def is_data(packet):
    return packet.what[0] in ("data", "response")


@kind
def loss(s):
    s.prepare()
    lose(s, s.draw(0.004, 0.01, 0.02), s.draw(1, 1, 4), is_data)


@kind
def tail_loss(s):
    s.prepare()

    def is_tail(packet):
        what, i, _ = packet.what
        if what not in ("data", "response"):
            return False
        m = packet.qp.pk[i]
        return i == m.begin + m.packets - 1
    lose(s, s.draw(0.04, 0.08), 1, is_tail)


@kind
def ack_loss(s):
    s.prepare()
    lose(s, s.draw(0.03, 0.1), 1, lambda p: p.what[0] in ("ack", "nak"))


@kind
def rate_cut(s):
    contention(s)
    s.cc, s.marks = s.draw(*CC), (s.draw(20, 60) * 1000, 150_000)


@kind
def own_rate_cut(s):
    oversubscription(s)
    s.cc, s.marks = s.draw(*CC), (s.draw(20, 60) * 1000, 150_000)


@kind
def shallow(s):
    """Buffers that end where the uplinks are thin: drops."""
    oversubscription(s)
    s.buffer = s.draw(60, 120) * 1000


@kind
def two_jobs(s):
    """On different hosts, in nobody's way."""
    s.n = s.draw(2, 4, 4)
    s.prepare()
    other_ring(s, s.more(0, 2) + s.more(1, 2))


@kind
def two_same_hosts(s):
    """Two rings of the same hosts."""
    s.shape, s.n = "ring", s.draw(4, 6)
    s.prepare()
    other_ring(s, s.draw(s.names, s.names[::-1]), s.draw(0.5, 1))


@kind
def late_and_loss(s):
    s.prepare()
    make_late(s)
    lose(s, s.draw(0.01, 0.02), 1, is_data)


@kind
def late_and_incast(s):
    incast(s)
    make_late(s)


@kind
def barrier(s):
    """Trees of 64 bytes: no job."""
    s.shape, s.size, s.compute = "tree", 64, s.draw(50, 200) * US
    s.prepare()
    s.no_job = True
    like = dict(s.like, pattern=s.pattern())
    s.others["barrier"] = (jobs.Job, like)


@kind
def storage(s):
    """Hosts that write to a server or read from it: no job."""
    s.prepare()
    s.no_job = True
    to, = s.more(1, 1)
    bursts(s, s.names, to, s.draw(0.3, 0.6))
    s.others["clock"] = (Clock, {"for": s.draw(2, 4) * MS})


class Clock:
    """Nothing, for a while."""

    def __init__(self, world, _, like):
        self.is_over = False
        world.at(like["for"], self.end)

    def end(self):
        self.is_over = True
