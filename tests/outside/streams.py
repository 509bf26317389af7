# SPDX-License-Identifier: GPL-2.0-or-later
"""Training steps in which a rank computes and communicates at the same time, or
with different ranks one after the other.

|job| is of jobs.py.  Each of these is a generator, as its patterns are, of one
step of one rank: what it returns has to be acknowledged before the next."""
import jobs


def in_ring(job, rank, size, rounds, ranks):
    """|size| of all |ranks| goes round in so many rounds."""
    sent, at = [], ranks.index(rank)
    before, after = ranks[at - 1], ranks[(at + 1) % len(ranks)]
    for _ in range(rounds):
        receives = job.receives(rank, before, size // len(ranks))
        sent += job.send(rank, after, size // len(ranks))
        for _ in job.pieces(size // len(ranks)):
            yield from receives.get()
    if job.like["ends_with_sends"]:
        yield from sent
    return sent


class Stream:
    """Collectives of a rank, one after the other, while it computes: each
    begins when it may."""

    def __init__(self, job, rank):
        self.job, self.rank, self.queue = job, rank, []

    def add(self, rounds, size):
        """(may begin, is over)"""
        may, over = jobs.Event(), jobs.Event()
        self.queue.append((may, over, rounds, size))
        return may, over

    def work(self):
        ranks = list(range(self.job.size))
        for may, over, rounds, size in self.queue:
            yield may
            yield from in_ring(self.job, self.rank, size, rounds, ranks)
            over.set()

    def start(self):
        jobs.Rank(self.job.sim, self.work(), self.job.frozen[self.rank])


def buckets(job, rank, compute):
    """Forward, then backward: what a part of that gives is summed up over all
    ranks while the next part is computed (DDP)."""
    count, stream = job.like["batches"], Stream(job, rank)
    sums = [stream.add(2 * (job.size - 1), job.like["bytes"] // count)
            for _ in range(count)]
    stream.start()
    yield compute / 3
    for may, _ in sums:
        yield compute * 2 / 3 / count
        may.set()
    for _, over in sums:
        yield over
    return []


def shards(job, rank, compute):
    """Each layer is gathered while the one before computes, forward and again
    backward, where what a layer gives is scattered as well (FSDP)."""
    count, stream = job.like["batches"], Stream(job, rank)
    size, rounds = job.like["bytes"] // count // 3, job.size - 1
    gathers = [stream.add(rounds, size) for _ in range(count)]
    scatters = []
    for i in range(count):
        gathers.append(stream.add(rounds, size))
        if i:
            scatters.append(stream.add(rounds, size))
    scatters.append(stream.add(rounds, size))
    stream.start()
    gathers[0][0].set()
    for i, (_, over) in enumerate(gathers):
        yield over
        if i + 1 < len(gathers):
            gathers[i + 1][0].set()
        yield compute / 3 / count * (1 if i < count else 2)
        if i >= count:
            scatters[i - count][0].set()
    for _, over in scatters:
        yield over
    return []


def forth_and_back(job, rank, stage, first, compute):
    """One micro-batch forth, one back (1F1B), in the pipeline from rank |first|
    on; or all forth and then all back."""
    stages, size = job.like["stages"], job.like["bytes"]
    count = job.like["batches"]
    ahead = min(stages - stage - 1, count) if job.like["mixed"] else count
    ways = [1] * ahead + [1, -1] * (count - ahead) + [-1] * ahead
    sent = []
    for way in ways:
        if first <= rank - way < first + stages:
            yield from job.take(rank, rank - way, size)
        yield compute / 3 / count * (1 if way > 0 else 2)
        if first <= rank + way < first + stages:
            sent += job.send(rank, rank + way, size)
    return sent


def grid(job, rank, compute):
    """Pipelines side by side; then each stage sums up over all of them."""
    stages = job.like["stages"]
    stage, first = rank % stages, rank // stages * stages
    sent = yield from forth_and_back(job, rank, stage, first, compute)
    peers = list(range(stage, job.size, stages))
    if len(peers) > 1:
        sent += yield from in_ring(job, rank, job.like["gradient"],
                                   2 * (len(peers) - 1), peers)
    return sent


def experts(job, rank, compute):
    """To the ranks that know best, and back, in each layer."""
    sent = []
    for _ in range(2 * job.like["batches"]):
        sent += yield from job.alltoall(rank, compute)
        yield compute / 2 / job.like["batches"]
    return sent


PATTERNS = {"buckets": buckets, "shards": shards, "grid": grid,
            "experts": experts}


def draw(spec, shape, r):
    """Makes the job of |spec| such a one."""
    nic, speed, job = spec["nic"], spec["speed"], spec["job"]
    mtu, count = nic["mtu"], r.choice((2, 4, 6))
    stages = r.choice((2, 3, 4))
    if shape == "grid":
        spec["leaves"], spec["per_leaf"] = r.choice(((1, 10), (2, 5)))
        hosts = r.choice([n for n in (stages, 2 * stages) if 2 < n < 9])
    else:
        spec["leaves"], spec["per_leaf"] = r.choice(((1, 6), (2, 3), (2, 4)))
        hosts = r.choice((3, 4))
    spec["spines"] = 0 if spec["leaves"] == 1 else 2
    spec["uplink"] = speed * spec["per_leaf"]
    most = spec["leaves"] * spec["per_leaf"]
    chunk = r.choice((4, 8, 16)) * mtu
    # what one rank sends in a step
    parts = {"buckets": 2 * (hosts - 1) * count,
             "shards": 3 * (hosts - 1) * count,
             "grid": 4 * count, "experts": 2 * count * (hosts - 1)}[shape]
    message = chunk * r.choice((1, 1, 2))
    if shape == "experts" and r.random() < 0.5:
        chunk = message = r.choice((512, 1024, mtu))
    wire = parts * message * 8 / speed
    total = {"buckets": message * hosts * count,
             "shards": 3 * message * hosts * count,
             "grid": message, "experts": message * hosts}[shape]
    job.update(
        hosts=sorted(r.sample(range(most), hosts)), pattern=shape,
        steps=r.choice((6, 8, 10)), bytes=total, chunk=chunk, batches=count,
        compute=wire * r.choice((0.5, 1, 2, 4)), jitter=r.choice((0, 0.01)),
        buffers=r.choice((1, 2, 8)), stages=stages,
        mixed=r.random() < 0.5, gradient=message * r.choice((4, 16)),
        ends_with_sends=r.random() < 0.5)
