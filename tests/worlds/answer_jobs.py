# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs: what ranks send each other in an iteration, and after what.

A transfer begins when its rank has begun the iteration and has what it needs of
others, and with credits when its receiver has posted a buffer as well.  A rank
that has all and whose own was acknowledged computes, then begins the next."""
import collections
import random

import answer_nic as nic

Transfer = collections.namedtuple("Transfer", "src dst size after delay",
                                  defaults=((), 0))


# ---- patterns: transfers between ranks 0..n-1 --------------------------------

def ring(n, size, first=0, steps=2, ranks=None):
    """|steps| * (n - 1) steps; |first|: number of its first transfer."""
    ranks = ranks or list(range(n))
    out = []
    for step in range(steps * (n - 1)):
        for i in range(n):
            after = (first + (step - 1) * n + (i - 1) % n,) if step else ()
            out.append(Transfer(ranks[i], ranks[(i + 1) % n], size // n,
                                after))
    return out


def tree(n, size):
    """Up to rank 0, and down again."""
    out, up = [], {}

    def children(r):
        return [c for c in (2 * r + 1, 2 * r + 2) if c < n]
    for r in reversed(range(1, n)):
        up[r] = len(out)
        out.append(Transfer(r, (r - 1) // 2, size,
                            tuple(up[c] for c in children(r))))
    down = {}
    for r in range(n):
        for c in children(r):
            after = ((down[r],) if r else tuple(up[x] for x in children(0)))
            down[c] = len(out)
            out.append(Transfer(r, c, size, after))
    return out


def alltoall(n, size, same_order=False):
    """Each to all, one after the other from where it is itself, or from 0."""
    out, last = [], {}
    for k in range(n):
        for r in range(n):
            to = k if same_order else (r + k) % n
            if to == r:
                continue
            out.append(Transfer(r, to, size // n))
            last[r] = len(out) - 1
    return out


def halving(n, size):
    """Recursive halving, then doubling; n is a power of two."""
    out, came = [], {r: () for r in range(n)}
    spans = [1 << k for k in range(n.bit_length() - 1)]
    for i, span in enumerate(spans[::-1] + spans):
        part = size >> (i + 1 if i < len(spans) else 2 * len(spans) - i)
        now = {}
        for r in range(n):
            out.append(Transfer(r, r ^ span, max(part, 64), came[r]))
            now[r ^ span] = (len(out) - 1,)
        came = now
    return out


def pipeline(stages, size, micro, stage_ns, replicas=1, gradient=0):
    """Forward and back through stages, then a ring of replicas by stage;
    ranks count stages, then replicas."""
    out, last = [], {}
    for d in range(replicas):
        at = {}
        for way in (1, -1):
            for m in range(micro):
                for k in range(stages - 1):
                    s = k if way > 0 else stages - 1 - k
                    before = at.get((way, m, s - way))
                    if before is None and way < 0:
                        before = at.get((1, m, s - 1))
                    at[way, m, s] = len(out)
                    out.append(Transfer(d * stages + s, d * stages + s + way,
                                        size,
                                        () if before is None else (before,),
                                        stage_ns))
                    last[d, s + way] = len(out) - 1
    if replicas > 1:
        for s in range(stages):
            ranks = [d * stages + s for d in range(replicas)]
            first = len(out)
            for t in ring(replicas, gradient, first, 2, ranks):
                d = t.src // stages
                after = t.after or ((last[d, s],) if (d, s) in last else ())
                out.append(t._replace(after=after))
    return out


class Job:
    """|like| has: hosts, pattern (transfers), mode, iterations, compute,
    jitter, qps, message, depth, start, late (rank: function of iteration),
    receive_late (rank: ns)."""

    def __init__(self, world, name, like):
        self.world, self.name, self.like = world, name, like
        self.hosts = [world.hosts[h] for h in like["hosts"]]
        self.n = len(self.hosts)
        self.transfers = like["pattern"]
        self.needed_by = collections.defaultdict(list)
        self.count = collections.Counter()
        self.inbound = collections.defaultdict(list)
        for k, t in enumerate(self.transfers):
            self.count[t.src] += 1
            self.count[t.dst] += 1
            self.inbound[t.src, t.dst].append(k)
            for a in t.after:
                self.needed_by[a].append(k)
        self.missing = {}        # (iteration, transfer): needs that are left
        self.left = {}           # (iteration, rank): transfers that are left
        self.began = [-1] * self.n
        self.finished, self.ends = 0, {}
        self.halves = {}
        self.parts = {}
        for rank in range(self.n):
            world.at(like["start"] + self.compute_ns(rank, 0), self.begin,
                     rank, 0)

    @property
    def is_over(self):
        return self.finished == self.n * self.like["iterations"]

    def dice(self, *what):
        return random.Random(f"{self.world.seed} {self.name} {what}")

    def compute_ns(self, rank, iteration):
        like = self.like
        ns = like["compute"] * (1 + like["jitter"] *
                                self.dice(rank, iteration).random())
        late = like["late"].get(rank)
        return ns + (late(iteration) if late else 0)

    # ---- queue pairs ----

    def half(self, src, dst, i):
        """What |src| requests of |dst| on their queue pair |i|."""
        key = src, dst, i
        if key not in self.halves:
            low, high = sorted((src, dst))
            dice = self.dice("qp", low, high, i)
            numbers = [self.world.qp_number(dice) for _ in "ab"]
            sport = self.world.sport(dice)
            for s, d, own, peer in ((low, high, *numbers),
                                    (high, low, *reversed(numbers))):
                self.halves[s, d, i] = half = self.world.half(
                    self.world, self.name, self.hosts[s], self.hosts[d],
                    (own, peer), sport, self.world.psn_start(dice))
                rnr = self.like.get("rnr", {}).get(d)
                if rnr:
                    half.not_ready = rnr(self.world)
        return self.halves[key]

    # ---- an iteration ----

    def begin(self, rank, iteration):
        self.began[rank] = iteration
        for (src, dst), ks in self.inbound.items():
            if dst == rank and self.like["mode"] == "cts":
                for k in ks[:self.like["depth"]]:
                    self.post_credit(iteration, k)
            if src == rank:
                for k in ks:
                    self.need(iteration, k, "begun")
        if not self.count[rank]:
            self.finish(rank, iteration)

    def need(self, iteration, k, _):
        """One of what transfer |k| needs is there."""
        t = self.transfers[k]
        key = iteration, k
        if key not in self.missing:
            self.missing[key] = (1 + len(t.after) +
                                 (self.like["mode"] == "cts"))
        self.missing[key] -= 1
        if self.missing[key] == 0:
            del self.missing[key]
            if t.delay:
                self.world.at(self.world.now + t.delay, self.start, iteration,
                              k)
            else:
                self.start(iteration, k)

    def post_credit(self, iteration, k):
        t = self.transfers[k]
        late = self.like["receive_late"].get(t.dst, 0)
        self.world.at(self.world.now + late, self.send_credit, iteration, k)

    def send_credit(self, iteration, k):
        t = self.transfers[k]
        self.half(t.dst, t.src, 0).post(
            nic.WRITE, 32, lambda: self.need(iteration, k, "credit"),
            imm=False)

    def start(self, iteration, k):
        t, like = self.transfers[k], self.like
        if like["mode"] == "read":
            self.half(t.src, t.dst, 0).post(
                nic.SEND, 48, lambda: self.read(iteration, k))
            return
        self.send_parts(iteration, k, t.src, t.dst, nic.SEND
                        if like["mode"] == "send" else nic.WRITE)

    def read(self, iteration, k):
        t = self.transfers[k]
        self.send_parts(iteration, k, t.dst, t.src, nic.READ)

    def send_parts(self, iteration, k, requester, responder, op):
        t, like = self.transfers[k], self.like
        pieces = []
        each = -(-t.size // like["qps"])
        for q in range(like["qps"]):
            left = min(each, t.size - q * each)
            while left > 0:
                pieces.append((q, min(left, like["message"])))
                left -= like["message"]
        self.parts[iteration, k] = [len(pieces), len(pieces)]
        for j, (q, size) in enumerate(pieces):
            last = j + 1 == len(pieces) or pieces[j + 1][0] != q
            self.half(requester, responder, q).post(
                op, size, lambda: self.part_done(iteration, k, 0),
                lambda: self.part_done(iteration, k, 1),
                last and like["imm"])

    def part_done(self, iteration, k, which):
        parts = self.parts[iteration, k]
        parts[which] -= 1
        if parts[which]:
            return
        t = self.transfers[k]
        if which == 0:
            self.delivered(iteration, k)
        elif self.like["mode"] == "read":
            self.half(t.dst, t.src, 0).post(
                nic.SEND, 16, lambda: self.is_done(t.src, iteration))
        else:
            self.is_done(t.src, iteration)

    def delivered(self, iteration, k):
        t = self.transfers[k]
        for other in self.needed_by[k]:
            self.need(iteration, other, k)
        if self.like["mode"] == "cts":
            ks = self.inbound[t.src, t.dst]
            following = ks.index(k) + self.like["depth"]
            if following < len(ks):
                self.post_credit(iteration, ks[following])
        self.is_done(t.dst, iteration)

    def is_done(self, rank, iteration):
        key = rank, iteration
        self.left[key] = self.left.get(key, self.count[rank]) - 1
        if self.left[key] == 0:
            self.finish(rank, iteration)

    def finish(self, rank, iteration):
        self.finished += 1
        self.ends[iteration] = self.world.now
        if iteration + 1 < self.like["iterations"]:
            self.world.at(self.world.now +
                          self.compute_ns(rank, iteration + 1), self.begin,
                          rank, iteration + 1)


class Bursts:
    """Storage: |hosts| write to |to| again and again while jobs run."""
    is_over = True

    def __init__(self, world, name, like):
        self.world, self.name, self.like = world, name, like
        dice = random.Random(f"{world.seed} {name}")
        to = world.hosts[like["to"]]
        self.halves = [world.half(world, name, world.hosts[h], to,
                                (world.qp_number(dice), world.qp_number(dice)),
                                world.sport(dice), world.psn_start(dice))
                       for h in like["hosts"]]
        self.dice = dice
        for half in self.halves:
            world.at(like["start"], self.write, half)

    def write(self, half):
        if self.world.is_over:
            return
        like = self.like
        if half.done >= len(half.messages) - 1:
            half.post(like.get("op", nic.WRITE), like["size"], imm=False)
        self.world.at(self.world.now + like["period"] *
                      (1 + like["jitter"] * (self.dice.random() - 0.5)),
                      self.write, half)
