# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios with and without problems, drawn from a seed.

scenario(kind, layout, transport, seed) is the text of one.  The same kind,
transport and seed give the same run whatever the layout of the taps is.  What
the problem cost is not said here: the simulator's twins find that out."""
import random

KINDS = {}   # name: function(World), whether UET can do it, heavy
BY_NAME = ("pause-marks", "incast-marks", "pause-and-incast")  # else not drawn
LAYOUTS = ("hosts", "one", "uplinks", "leaf")


def kind(uet=True, heavy=False):
    def add(function):
        KINDS[function.__name__.replace("_", "-")] = (function, uet, heavy)
        return function
    return add


class World:
    """The lines of a scenario.  Ranks are h1.., the first half of them on
    leaf1, the others on leaf2."""

    def __init__(self, seed, uet, heavy):
        self.dice = random.Random(seed)
        self.uet, self.late = uet, []
        self.heavy = heavy  # time goes into bytes rather than latency
        self.speed = (self.draw(25, 100, 100) if heavy else
                      self.draw(25, 100, 100, 200, 400))     # Gbit/s
        self.mtu = self.draw(1024, 4096, 4096)
        self.n = self.draw(*(4, 4, 6, 8) if heavy else
                           (2, 4, 4, 6, 8, 8, 12))
        self.pattern = self.draw("ring", "ring", "doublering", "tree",
                                 "alltoall", "pipeline")
        self.leaves = {"spines": 1, "uplink": None}
        self.switches = ""
        self.extra = []    # hosts that are no rank: (name, leaf, speed)
        self.job = {}
        self.other = {}
        self.qp = {"timeout": "4ms"}
        self.lines = []
        self.watch = None  # the rank that layout "one" taps
        self.pfc = True

    def draw(self, *of):
        return self.dice.choice(of)

    def between(self, low, high):
        return self.dice.randint(low, high)

    # ---- who is where ----

    def leaf_of(self, rank):
        return 1 if rank < self.n // 2 else 2

    def host(self, rank):
        return f"h{rank + 1}"

    def more_hosts(self, leaf, count, speed=None):
        names = []
        for _ in range(count):
            names.append(f"x{len(self.extra) + 1}")
            self.extra.append((names[-1], leaf, speed or self.speed))
        return names

    def some_rank(self):
        """One that others wait for."""
        return self.dice.randrange(self.n)

    # ---- how long things take ----

    def size(self):
        """Bytes of a collective, for some hundred packets an iteration."""
        budget = self.draw(*(600, 1200) if self.heavy else
                           (400, 800))
        n = self.n
        packets, least = {
            "parallel": (budget // 40, 8),
            "pipeline": (budget // (2 * self.micro * (n - 1)), 2),
            "tree": (budget // (2 * (n - 1)), 4),
            "alltoall": (budget // (n - 1), 2 * n),
        }.get(self.pattern, (budget // (2 * (n - 1)), 2 * n))
        return max(least, packets) * self.mtu

    def transfer(self):
        """Packets that go from rank to rank at a time."""
        parts = {"pipeline": 1, "tree": 1, "parallel": 4,
                 "doublering": 2 * self.n}.get(self.pattern, self.n)
        return max(1, self.job_size // parts // self.mtu)

    def crosses(self):
        """Bytes from leaf to leaf in an iteration."""
        return self.job_size * {"pipeline": self.micro, "tree": 2,
                                "alltoall": self.n // 4 or 1}.get(
                                    self.pattern, 2)

    def step_us(self):
        """What a collective takes at the speed of its links, about."""
        bits = self.job_size * 8 / self.speed / 1000
        return {"pipeline": 10, "parallel": 12, "tree": 4, "alltoall": 1}.get(
            self.pattern, 2) * bits + {"alltoall": 3}.get(
                self.pattern, 4 * self.n)

    def write_job(self):
        ranks = ",".join(self.host(r) for r in self.order())
        self.words = {
            "pattern": self.pattern, "ranks": ranks, "size": self.job_size,
            "iterations": self.iterations, "compute": f"{self.compute}us",
            "compute_jitter": f"{self.jitter}us", "mtu": self.mtu,
            "qps": self.qps, "slices": self.slices, "window": 1024}
        if self.uet:
            self.words |= {"service": "rud", "window": 512, "job": 7,
                           "cc": self.draw("none", "nscc"),
                           "evs": self.draw(1, 16, 256)}
        else:
            self.words |= {"nccl": self.nccl, "ackreq": self.ackreq,
                           "coalesce": self.coalesce,
                           "ack_delay": self.draw("1us", "4us", "10us")}
        if self.pattern == "parallel":
            self.words |= {"dp": self.shape[0], "pp": self.shape[1],
                           "ep": self.shape[2], "micro": self.micro,
                           "stage": f"{self.stage}us",
                           "activations": self.job_size // self.draw(2, 4),
                           "experts": self.job_size // self.draw(1, 2)}
        if self.pattern == "pipeline":
            self.words |= {"micro": self.micro, "stage": f"{self.stage}us"}
        self.words |= self.qp | self.job

    def order(self):
        return list(range(self.n))

    def prepare(self):
        """What is drawn once the kind has said what it wants."""
        d = self
        self.micro, self.stage = d.draw(3, 4, 6), d.draw(5, 15)
        self.job_size = d.size()
        wire = self.step_us()
        self.compute = max(10, int(wire * d.draw(*(0.2, 0.4) if self.heavy
                                                 else (0.3, 0.6, 1.0))))
        self.jitter = max(1, self.compute // d.draw(20, 50))
        self.iterations = d.between(7, 12)
        # No message is shorter than a packet.
        self.qps = min(d.draw(1, 1, 2, 4), self.transfer())
        self.slices = min(d.draw(1, 1, 2, 4), self.transfer() // self.qps)
        self.nccl = d.draw("yes", "yes", "no")
        self.ackreq, self.coalesce = d.draw(1, 4, 16, 16, 32), d.draw(1, 1, 2)

    def collective(self, name, words):
        return f"collective {name} " + " ".join(f"{k}={v}"
                                                for k, v in words.items())

    def problem(self, name, cls, at, off, on, side=None):
        """The line |on| is read with the problem, |off| without."""
        at = at if isinstance(at, str) else ",".join(at)
        self.lines.append(f"problem {name} class={cls} at={at}" +
                          (f" side={side}" if side else ""))
        if on:
            self.lines.append(f"with {name} {on}")
        if off:
            self.lines.append(f"without {name} {off}")

    def job_problem(self, name, cls, at, **words):
        """A problem that is a setting of the job."""
        at = at if isinstance(at, str) else ",".join(at)
        self.lines.append(f"problem {name} class={cls} at={at}")
        self.late.append((name, words))

    def jobs(self):
        """The job as each set of problems in its settings has it."""
        names = [name for name, _ in self.late]
        for mask in range(1 << len(names)):
            words, line = dict(self.words), ""
            for i, (name, more) in enumerate(self.late):
                on = mask >> i & 1
                line += f"{'with' if on else 'without'} {name} "
                words |= more if on else {}
            yield line + self.collective("job", words)

    # ---- taps ----

    def taps(self, layout):
        each = "snaplen=128" + " pfc=yes" * self.pfc
        if layout == "hosts":
            for host, leaf in ([(self.host(r), self.leaf_of(r))
                                for r in range(self.n)] +
                               [(name, leaf) for name, leaf, _ in self.extra]):
                yield f"tap t{host} {host}->leaf{leaf} both=yes {each}"
        elif layout == "one":
            r = self.watch if self.watch is not None else self.some_rank()
            yield (f"tap t{r + 1} {self.host(r)}->leaf{self.leaf_of(r)} "
                   f"both=yes {each}")
        elif layout == "uplinks":
            spines = self.leaves["spines"]
            links = (["leaf1->spine1", "leaf1->spine2"] if spines > 1 else
                     ["leaf1->spine1", "leaf2->spine1"])
            for i, link in enumerate(links):
                yield f"tap u{i + 1} {link} both=yes {each}"
        else:
            peers = ([self.host(r) for r in range(self.n)
                      if self.leaf_of(r) == 1] +
                     [n for n, leaf, _ in self.extra if leaf == 1] +
                     [f"spine{s + 1}" for s in range(self.leaves["spines"])])
            for i, peer in enumerate(peers):
                yield (f"tap m{i + 1} {peer}->leaf1 snaplen=128" +
                       " with=m1" * (i > 0))

    # ---- the text ----

    def text(self, layout):
        self.write_job()
        half = self.n // 2
        uplink = self.leaves["uplink"] or self.speed * half
        yield "run for=4s done=yes twins=yes"
        if self.switches:
            yield f"switches {self.switches}"
        yield f"switches balance=ecmp latency={self.draw(300, 600, 1200)}ns"
        yield (f"nics sport={self.draw('linux', 'random')} "
               f"ipid={self.draw('host', 'qp', 'zero')} "
               f"family={self.draw(*['ipv4'] * 7, 'ipv6')} "
               f"turnaround={self.draw(300, 800, 1500)}ns")
        delay = self.draw(100, 300, 1000)
        yield f"host h1..h{self.n}"
        yield "switch leaf1 leaf2"
        spines = self.leaves["spines"]
        yield f"switch spine1..spine{spines}" if spines > 1 else "switch spine1"
        for r in range(self.n):
            yield (f"link h{r + 1} leaf{self.leaf_of(r)} speed={self.speed}G "
                   f"delay={delay}ns")
        for s in range(spines):
            for leaf in (1, 2):
                yield (f"link leaf{leaf} spine{s + 1} speed={uplink}G "
                       f"delay={delay}ns")
        for name, leaf, speed in self.extra:
            yield f"host {name}"
            yield (f"link {name} leaf{leaf} speed={speed}G "
                   f"delay={delay}ns")
        for line in self.lines:
            if line.startswith("problem "):
                yield line
        yield from self.jobs()
        for line in self.lines:
            if not line.startswith("problem "):
                yield line
        yield from self.taps(layout)

    # ---- parts of kinds ----

    def bursts(self, senders, to, share, size=None):
        """Storage that writes to |to| again and again, |share| of its link."""
        size = size or self.draw(64, 128, 256) * 1024
        period = len(senders) * size * 8 / self.speed / 1000 / share
        for i, x in enumerate(senders):
            self.lines.append(f"qp s{i} {x} {to} mtu={self.mtu} "
                              f"window=256 ecn=no timeout=50ms")
            self.lines.append(f"flow f{i} qp=s{i} op=write size={size} "
                              f"every={int(period * 1000)}ns "
                              f"start={self.between(5, 50)}us")


# ---- nothing wrong -------------------------------------------------------------

@kind()
def clean(w):
    w.prepare()


@kind()
def harmless(w):
    """Host links of the job are full, and others are there and in no way."""
    w.pattern = w.draw("alltoall", "tree", "ring")
    w.prepare()
    a, b = w.more_hosts(1, 2)
    w.bursts([a], b, 0.5)


@kind()
def small(w):
    """Messages of a packet or less: latency is all there is."""
    w.prepare()
    w.job_size = w.draw(256, 512, 1024) * (w.n if w.pattern != "tree" else 1)
    w.qps, w.slices, w.iterations = 1, 1, 20
    w.compute, w.jitter = w.draw(20, 50), 1


# ---- queues --------------------------------------------------------------------

@kind(heavy=True)
def contention(w):
    """Another job on the same uplinks, each of which carries one of them."""
    w.pattern = w.draw("ring", "pipeline")
    w.prepare()
    w.leaves["uplink"] = w.speed
    others = w.more_hosts(1, 1) + w.more_hosts(2, 1)
    words = {"pattern": "ring", "ranks": ",".join(others),
             "size": int(w.crosses() * w.draw(1, 2)),
             "iterations": w.iterations, "compute": f"{w.compute // 2 + 5}us",
             "compute_jitter": "2us", "mtu": w.mtu, "window": 512,
             "start": f"{w.between(0, 60)}us", "timeout": "50ms"}
    if w.uet:
        words |= {"service": "rud", "job": 8}
    w.lines.append(w.collective("other", words))


@kind(heavy=True)
def oversubscription(w):
    """Uplinks that are thinner than what the job needs at a time."""
    w.pattern = w.draw("ring", "doublering", "alltoall", "pipeline")
    w.prepare()
    w.leaves["uplink"] = max(5, w.speed // w.draw(2, 3, 4, 5))


@kind(heavy=True)
def collision(w):
    """Uplinks enough, but hashing lays flows on one of them."""
    w.pattern, w.n = "ring", w.draw(4, 6, 8)
    w.prepare()
    w.qps = 1
    w.leaves = {"spines": w.n // 2, "uplink": w.speed}
    half = w.n // 2
    w.order = lambda: [r for i in range(half) for r in (i, half + i)]
    # Salts by chance could lay the flows apart.
    for r in range(half):
        w.lines.append(f"route leaf1 {w.host(half + r)} "
                       f"via=spine{1 + r // 3}")
        w.lines.append(f"route leaf2 {w.host(r)} via=spine{1 + r // 3}")


def incast_at(w, rank, share=None):
    w.watch = w.draw(rank, (rank - 1) % w.n)
    leaf = w.leaf_of(rank)
    near = w.more_hosts(leaf, w.draw(1, 2))
    far = w.more_hosts(3 - leaf, w.draw(1, 2))
    w.leaves["uplink"] = w.speed * (w.n // 2 + 2)
    w.bursts(near + far, w.host(rank), share or w.draw(0.5, 0.7))


@kind(heavy=True)
def incast(w):
    """Storage writes to the host of a rank from many hosts at a time."""
    w.prepare()
    incast_at(w, w.some_rank())


@kind(heavy=True)
def far_queue(w):
    """The same behind all taps but those at hosts."""
    w.prepare()
    rank = w.n // 2 + w.dice.randrange(w.n // 2)
    incast_at(w, rank)
    w.watch = (rank - 1) % w.n


@kind(heavy=True)
def order(w):
    """All to all, and all send to rank 0 first: an incast of the job's own."""
    w.pattern, w.n = "alltoall", w.draw(4, 6, 8)
    w.prepare()
    w.job |= {"serial": "yes"}
    w.job_problem("order", "queueing",
                  [f"leaf{w.leaf_of(r)}->{w.host(r)}" for r in range(w.n)],
                  same_order="yes")


# ---- hosts ---------------------------------------------------------------------

def late(w):
    rank = w.some_rank()
    w.watch = w.draw(rank, w.some_rank())
    time = max(10, int((w.compute + w.step_us()) * w.draw(0.2, 0.5, 1)))
    w.job_problem("late", "host-late", w.host(rank), late_rank=rank,
                  late=f"{time}us", late_from=w.draw(0, 3),
                  late_alternate=w.draw("yes", "no"))


@kind()
def host_late(w):
    w.prepare()
    late(w)


@kind(uet=False)
def receiver(w):
    """Receives that are posted late, or not at all (RNR)."""
    w.prepare()
    rank = w.some_rank()
    w.watch = w.draw(rank, w.some_rank())
    if w.draw(True, False):
        w.nccl = "yes"
        late = max(10, int((w.compute + w.step_us()) * w.draw(0.3, 0.6)))
        more = {"recv_rank": rank, "recv_late": f"{late}us",
                "recv_from": w.draw(0, 2)}
    else:
        more = {"rnr_rank": rank, "rnr_every": w.draw(2, 3),
                "rnr_for": f"{w.draw(20, 60)}us", "rnr_code": w.draw(1, 3, 8)}
    w.job_problem("receiver", "host-receiver", w.host(rank), **more)


@kind()
def slow_nic(w):
    """An adapter that feeds its link only in part."""
    w.prepare()
    rank = w.some_rank()
    w.watch = w.draw(rank, w.some_rank())
    host = w.host(rank)
    w.problem("nic", "host-nic", host, None,
              f"nic {host} feed={max(1, w.speed // w.draw(5, 8, 12))}G")


def lossless(w):
    w.switches = ("lossless=3 xoff=60K xon=30K headroom=200K buffer=16M "
                  "quanta=65535")
    w.qp |= {"ecn": "no", "timeout": "100ms"}


@kind()
def pause_host(w):
    """An adapter that pauses its switch."""
    w.prepare()
    lossless(w)
    rank = w.some_rank()
    w.watch = w.draw(rank, w.some_rank())
    host = w.host(rank)
    if w.draw(True, False):
        on = (f"nic {host} drain={max(1, w.speed // w.draw(3, 5, 8))}G "
              "xoff=20K xon=10K buffer=1M")
    else:
        every = w.draw(300, 500)
        # 25G: quanta of 20.48 ns
        quanta = min(65535, int(every * w.draw(0.3, 0.5) * 1000 * w.speed /
                                512))
        on = f"nic {host} storm_from=50us storm_every={every}us " \
             f"storm_quanta={quanta}"
    w.problem("pause", "pause", host, None, on, side="host")


def marking(w):
    """Switches that pause and mark, and senders that obey."""
    lossless(w)
    w.switches += f" kmin={w.draw(10, 20, 40)}K kmax={w.draw(50, 100)}K pmax=1"
    w.qp["ecn"] = "yes"
    w.job |= {"cc": "nscc"} if w.uet else {"dcqcn": "yes"}


@kind(heavy=True)
def pause_marks(w):
    """An adapter pauses its switch, which marks what it queues for it."""
    w.prepare()
    marking(w)
    rank = w.some_rank()
    w.watch = rank
    drain = max(1, int(w.speed * w.draw(0.2, 0.4, 0.6, 0.75)))
    w.problem("pause", "pause", w.host(rank), None,
              f"nic {w.host(rank)} drain={drain}G xoff=20K xon=10K buffer=1M",
              side="host")


@kind(heavy=True)
def incast_marks(w):
    """What others send to a rank is queued and marked before its port."""
    w.prepare()
    marking(w)
    incast_at(w, w.some_rank())


@kind(heavy=True)
def pause_and_incast(w):
    """The same port, and an adapter that pauses it now and then."""
    w.prepare()
    marking(w)
    rank = w.some_rank()
    incast_at(w, rank, w.draw(0.3, 0.5))
    w.watch = rank
    every = w.draw(100, 200, 300)
    # 25G: quanta of 20.48 ns
    quanta = min(65535, int(every * w.draw(0.05, 0.1, 0.2) * 1000 * w.speed /
                            512))
    w.problem("pause", "pause", w.host(rank), None,
              f"nic {w.host(rank)} storm_from=20us storm_every={every}us "
              f"storm_quanta={quanta}", side="host")


# ---- the fabric ----------------------------------------------------------------

@kind(heavy=True)
def pause_spread(w):
    """Others' incast into a slow port: pauses come as far as the job."""
    w.prepare()
    lossless(w)
    senders = w.more_hosts(1, 2)
    slow, = w.more_hosts(2, 1, max(10, w.speed // 4))
    size = w.draw(128, 256) * 1024
    period = 2 * size * 8 / (w.speed / 4) / 1000 * 1.3
    for i, x in enumerate(senders):
        w.lines.append(f"qp s{i} {x} {slow} mtu={w.mtu} ecn=no timeout=100ms")
        w.lines.append(f"flow f{i} qp=s{i} op=write size={size} "
                       f"every={int(period * 1000)}ns start=20us")


def faulty_link(w):
    rank = w.some_rank()
    w.watch = w.draw(rank, (rank + 1) % w.n)
    leaf, host = f"leaf{w.leaf_of(rank)}", w.host(rank)
    return w.draw(f"{host}->{leaf}", f"{leaf}->{host}")


def lose(w):
    w.qp |= {"timeout": "1ms"}
    if w.uet:
        w.qp |= {"sack_gap": 8}
    else:
        w.qp |= {"receiver": w.draw("strict", "select")}
    link = faulty_link(w)
    w.problem("loss", "loss", link, None,
              f"fault {link} drop of=data chance={w.draw(0.005, 0.01, 0.02)} "
              f"burst={w.draw(1, 1, 4)}")


@kind()
def loss(w):
    w.prepare()
    lose(w)


@kind()
def tail_loss(w):
    w.prepare()
    w.qp |= {"timeout": w.draw("1ms", "500us")}
    link = faulty_link(w)
    w.problem("loss", "loss", link, None,
              f"fault {link} drop of=data tail=yes originals=yes "
              f"every={w.draw(7, 11, 17)}")


@kind(heavy=True)
def rate_cut(w):
    """Contention where switches mark and senders obey."""
    contention(w)
    w.switches = f"kmin={w.draw(20, 60)}K kmax={w.draw(100, 200)}K pmax=1"
    w.job |= {"cc": "nscc"} if w.uet else {"dcqcn": "yes"}
    other = w.lines[-1]
    w.lines[-1] = other + (" cc=nscc" if w.uet else " dcqcn=yes")


# ---- parallel jobs: data, pipeline and expert parallelism in one --------------

def parallel(w):
    w.pattern = "parallel"
    w.shape = w.draw((2, 2, 1), (2, 2, 2), (2, 1, 2), (1, 2, 4), (2, 4, 1),
                     (4, 2, 1), (2, 2, 3))
    w.n = w.shape[0] * w.shape[1] * w.shape[2]


@kind()
def parallel_clean(w):
    parallel(w)
    w.prepare()


@kind(heavy=True)
def parallel_problem(w):
    parallel(w)
    w.prepare()
    what = w.draw("incast", "late", "thin", "loss")
    if what == "incast":
        incast_at(w, w.some_rank())
    elif what == "late":
        late(w)
    elif what == "thin":
        w.leaves["uplink"] = max(5, w.speed // 4)
    else:
        lose(w)


# ---- more than one -------------------------------------------------------------

@kind()
def late_and_loss(w):
    w.prepare()
    late(w)
    lose(w)


@kind(heavy=True)
def late_and_incast(w):
    w.prepare()
    late(w)
    incast_at(w, w.some_rank())


def scenario(name, layout, transport, seed):
    function, _, heavy = KINDS[name]
    w = World(f"{name} {transport} {seed}", transport == "uet", heavy)
    function(w)
    return "\n".join([f"title {name}, {transport}, taps: {layout}"] +
                     list(w.text(layout))) + "\n"


def all_of(kinds=None, layouts=None, transports=None):
    for name, (_, uet, _) in KINDS.items():
        if name not in kinds if kinds else name in BY_NAME:
            continue
        for transport in ("roce", "uet"):
            if transports and transport not in transports:
                continue
            if transport == "uet" and not uet:
                continue
            for layout in layouts or LAYOUTS:
                yield name, layout, transport
