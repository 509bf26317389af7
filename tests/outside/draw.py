# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws what a world is like: fabric, NICs, job, problem, taps."""
import copy
import random

import drawuet
import streams

US, MS = 1e3, 1e6
KINDS = ("clean", "loss", "tail", "burst", "ackloss", "blackout", "blip",
         "ctsloss", "incast-queue", "incast-ecn", "incast-pfc", "incast-drop",
         "thin", "job2", "straggler", "freeze", "drain", "cts-late", "limit",
         "rnr", "loss+straggler")
KINDS_OF = {"rc": KINDS, "uet": KINDS + drawuet.MORE_KINDS}
# A job of which receivers ask for each message, and a problem of KINDS.
CREDIT = ("slots", "relay", "stages", "branches")
# A job without that, many steps long: its ranks begin by themselves.
FREE = ("ring", "serial", "tree")
BY_NAME = ("plain-in", "plain-out", "drain-always", "mixed",  # never drawn
           "nic-drop",
           *(f"{shape}:{kind}" for shape in CREDIT for kind in (
               "clean", "loss", "incast-queue", "incast-pfc", "thin",
               "straggler", "drain", "cts-late")),
           *(f"{shape}:{kind}" for shape in FREE for kind in (
               "clean", "always", "loss", "tail")),
           *(f"{shape}:{kind}" for shape in streams.PATTERNS for kind in (
               "clean", "far", "always", "straggler", "loss", "tail",
               "incast-queue", "incast-pfc", "thin", "drain", "limit",
               "cts-late")))
LAYOUTS = ("all", "all", "all", "one", "uplinks", "mirror", "ingress")
LAYOUTS_BY_NAME = ("ports",)
QUALITIES = ("good", "good", "ptp", "drift", "us", "gaps", "duplicates",
             "sample")
QUALITIES_BY_NAME = ("merged", "merged-ports", "sample-few", "sample-flows")
OPS = ("write", "write", "write", "send", "read")
PACKETS = (5000, 9000)      # of a job's data, about


def nic(r, speed):
    selective = r.random() < 0.35
    v6 = r.random() < 0.25
    return {
        "transport": "rc", "dscp": {"data": 26, "control": 48},
        "speed": speed, "mtu": r.choice((1024, 2048, 4096, 4096)), "v6": v6,
        "vlan": r.random() < 0.3,
        "subnet": 1 if v6 else 0x0a000001 + r.randrange(1, 200) * 256,
        "psn": r.choice(("zero", "wrap", "random")),
        "ack_ect": r.random() < 0.5, "window": r.choice((64, 256, 100_000)),
        "selective": selective, "asks_every": r.choice((8, 16, 32, 64)),
        "ack_every": r.choice((1, 1, 2, 4, 8, 16)),
        "ack_after": r.choice((0, 0, 0, 2 * US, 8 * US)),
        "nak_after": r.choice((0, 0, 20 * US)) if selective else 0,
        "reaction": r.choice((1.5 * US, 5 * US, 50 * US)),
        "rto": r.choice((1, 4, 16)) * 1.05 * MS,
        "rto_grows": r.random() < 0.5, "reacts": True,
        "cnp_every": r.choice((4 * US, 50 * US)),
        "rnr_code": 12, "rnr_wait": 0.64 * MS, "turn": 600,
        "ip_id": r.choice(("pair", "port", "zero")),
        "sport": r.choice(("same", "own")), "xoff": 200_000, "xon": 100_000}


def job(r, speed, mtu, hosts, ops, packets):
    pattern = r.choice(("ring", "ring", "ring", "alltoall", "tree",
                        "pipeline"))
    op = r.choice(ops)
    steps, size = r.choice((6, 8, 12)), len(hosts)
    data = r.choice(packets) * mtu / steps
    # how often all of |bytes| is sent in a step
    times = {"ring": 2 * (size - 1), "alltoall": size - 1,
             "tree": 2 * (size - 1), "pipeline": 2 * 4 * (size - 1)}[pattern]
    total = int(data / times) // 256 * 256 + r.choice((0, 0, 256, 100))
    message = total // size if pattern in ("ring", "alltoall") else total
    return {
        "hosts": hosts, "pattern": pattern, "steps": steps, "bytes": total,
        "chunk": max(mtu, int(message / r.choice((1, 1, 2, 4)))),
        "compute": 2 * data * 8 / speed / size * r.choice((0.3, 1, 2)),
        "jitter": r.choice((0, 0.01)), "buffers": r.choice((1, 2, 8)),
        "batches": 4,
        "app": {"pairs": r.choice((1, 1, 2, 4)), "op": op,
                "cts": op in ("write", "send") and r.random() < 0.6,
                "split": r.random() < 0.5,
                "immediate": op != "read" and r.random() < 0.7}}


def fabric(seed, transport):
    """A healthy fabric, and a job on it."""
    r = random.Random(f"{seed} fabric")
    leaves = 1 if r.random() < 0.3 else 2
    per_leaf = r.choice((4, 6, 8) if leaves == 1 else (3, 4))
    spines = 0 if leaves == 1 else r.choice((2, 3))
    speed = r.choice((25, 100, 100, 200, 400))
    like = (nic if transport == "rc" else drawuet.nic)(r, speed)
    ops, packets = (OPS, PACKETS) if transport == "rc" else (
        drawuet.OPS, drawuet.PACKETS)
    hosts = leaves * per_leaf
    ranks = r.choice((hosts, hosts - 1, max(hosts - 2, 3), 4))
    members = sorted(r.sample(range(hosts), ranks))
    return {
        "seed": seed, "speed": speed, "leaves": leaves, "per_leaf": per_leaf,
        "spines": spines, "delay": r.choice((200, 500, 2000)),
        "uplink": speed * per_leaf / max(spines, 1) * 1.5,
        "sprays": like["entropies"] > 1 if transport == "uet" else
        like["selective"] and r.random() < 0.5,
        "pfc": None, "buffer": 4_000_000, "marks": None, "nic": like,
        "job": job(r, speed, like["mtu"], members, ops, packets),
        "problems": [], "taps": []}


def credit(spec, shape):
    """Few buffers, and small messages of the receiver for each: of a ring that
    passes on chunk by chunk, a pipeline whose stages ask when they need data, a
    tree."""
    r = random.Random(f"{spec['seed']} credit")
    nic, speed = spec["nic"], spec["speed"]
    spec["leaves"], spec["per_leaf"] = r.choice(((1, 6), (2, 3), (1, 6),
                                                 (2, 3), (2, 5), (2, 9)))
    spec["spines"] = 0 if spec["leaves"] == 1 else 2
    spec["uplink"] = speed * spec["per_leaf"]
    hosts = spec["leaves"] * spec["per_leaf"]
    ranks = hosts - 2
    packets = r.choice((4, 8, 16)) if ranks < 8 else 4
    chunks = r.choice((1, 2, 4)) if shape == "slots" else 1
    chunk = packets * nic["mtu"]
    job = spec["job"]
    many = {"slots": ranks, "relay": 8, "branches": 4, "stages": 2}[shape]
    job.update(
        hosts=sorted(r.sample(range(hosts), ranks)), chunk=chunk,
        pattern={"stages": "pipeline", "branches": "tree"}.get(shape, shape),
        steps=r.choice((6, 8)), bytes=chunk * chunks * many,
        compute=chunk * chunks * many * 8 / speed * r.choice((0.3, 1, 2)),
        jitter=0.01, buffers=r.choice((1, 2, 3)),
        # of stages; else all do the same
        weights=[r.choice((1, 1, 2, 3)) if shape == "stages" else 1
                 for _ in range(ranks)])
    job["app"]["op"] = r.choice(("write", "write", "read"))
    job["app"]["cts"] = job["app"]["op"] == "write"


def without_credit(spec, shape):
    """No credit, and many steps; |serial|: to one after the other, so many at
    a time."""
    r = random.Random(f"{spec['seed']} free")
    nic, speed, job = spec["nic"], spec["speed"], spec["job"]
    ranks = len(job["hosts"])
    packets = ranks * r.choice((4, 8, 16))
    job.update(
        pattern=shape, steps=r.choice((10, 20, 30)), at_once=r.choice((1, 2)),
        bytes=packets * nic["mtu"], chunk=packets * nic["mtu"],
        compute=2 * packets * nic["mtu"] * 8 / speed * r.choice((0.3, 1, 3)),
        jitter=r.choice((0, 0.01, 0.05)))
    job["app"].update(op="write", cts=False, pairs=1)
    if shape == "serial":
        job.update(ends_with_sends=r.random() < 0.5,
                   chunk=packets * nic["mtu"] // r.choice((1, ranks)))


def choose(spec, kind, layout, quality):
    """False: this fabric and this job cannot have that."""
    r = random.Random(f"{spec['seed']} choice")
    shape, colon, named = (kind or "").partition(":")
    if colon:
        kind = named
        if shape in streams.PATTERNS:
            streams.draw(spec, shape,
                         random.Random(f"{spec['seed']} {shape}"))
        else:
            (credit if shape in CREDIT else without_credit)(spec, shape)
    spec["kind"] = kind or r.choice(KINDS_OF[spec["nic"]["transport"]])
    spec["layout"] = layout or r.choice(LAYOUTS)
    spec["quality"] = quality or r.choice(QUALITIES)
    if not drawuet.can_have(spec):
        return False
    if spec["kind"] == "far":       # long cables, and nothing wrong
        spec["delay"] = r.choice((5 * US, 20 * US, 50 * US))
    if spec["kind"] == "mixed":     # links of hosts, and nothing wrong
        slow = spec["speed"] / r.choice((2, 4))
        spec["slower"] = {str(h): slow for h in r.sample(
            spec["job"]["hosts"], r.choice((1, 2)))}
    kind, hosts = spec["kind"], spec["leaves"] * spec["per_leaf"]
    free = hosts - len(spec["job"]["hosts"])
    return not (
        (spec["layout"] == "uplinks" and not spec["spines"]) or
        (kind in ("thin", "thin-trim", "job2") and not spec["spines"]) or
        (kind == "ctsloss" and not spec["job"]["app"]["cts"]) or
        (kind == "cts-late" and not spec["job"]["app"]["cts"] and
         spec["job"]["app"]["op"] not in ("defer", "rendezvous")) or
        free < {"incast": 1, "job2": 2, "plain": 1}.get(
            kind.partition("-")[0], 0))


# ---- problems ----

def loss_of(kind, r, time, step):
    """What a cable loses, by kind."""
    since = time * r.uniform(0.3, 0.6)
    return {
        "loss": {"chance": r.choice((0.0005, 0.002, 0.01))},
        "tail": {"chance": r.choice((0.05, 0.15)), "tail": True},
        "burst": {"chance": r.choice((0.0005, 0.002)),
                  "burst": r.choice((3, 10, 30))},
        "ackloss": {"chance": r.choice((0.01, 0.05)), "acks": True},
        "blackout": {"chance": 1, "acks": True, "since": since,
                     "until": since + r.choice((0.2, 1, 3)) * step},
        "blip": {"chance": 1, "acks": True, "since": since,
                 "until": since + 5 * US},
        "ctsloss": {"cts": r.randrange(3, 20)},
        "loss+straggler": {"chance": 0.005}}.get(kind)


def incast(spec, how, r, victim, time):
    """Others send to a host of the job."""
    speed, size = spec["speed"], 64 * spec["nic"]["mtu"]
    if how == "ecn":
        spec["marks"] = (500 * speed, 2000 * speed, 0.2)
    elif how == "pfc":
        spec["pfc"] = (60_000, 30_000)
    elif how in ("drop", "trim"):
        spec["buffer"] = 150_000
        spec["trim"] = how == "trim" and drawuet.kept(spec, r)
    gap = size * 8 / speed / r.choice((0.3, 0.6))
    free = [i for i in range(spec["leaves"] * spec["per_leaf"])
            if i not in spec["job"]["hosts"]]
    for _ in range(r.choice((1, 2))):
        spec["problems"].append({
            "kind": "stream", "src": r.choice(free), "dst": victim,
            "bytes": size, "since": time * 0.1, "gap": gap,
            "count": min(int(time * 2 / gap), 150), "reacts": how == "ecn"})


def plain(spec, way, r, victim, time):
    """A host of the job gets or sends what is no RDMA as well."""
    size = 64 * 1514
    gap = size * 8 / spec["speed"] / r.choice((0.3, 0.6))
    other = r.choice([i for i in range(spec["leaves"] * spec["per_leaf"])
                      if i not in spec["job"]["hosts"]])
    src, dst = (other, victim) if way == "in" else (victim, other)
    spec["problems"].append({
        "kind": "stream", "plain": True, "src": src, "dst": dst,
        "bytes": size, "since": time * 0.1, "gap": gap,
        "count": min(int(time * 2 / gap), 300)})


def other_job(spec):
    spec["uplink"] = spec["speed"] * 0.6
    like = copy.deepcopy(spec["job"])
    free = [i for i in range(spec["leaves"] * spec["per_leaf"])
            if i not in like["hosts"]]
    like.update(hosts=free[:2], steps=40, pattern="ring", bytes=max(
        like["bytes"] // 4, 16 * spec["nic"]["mtu"]))
    like["compute"] /= 3
    return {"kind": "job", "like": like}


def host_problem(spec, kind, r, rank, time):
    """A problem of a rank or of its host, by kind; None if there is none."""
    step, speed, like = time / spec["job"]["steps"], spec["speed"], spec["job"]
    host = like["hosts"][rank]
    if kind == "straggler":
        return {"kind": kind, "rank": rank, "ns": step * r.choice(
            (0.1, 0.3, 1)), "part": r.choice((0.3, 1))}
    if kind == "always":
        return {"kind": "straggler", "rank": rank, "part": 1,
                "ns": step * r.choice((0.1, 0.3, 1, 3))}
    if kind == "loss+straggler":
        return {"kind": "straggler", "rank": rank, "ns": step * 0.3,
                "part": 1}
    if kind == "freeze":
        begins = [time * r.uniform(0.1, 0.9) for _ in range(r.choice((1, 3)))]
        return {"kind": kind, "rank": rank, "when": [
            (t, t + step * r.choice((0.5, 1.5))) for t in begins]}
    if kind == "drain":
        spec["pfc"] = (60_000, 30_000)
        since = time * r.uniform(0.1, 0.3)
        return {"kind": kind, "host": host, "speed": speed * r.choice(
            (0.1, 0.3)), "since": since, "until": since + time * r.choice(
                (0.3, 0.6))}
    if kind == "drain-always":
        spec["pfc"] = (60_000, 30_000)
        xoff = r.choice((20_000, 60_000, 200_000))
        spec["nic"].update(xoff=xoff, xon=xoff // 2)
        return {"kind": "drain", "host": host, "speed": speed * r.choice(
            (0.1, 0.3, 0.5)), "since": 0, "until": time * 10}
    if kind == "nic-drop":
        return {"kind": kind, "host": host, "chance": r.choice(
            (0.0005, 0.002, 0.005))}
    if kind == "credit-slow":
        return {"kind": kind, "host": host, "part": r.choice((0.1, 0.3)),
                "since": time * 0.1, "until": time * 3}
    if kind == "limit":
        return {"kind": kind, "host": host, "speed": speed * r.choice(
            (0.15, 0.3)), "since": time * 0.1, "until": time * 3}
    if kind in ("cts-late", "rnr"):
        like["buffers"] = 1
        like["chunk"] = max(spec["nic"]["mtu"], like["chunk"] // 2)
    if kind == "cts-late" and like["pattern"] in ("slots", "relay"):
        return {"kind": kind, "rank": rank, "ns": like["chunk"] * 8 / speed *
                r.choice((1, 3))}
    if kind == "cts-late":
        return {"kind": kind, "rank": rank, "ns": step * r.choice(
            (0.02, 0.1))}
    if kind == "rnr":
        like["app"].update(op="send", cts=False, immediate=False)
        return {"kind": kind}
    return None


def problem(spec, time):
    """|time|: what the healthy job takes.  False: there is no such problem."""
    r = random.Random(f"{spec['seed']} problem")
    kind, hosts = spec["kind"], spec["job"]["hosts"]
    rank = r.randrange(len(hosts))
    victim = hosts[rank]
    leaf = f"leaf{victim // spec['per_leaf']}"
    lost = loss_of(kind, r, time, time / spec["job"]["steps"])
    if lost:
        port = r.choice((f"{leaf}->h{victim}", f"h{victim}->{leaf}"))
        if spec["spines"] and r.random() < 0.4:
            port = r.choice(("leaf0->spine0", "spine0->leaf0"))
        if kind == "ctsloss":
            port = f"h{victim}->{leaf}"
        spec["problems"].append(dict(lost, kind="loss", port=port))
    elif kind.startswith("incast"):
        incast(spec, kind.partition("-")[2], r, victim, time)
    elif kind.startswith("plain"):
        plain(spec, kind.partition("-")[2], r, victim, time)
    elif kind.startswith("thin"):
        if kind == "thin-trim":
            spec["buffer"] = 150_000
            spec["trim"] = drawuet.kept(spec, r)
        spec["problems"].append({
            "kind": "thin", "speed": spec["speed"] / r.choice((2, 4, 10)),
            "port": r.choice(("leaf0->spine0", "leaf1->spine1"))})
    elif kind == "job2":
        spec["problems"].append(other_job(spec))
    found = host_problem(spec, kind, r, rank, time)
    if found:
        spec["problems"].append(found)
    return kind in ("clean", "far", "mixed") or bool(spec["problems"])


# ---- taps ----

def host_tap(spec, host):
    leaf = f"leaf{host // spec['per_leaf']}"
    return {"name": f"h{host}", "link": f"h{host}--{leaf}",
            "at": [(f"h{host}->{leaf}", "sent"),
                   (f"{leaf}->h{host}", "received")]}


def port_mirror(spec, host):
    """What the switch forwards from and to a host: no pauses."""
    leaf = f"leaf{host // spec['per_leaf']}"
    return {"name": f"p{host}", "link": f"h{host}--{leaf}", "pfc": False,
            "at": [(f"h{host}->{leaf}", "received"),
                   (f"{leaf}->h{host}", "sent")]}


def tap_places(spec, r):
    local = range(spec["per_leaf"])
    if spec["layout"] == "ports":
        return [port_mirror(spec, i)
                for i in range(spec["leaves"] * spec["per_leaf"])]
    if spec["layout"] == "all":
        return [host_tap(spec, i)
                for i in range(spec["leaves"] * spec["per_leaf"])]
    if spec["layout"] == "one":
        return [host_tap(spec, r.choice(spec["job"]["hosts"]))]
    if spec["layout"] == "uplinks":
        return [{"name": f"u{s}", "link": f"leaf0--spine{s}",
                 "at": [(f"leaf0->spine{s}", "sent"),
                        (f"spine{s}->leaf0", "received")]}
                for s in range(spec["spines"])]
    # mirrors of a leaf: both directions of its hosts, or all that comes in
    at = [(f"h{i}->leaf0", "received") for i in local]
    if spec["layout"] == "mirror":
        at += [(f"leaf0->h{i}", "sent") for i in local]
    else:
        at += [(f"spine{s}->leaf0", "received")
               for s in range(spec["spines"])]
    return [{"name": spec["layout"], "at": at, "pfc": False}]


def taps(spec):
    r = random.Random(f"{spec['seed']} taps")
    snaplen = r.choice((0, 128, 96) if spec["nic"]["mtu"] < 4096 else
                       (96, 128, 256))
    quality, tick = spec["quality"], r.choice((1, 1, 100))
    many = {"gaps": (0.001, 0.01, 0.03), "duplicates": (0.01, 0.2),
            "sample": (10, 100), "sample-few": (2, 3, 4, 5, 8),
            "sample-flows": (2, 4), "merged": (500, 1000, 2000),
            "merged-ports": (500, 1000, 2000)}
    for tap in tap_places(spec, r):
        tap.update(snaplen=snaplen, tick=1000 if quality == "us" else tick)
        if quality in many:
            tap[quality] = r.choice(many[quality])
        elif quality == "drift":
            tap.update(offset=r.uniform(-500, 500) * US,
                       ppm=r.uniform(-20, 20))
        elif quality == "ptp":
            tap["offset"] = r.uniform(-100, 100)
        spec["taps"].append(tap)
