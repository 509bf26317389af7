#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope whatif on other shapes than those of pairs.py.

Flows with gaps of their own, other collectives, sizes that change, incast of any
degree, READs, several jobs, constants of DCQCN alone, thin uplinks, PFC thresholds,
fewer capture points, Ultra Ethernet.  A is simulated and analyzed, B predicted, and
B simulated: its own record says what is right.  Where a direction is said it must
be right in 19 of 20 (see pairs.py).

    shapes.py --fabscope BUILD/fabscope --first SEED [--pairs N] [--shape NAME]
"""
import argparse
import json
import pathlib
import random
import sys
import tempfile

import pairs

SWITCH = {"wred.kmin": "kmin", "wred.kmax": "kmax", "wred.pmax": "pmax",
          "pfc.xoff": "xoff", "pfc.xon": "xon", "pfc.headroom": "headroom",
          "buffer.size": "buffer", "lb": "balance", "lb.gap": "flowlet"}
# A change that is large enough for somebody to need its direction.
LARGE = 0.2


def fabric(r, shape):
    f = pairs.fabric(r)
    if shape == "thin":
        f["up"] = max(25, f["speed"] * f["hosts"] //
                      (f["spines"] * r.choice([4, 8])))
    return f


def settings(r, f, shape):
    """Those of A, what B is without, and whether NICs react to marks."""
    k = f["speed"] // 100
    marks = {"wred.kmin": f"{r.choice([20, 80]) * k}K",
             "wred.kmax": f"{r.choice([100, 400]) * k}K",
             "wred.pmax": r.choice(["0.1", "0.5", "1"])}
    pauses = {"pfc.xoff": "128K", "pfc.xon": "64K", "pfc.headroom": "400K"}
    up = r.choice(["double", "half", "quarter"])
    rate = {"double": f["up"] * 2, "half": max(5, f["up"] // 2),
            "quarter": max(5, f["up"] // 4)}[up]
    changes = {
        "wred": (marks, {"wred.kmin": f"{r.choice([5, 300]) * k}K",
                         "wred.kmax": f"{r.choice([600, 1600]) * k}K",
                         "wred.pmax": r.choice(["0.05", "0.2", "1"])}),
        "dcqcn": (marks, r.choice([
            {"dcqcn.additive": r.choice(["10M", "200M", "1G", "4G"])},
            {"dcqcn.rate_timer": r.choice(["15us", "150us", "300us"])},
            {"dcqcn.g": r.choice(["0.25", "0.015"])},
            {"dcqcn.fast": r.choice(["1", "10"])},
            {"dcqcn.cut_period": r.choice(["50us", "200us"])}])),
        "pfc": (pauses, {"pfc.xoff": r.choice(["32K", "512K", "2M"]),
                         "pfc.xon": r.choice(["16K", "24K"])}),
        "lb": ({}, {"lb": r.choice(["adaptive", "spray"])}),
        "uplink": ({}, {"links.uplink": f"{rate}G"})}
    change = {"dcqcn": "dcqcn", "pfc": "pfc",
              "thin": r.choice(["uplink", "lb", "wred"]),
              "uet": r.choice(["uplink", "uplink", "wred"]),
              "incast": r.choice(["wred", "pfc", "dcqcn"])}.get(
                  shape, r.choice(["uplink", "lb", "wred", "uplink"]))
    now, other = changes[change]
    return {"buffer.size": "32M", **now}, other, change


def hosts(f):
    return [f"h{leaf * f['hosts'] + k + 1}" for k in range(f["hosts"])
            for leaf in range(f["leaves"])]


def flows(r, f, op, receiver, own, sizes):
    """Pairs of hosts on different leaves, each with work of its own."""
    all_, out = hosts(f), []
    for i, src in enumerate(all_):
        dst = all_[(i + r.randrange(1, len(all_))) % len(all_)]
        if src == dst:
            continue
        out.append(f"qp q{i} {src} {dst} count={r.choice([1, 2])} {receiver}")
        size = r.choice([32, 128, 512])
        out.append(
            f"flow f{i} qp=q{i}.* op={op} size={size}K "
            f"{f'to={size * 8}K ' if sizes else ''}"
            f"count={r.choice([20, 40])} depth={r.choice([1, 1, 2, 4])}"
            + (f" gap=1us gap_to={r.choice([20, 100, 300])}us" if own else ""))
    return [line.replace(".*", "") if line.startswith("flow") and
            f"qp q{line.split()[1][1:]} " in "".join(out) and
            "count=1 " in next(x for x in out if x.startswith(
                f"qp q{line.split()[1][1:]} ")) else line for line in out]


def incast(r, f, receiver):
    all_ = hosts(f)
    to = r.choice(all_)
    senders = [h for h in all_ if h != to]
    senders = r.sample(senders, r.randrange(2, len(senders) + 1))
    out = []
    for i, src in enumerate(senders):
        out += [f"qp q{i} {src} {to} {receiver}",
                f"flow f{i} qp=q{i} op=write size={r.choice([64, 256])}K "
                f"count={r.choice([20, 40])} depth=1 gap=1us "
                f"gap_to={r.choice([10, 200])}us"]
    return out


def collective(r, f, name, ranks, receiver, pattern, changing=""):
    n = len(ranks)
    size = r.choice([256, 512, 1024]) * f["speed"] // 100
    more = {"pipeline": "micro=4 stage=20us",
            "parallel": f"dp={n // 2} pp=2 ep=1 micro=2 stage=30us "
                        "activations=256K"}.get(pattern, "")
    return [f"collective {name} pattern={pattern} ranks={','.join(ranks)} "
            f"size={size}K iterations={r.choice([5, 8])} "
            f"compute={r.choice([50, 150, 300])}us compute_jitter=5us {more} "
            f"{changing} {receiver}"]


def work(r, f, shape, change):
    receiver = "receiver=orderless patience=5ms timeout=50ms dcqcn=" + (
        "yes" if change in ("wred", "dcqcn") else "no")
    any_ = r.choice(["ring", "alltoall", "allgather", "reducescatter"])
    if shape == "gaps":
        return flows(r, f, "write", receiver, True, False)
    if shape == "reads":
        return flows(r, f, "read", receiver, r.random() < 0.5,
                     r.random() < 0.3)
    if shape == "uet":
        receiver = "service=rud cc=" + (
            "nscc" if change == "wred" else "none")
        return collective(r, f, "job", hosts(f), receiver, any_)
    if shape == "mixed":
        if r.random() < 0.5:
            return flows(r, f, r.choice(["write", "send,write", "read,write"]),
                         receiver, r.random() < 0.5, True)
        size = 256 * f["speed"] // 100
        return collective(r, f, "job", hosts(f), receiver, any_,
                          f"size_to={size * 6}K compute_to=500us")
    if shape == "incast":
        return incast(r, f, receiver)
    if shape == "jobs":
        all_ = hosts(f)
        half = len(all_) // 2
        return collective(r, f, "one", all_[:half], receiver, "ring") + \
            collective(r, f, "two", all_[half:], receiver, any_)
    if shape == "patterns":
        pattern = r.choice(["doublering", "tree", "pipeline", "parallel",
                            "ring"])
        return collective(r, f, "job", hosts(f), receiver, pattern,
                          "nccl=yes" if pattern == "ring" else "")
    return collective(r, f, "job", hosts(f), receiver,
                      "alltoall" if change in ("pfc", "dcqcn") else any_)


def taps(r, f, shape):
    out = []
    for leaf in range(1, f["leaves"] + 1):
        for k in range(f["hosts"]):
            h = (leaf - 1) * f["hosts"] + k + 1
            out.append((f"t{h}", f"h{h}", f"leaf{leaf}", "both=yes"))
    if shape != "taps":
        return out
    way = r.choice(["some", "ingress", "uplinks"])
    if way == "some":
        return [t for t in out if r.random() < 0.6] or out[:1]
    if way == "ingress":
        return [(n, a, b, "") for n, a, b, _ in out]
    return [(f"u{leaf}{spine}", f"leaf{leaf}", f"spine{spine}", "both=yes")
            for leaf in range(1, f["leaves"] + 1)
            for spine in range(1, f["spines"] + 1)]


def scenario(f, s, lines, tapped):
    out = ["run for=400ms done=yes"]
    switch = [f"{SWITCH[k]}={v}" for k, v in s.items() if k in SWITCH]
    if "pfc.xoff" in s:
        switch.append("lossless=3")
    out.append("switches " + " ".join(switch))
    out += [f"dcqcn {k[6:]}={v}" for k, v in s.items()
            if k.startswith("dcqcn.")]
    up = s.get("links.uplink", f"{f['up']}G")
    out.append(f"leafspine leaves={f['leaves']} spines={f['spines']} "
               f"hosts={f['hosts']} speed={f['speed']}G uplink={up} "
               f"delay={f['delay']}ns")
    out += lines
    out += [f"tap {n} {a}->{b} {both} pfc=yes snaplen=128"
            for n, a, b, both in tapped]
    return "\n".join(out) + "\n"


def topology(f, tapped):
    text = "".join(f"[{part}" for part in pairs.topology(f).split("[")[1:]
                   if not part.startswith("tap "))
    return text + "".join(f"[tap {n}]\nlink = {a}--{b}\n"
                          for n, a, b, _ in tapped)


def took(truth):
    """From the first packet of a message to the last, of all and each job."""
    times = {}
    for m in truth["messages"]:
        last = m["completed_ns"] or m["delivered_ns"]
        if m["first_ns"] is None or not last:
            return None
        for who in ("", m["work"]):
            at = times.setdefault(who, [m["first_ns"], last])
            at[0] = min(at[0], m["first_ns"])
            at[1] = max(at[1], last)
    return {who: b - a for who, (a, b) in times.items()}


SHAPES = ("gaps", "patterns", "mixed", "incast", "reads", "jobs", "dcqcn",
          "thin", "pfc", "taps", "uet")


def pair(fabscope, seed, folder, shape):
    r = random.Random(seed)
    f = fabric(r, shape)
    now, other, change = settings(r, f, shape)
    lines = work(r, f, shape, change)
    tapped = taps(r, f, shape)
    name = str(folder / "a")
    a = took(pairs.simulate(fabscope, scenario(f, now, lines, tapped), name,
                            seed))
    b = took(pairs.simulate(fabscope, scenario(f, {**now, **other}, lines,
                                               tapped),
                            str(folder / "b"), seed))
    (folder / "t.ini").write_text(topology(f, tapped))
    status, _, err = pairs.run(
        fabscope, "analyze", "--all-messages", "--topology",
        str(folder / "t.ini"), "-o", name + ".db", name + ".pcapng")
    if status:
        sys.exit(f"seed {seed}: {err}")
    words = [fabscope, "whatif", name + ".db", "--json", "-f", "-w",
             name + ".model"]
    for option, group in (("--now", now), ("--set", other)):
        words += [option, ",".join(f"{k}={v}" for k, v in group.items())]
    (folder / "command").write_text(" ".join(words) + "\n")
    status, out, err = pairs.run(*words)
    if status not in (0, 3):
        sys.exit(f"seed {seed}: {err}")
    said = json.loads(out)
    what = f"{shape} {change} {other}"
    if not a or not b:
        return what, None, [], "nothing ends"
    real = b[""] / a[""]
    if not said["predicted"]:
        return what, real, [], said["refused"]
    return what, real, [(real, next(t for t in said["span"]
                                    if t["job"] is None))] + jobs(
                                        said["span"], a, b), None


def jobs(span, a, b):
    """Each job with that of the simulation which took as long."""
    out = []
    for t in span:
        near = [w for w in a if w and
                abs(a[w] - t["captured_ns"]) < 0.01 * a[w]]
        if t["job"] is not None and len(near) == 1:
            out.append((b[near[0]] / a[near[0]], t))
    return out


def judge(real, t):
    """What is wrong with a prediction."""
    said = t["predicted_ns"] / t["captured_ns"]
    way = t["direction"]
    wrong = []
    if way != "unclear" and not pairs.direction_right(way, real):
        wrong.append("DIRECTION")
    if abs(said - real) / real > 0.15:
        wrong.append("OFF")
    if way == "unclear" and abs(real - 1) > LARGE:
        wrong.append("vague")
    return wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--fabscope", required=True)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--pairs", type=int, default=22)
    p.add_argument("--shape", choices=SHAPES)
    p.add_argument("--wrong", type=int, default=1)
    p.add_argument("--off", type=int, default=0)
    p.add_argument("--may-refuse", type=int, default=8)
    p.add_argument("--keep", type=pathlib.Path)
    p.add_argument("-v", action="store_true")
    a = p.parse_args()
    count = {"refused": 0, "predicted": 0, "clear": 0, "DIRECTION": 0,
             "OFF": 0, "vague": 0, "within": 0}
    errors = expected = 0
    for seed in range(a.first, a.first + a.pairs):
        shape = a.shape or SHAPES[seed % len(SHAPES)]
        with tempfile.TemporaryDirectory() as temporary:
            folder = a.keep or pathlib.Path(temporary)
            what, real, said, why = pair(a.fabscope, seed, folder, shape)
        if not said:
            count["refused"] += 1
            print(f"{seed} {what}: really x{real or 0:.3f}, refused: {why}",
                  flush=True)
        for real, t in said:
            wrong = judge(real, t)
            ratio = t["predicted_ns"] / t["captured_ns"]
            errors += abs(ratio - real) / real
            count["predicted"] += 1
            expected += t["probability"] * (t["direction"] != "unclear")
            count["clear"] += t["direction"] != "unclear"
            count["within"] += t["low_ns"] <= real * t["captured_ns"] <= \
                t["high_ns"]
            for w in wrong:
                count[w] += 1
            if a.v or wrong:
                print(f"{seed} {what} job {t['job']}: really x{real:.3f}, "
                      f"predicted x{ratio:.3f} "
                      f"({t['low_ns'] / t['captured_ns']:.3f} to "
                      f"{t['high_ns'] / t['captured_ns']:.3f}, "
                      f"{t['direction']} {t['probability']:.2f}) "
                      f"{' '.join(wrong)}", flush=True)
    n = max(1, count["predicted"])
    print(count, f"mean error {errors / n:.3f}, directions right by its own "
          f"word {expected:.1f}")
    return count["DIRECTION"] > a.wrong or count["OFF"] > a.off or \
        count["refused"] > a.may_refuse


if __name__ == "__main__":
    sys.exit(main())
