#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope whatif against what then really happens.

Each pair is a fabric with its jobs, once with the settings of today (A) and once
with others (B), drawn from a seed.  A is simulated, captured and analyzed; B is
predicted from that alone; B is simulated, and its own record says what is right.
The direction must be right in at least 19 of 20, and the time of the job to 15 %:
"faster" is right where B takes less, "unchanged" where it takes as much to 3 %, and
"unclear" never is.  What is refused is listed, and is not a prediction.

    pairs.py --fabscope BUILD/fabscope --first SEED [--pairs N] [-v]
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

DELAY_OFF = 0.1  # in half of the pairs at most
UNCHANGED = 0.03


def fabric(r):
    leaves, spines = r.choice([(2, 2), (2, 4), (4, 2)])
    hosts = r.choice([2, 4])
    speed = r.choice([100, 200, 400])
    over = r.choice([1, 2])
    up = max(25, speed * hosts // (spines * over))
    return {"leaves": leaves, "spines": spines, "hosts": hosts,
            "speed": speed, "up": up, "delay": r.choice([300, 500, 800])}


def settings(r, f, change):
    """Those of A, and what B is without."""
    k = f["speed"] // 100
    a = {"buffer.size": "32M"}
    if change in ("wred", "dcqcn", "off"):
        a.update({"wred.kmin": f"{r.choice([20, 40]) * k}K",
                  "wred.kmax": f"{r.choice([100, 200]) * k}K",
                  "wred.pmax": r.choice(["0.2", "0.5", "1"])})
    b = {}
    if change == "wred":
        b = {"wred.kmin": f"{r.choice([400, 800]) * k}K",
             "wred.kmax": f"{r.choice([1600, 3200]) * k}K",
             "wred.pmax": r.choice(["0.1", "0.2"])}
    elif change == "dcqcn":
        b = {"dcqcn.additive": r.choice(["400M", "1G", "4G"]),
             "dcqcn.rate_timer": r.choice(["20us", "40us"])}
    elif change == "pfc":
        a.update({"pfc.xoff": "64K", "pfc.xon": "32K",
                  "pfc.headroom": "400K"})
        b = {"pfc.xoff": r.choice(["1M", "2M"]), "pfc.xon": "512K"}
    elif change == "lb":
        b = {"lb": r.choice(["adaptive", "spray"])}
    elif change == "uplink":
        b = {"links.uplink": f"{f['up'] * 2}G"}
    elif change == "half":
        b = {"links.uplink": f"{max(10, f['up'] // 2)}G"}
    return a, b


def work(r, f, change):
    n = f["leaves"] * f["hosts"]
    # neighbors in the ring are on different leaves
    order = [f"h{leaf * f['hosts'] + k + 1}" for k in range(f["hosts"])
             for leaf in range(f["leaves"])]
    pattern = r.choice(["ring", "alltoall", "allgather", "reducescatter"])
    if change in ("wred", "dcqcn", "pfc"):
        pattern = "alltoall"
    size = r.choice([256, 512, 1024]) * f["speed"] // 100
    same = " same_order=yes serial=yes" if pattern == "alltoall" and \
        r.random() < 0.3 else ""
    return (f"collective job pattern={pattern} ranks={','.join(order[:n])} "
            f"size={size}K iterations={r.choice([6, 8, 10])} "
            f"compute={r.choice([100, 200, 300])}us compute_jitter=5us"
            f"{same} receiver=orderless patience=5ms timeout=50ms "
            f"dcqcn={'yes' if change in ('wred', 'dcqcn') else 'no'}")


WORDS = {"wred.kmin": "kmin", "wred.kmax": "kmax", "wred.pmax": "pmax",
         "pfc.xoff": "xoff", "pfc.xon": "xon", "pfc.headroom": "headroom",
         "buffer.size": "buffer", "lb": "balance"}


def scenario(f, s, job):
    out = ["run for=400ms done=yes"]
    switch = [f"{WORDS[k]}={v}" for k, v in s.items() if k in WORDS]
    if "pfc.xoff" in s:
        switch.append("lossless=3")
    if switch:
        out.append("switches " + " ".join(switch))
    for key, value in s.items():
        if key.startswith("dcqcn."):
            out.append(f"dcqcn {key[6:]}={value}")
    up = s.get("links.uplink", f"{f['up']}G")
    out.append(f"leafspine leaves={f['leaves']} spines={f['spines']} "
               f"hosts={f['hosts']} speed={f['speed']}G uplink={up} "
               f"delay={f['delay']}ns")
    out.append(job)
    for leaf in range(f["leaves"]):
        for k in range(f["hosts"]):
            h = leaf * f["hosts"] + k + 1
            out.append(f"tap t{h} h{h}->leaf{leaf + 1} both=yes pfc=yes "
                       "snaplen=128")
    return "\n".join(out) + "\n"


def topology(f):
    out = []
    for leaf in range(1, f["leaves"] + 1):
        out.append(f"[switch leaf{leaf}]")
    for spine in range(1, f["spines"] + 1):
        out.append(f"[switch spine{spine}]")
    for leaf in range(1, f["leaves"] + 1):
        for spine in range(1, f["spines"] + 1):
            out.append(f"[link leaf{leaf}--spine{spine}]\n"
                       f"speed = {f['up']}G")
        for k in range(f["hosts"]):
            h = (leaf - 1) * f["hosts"] + k + 1
            out += [f"[host h{h}]\naddress = 10.0.0.{h}\nswitch = leaf{leaf}",
                    f"[link h{h}--leaf{leaf}]\nspeed = {f['speed']}G",
                    f"[tap t{h}]\nlink = h{h}--leaf{leaf}"]
    return "\n".join(out) + "\n"


def took(truth):
    """The job, from its first packet to its last, in ns."""
    its = [i for i in truth["iterations"] if i["comm_from_ns"] is not None]
    return max(i["to_ns"] for i in its) - min(i["comm_from_ns"] for i in its)


def direction_right(said, real):
    return {"faster": real < 1, "slower": real > 1,
            "unchanged": abs(real - 1) <= UNCHANGED}.get(said, False)


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def simulate(fabscope, text, name, seed):
    path = pathlib.Path(name + ".fab")
    path.write_text(text)
    status, _, err = run(fabscope, "simulate", str(path), "--seed", str(seed),
                         "-f", "-w", name + ".pcapng")
    if status:
        sys.exit(f"{path}: {err}")
    return json.loads(pathlib.Path(name + ".truth.json").read_text())


def delay_off(model, f):
    """How far the links of the model are from those of the fabric."""
    delays = [int(line.split("delay=")[1].split("ns")[0])
              for line in model.read_text().splitlines()
              if line.startswith("link ")]
    return abs(statistics.median(delays) / f["delay"] - 1)


CHANGES = ("wred", "dcqcn", "pfc", "lb", "uplink", "half")


def pair(fabscope, seed, folder):
    """(change, real ratio, predicted ratio or None, range, why not, error
    of the delay of links, direction, how likely it is)."""
    r = random.Random(seed)
    change = CHANGES[seed % len(CHANGES)]
    f = fabric(r)
    now, other = settings(r, f, change)
    job = work(r, f, change)
    name = str(folder / "a")
    a = simulate(fabscope, scenario(f, now, job), name, seed)
    b = simulate(fabscope, scenario(f, {**now, **other}, job),
                 str(folder / "b"), seed)
    (folder / "t.ini").write_text(topology(f))
    status, _, err = run(fabscope, "analyze", "--all-messages", "--topology",
                         str(folder / "t.ini"), "-o", name + ".db",
                         name + ".pcapng")
    if status:
        sys.exit(f"seed {seed}: {err}")
    words = [fabscope, "whatif", name + ".db", "--json", "-f", "-w",
             name + ".model"]
    for option, group in (("--now", now), ("--set", other)):
        words += [option, ",".join(f"{k}={v}" for k, v in group.items())]
    status, out, err = run(*words)
    if status not in (0, 3):
        sys.exit(f"seed {seed}: {err}")
    said = json.loads(out)
    real = took(b) / took(a)
    if not said["predicted"]:
        return change, real, None, None, said["refused"], None, None, None
    one = next((j for j in said["span"] if j["job"]), said["span"][-1])
    return (change, real, one["predicted_ns"] / one["captured_ns"],
            (one["low_ns"] / one["captured_ns"],
             one["high_ns"] / one["captured_ns"]), None,
            delay_off(pathlib.Path(name + ".model"), f), one["direction"],
            one["probability"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--fabscope", required=True)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--pairs", type=int, default=20)
    p.add_argument("--may-refuse", type=int, default=4)
    p.add_argument("--wrong", type=int, default=1)
    p.add_argument("--off", type=int, default=0)
    p.add_argument("--mean", type=float, default=0.15)
    p.add_argument("--refuses", action="store_true",
                   help="each must be refused")
    p.add_argument("--keep", type=pathlib.Path)
    p.add_argument("-v", action="store_true")
    a = p.parse_args()
    refused, wrong, off, within, n, errors = 0, [], [], 0, 0, 0
    unclear, expected = 0, 0
    delays = []
    for seed in range(a.first, a.first + a.pairs):
        with tempfile.TemporaryDirectory() as temporary:
            folder = a.keep or pathlib.Path(temporary)
            change, real, said, limits, why, delay, way, sure = pair(
                a.fabscope, seed, folder)
        if said is None:
            refused += 1
            print(f"{seed} {change}: really x{real:.3f}, refused: {why}")
            continue
        n += 1
        unclear += way == "unclear"
        bad = not direction_right(way, real)
        expected += sure
        error = abs(said - real) / real
        errors += error
        delays.append(delay)
        within += limits[0] <= real <= limits[1]
        if bad:
            wrong.append(seed)
        if error > 0.15:
            off.append(seed)
        if a.v or bad or error > 0.15:
            print(f"{seed} {change}: really x{real:.3f}, predicted "
                  f"x{said:.3f} ({limits[0]:.3f} to {limits[1]:.3f}, {way} {sure:.2f})"
                  f"{' WRONG DIRECTION' if bad else ''}"
                  f"{' OFF' if error > 0.15 else ''}", flush=True)
    print(f"{n} predicted, {refused} refused; wrong direction {wrong}, "
          f"unclear {unclear}, right ones by its own word {expected:.1f}; "
          f"more than 15 % off {off}; in the range {within}; mean error "
          f"{errors / n if n else 1:.3f}, of delays of links "
          f"{statistics.median(delays) if n else 1:.3f}")
    if a.refuses:
        return n > 0
    return len(wrong) > a.wrong or len(off) > a.off or not n or \
        refused > a.may_refuse or errors > a.mean * n or \
        statistics.median(delays) > DELAY_OFF


if __name__ == "__main__":
    sys.exit(main())
