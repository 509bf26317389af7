#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is the flowlet timer that query flowlet-timer advises a good one?

Two leaves and four spines with ECMP (A) are simulated, captured and analyzed.  Then A
is simulated with flowlets and the advised timer: by the simulator's own record
flows then move between paths, and no packet is reordered.  With a timer that is shorter
than the distance of two packets, packets are.  Without idle times, or with one capture point, there
is no advice.

    flowlet_timer.py --fabscope BUILD/fabscope
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

SCENARIO = """run for=20ms
nics sport=random
switches balance={balance} flowlet={timer}ns
leafspine leaves=2 spines=4 hosts=4 speed=100G uplink=50G delay=500ns
qp a h1 h5 count=3 receiver=orderless patience=5ms rate=40G
qp b h2 h6 count=3 receiver=orderless patience=5ms rate=40G
qp c h3 h7 count=3 receiver=orderless patience=5ms rate=40G
qp d h4 h8 count=3 receiver=orderless patience=5ms rate=40G
flow fa qp=a.* op=write size=48K count=60 depth={depth} gap={gap} gap_to={to}
flow fb qp=b.* op=write size=48K count=60 depth={depth} gap={gap} gap_to={to}
flow fc qp=c.* op=write size=48K count=60 depth={depth} gap={gap} gap_to={to}
flow fd qp=d.* op=write size=48K count=60 depth={depth} gap={gap} gap_to={to}
{taps}"""
# Seed 5 hashes four of eight flows to one of four uplinks.
COLLISION = """run for=20ms
nics sport=random
switches balance={balance} flowlet={timer}ns
leafspine leaves=2 spines=4 hosts=4 speed=100G uplink=50G delay=500ns
""" + "".join(f"""qp {q} h{h} h{h + 4} count=2 receiver=orderless patience=5ms rate=25G
flow f{q} qp={q}.* op=write size=400K count=60 depth=1 gap=1us gap_to=200us
""" for h, q in enumerate("abcd", 1)) + "".join(
    f"tap t{h} h{h}->leaf{(h + 3) // 4} both=yes snaplen=128\n"
    for h in range(1, 9)) + "".join(
    f"tap u{s} leaf1->spine{s} snaplen=128\n" for s in range(1, 5))
GROUP = "[group up]\nmembers = " + ", ".join(
    f"leaf1->spine{s}" for s in range(1, 5)) + "\n"
HASTY = 500  # ns: packets of 40 Gb/s are 840 ns apart
BOTH = "".join(f"tap t{h} h{h}->leaf{(h + 3) // 4} both=yes snaplen=128\n"
               for h in range(1, 9))
FIRST = "tap t1 h1->leaf1 both=yes snaplen=128\n"


class Lab:
    def __init__(self, fabscope, folder):
        self.fabscope, self.folder, self.n = fabscope, folder, 0

    def simulate(self, balance="ecmp", timer=50000, gap="1us", to="400us",
                 depth=1, taps=BOTH):
        self.n += 1
        base = self.folder / str(self.n)
        base.with_suffix(".fab").write_text(SCENARIO.format(**{
            k: v for k, v in locals().items() if k != "self"}))
        subprocess.run([self.fabscope, "simulate", base.with_suffix(".fab"),
                        "-w", base.with_suffix(".pcapng"), "--seed", "4711"],
                       check=True, capture_output=True)
        return base, json.loads(base.with_suffix(".truth.json").read_text())

    def advice(self, base):
        db = base.with_suffix(".db")
        subprocess.run([self.fabscope, "analyze", "--all-messages", "-o", db,
                        base.with_suffix(".pcapng")], check=True,
                       capture_output=True)
        done = subprocess.run([self.fabscope, "query", db, "flowlet-timer",
                               "--format", "json"], check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)[0]


def check_finding(fabscope, folder):
    """The finding of a collision has the advice, and it holds."""
    def simulate(name, **given):
        base = folder / name
        base.with_suffix(".fab").write_text(COLLISION.format(**given))
        subprocess.run([fabscope, "simulate", base.with_suffix(".fab"), "-w",
                        base.with_suffix(".pcapng"), "--seed", "5",
                        "--evidence", base.with_suffix(".devices")],
                       check=True, capture_output=True)
        return base, json.loads(base.with_suffix(".truth.json").read_text())

    def fullest(truth):
        up = [l["bytes"] for l in truth["links"]
              if l["link"].startswith("leaf1->spine")]
        return round(max(up) / sum(up), 2)

    def lasts(truth):
        """From its first packet to its last acknowledgement, of each host."""
        of = {}
        for m in truth["messages"]:
            of.setdefault(m["work"], []).extend((m["first_ns"],
                                                 m["completed_ns"]))
        return sorted(max(v) - min(v) for v in of.values())

    base, a = simulate("c", balance="ecmp", timer=50000)
    db = base.with_suffix(".db")
    topology = base.with_suffix(".devices") / "topology.ini"
    topology.write_text(topology.read_text() + GROUP)
    done = subprocess.run([fabscope, "analyze", "--all-messages", "--json",
                           "-o", db, "--topology", topology,
                           base.with_suffix(".pcapng")], check=True,
                          capture_output=True, text=True)
    actions = [f["action"] for f in json.loads(done.stdout)["findings"]
               if f["rule"] == "hash-collision"]
    said = re.search(r"flowlet timer of (\d+) us", " ".join(actions))
    if not said:
        return [f"collision without advice: {actions}"]
    _, b = simulate("d", balance="flowlet", timer=1000 * int(said[1]))
    print(said[0], moved(b), reordered(b), fullest(a), fullest(b))
    if moved(b) < 6 or reordered(b) or fullest(b) > 0.8 * fullest(a):
        return [f"{said[0]}: {moved(b)} flows moved, {reordered(b)} packets "
                f"reordered, fullest uplink {fullest(a)}, {fullest(b)}"]
    # what-if says what it brings: each queue pair computes for as long as it did
    done = subprocess.run([fabscope, "whatif", db, "--json", "--set",
                           f"lb=flowlet,gap={said[1]}us"], check=True,
                          capture_output=True, text=True)
    predicted = sorted(t["predicted_ns"] for t in json.loads(done.stdout)["span"]
                  if t["job"])
    print([round(x / y, 3) for x, y in zip(predicted, lasts(b))])
    if any(abs(x / y - 1) > 0.15 for x, y in zip(predicted, lasts(b), strict=True)):
        return [f"what-if {predicted}, really {lasts(b)}"]
    return check_predicted(fabscope, db, a, simulate)


def check_predicted(fabscope, db, a, simulate):
    """Of several timers what-if suggests one: it is faster, and keeps the order."""
    def span(truth):
        return max(m["completed_ns"] for m in truth["messages"]) - min(
            m["first_ns"] for m in truth["messages"])

    done = subprocess.run([fabscope, "whatif", db, "--json", "--flowlets",
                           "--runs", "12"], check=True, capture_output=True,
                          text=True)
    said = json.loads(done.stdout)
    best = said["suggested"]
    if not best:
        return [f"--flowlets suggests nothing: {said}"]
    one = next(t for t in said["timers"] if t["set"] == best)
    _, b = simulate("e", balance="flowlet",
                    timer=int(best["lb.gap"].removesuffix("ns")))
    print(best, one, span(a), span(b), reordered(b))
    if reordered(b) or not one["low_ns"] <= span(b) <= one["high_ns"] or \
            abs(one["predicted_ns"] / span(b) - 1) > 0.15 or \
            span(b) >= span(a):
        return [f"{one}: really {span(b)}, before {span(a)}, "
                f"{reordered(b)} packets reordered"]
    return []


def check_refused(fabscope, base):
    """Where the capture carries no advice, --flowlets says why."""
    done = subprocess.run([fabscope, "whatif", base.with_suffix(".db"),
                           "--flowlets"], check=False, capture_output=True,
                          text=True)
    if done.returncode != 3 or "no flowlet timer" not in done.stdout:
        return [f"--flowlets: {done.returncode} {done.stdout}"]
    return []


def reordered(truth):
    return sum(c.get("reordered", 0) for f in truth["flows"]
               for t in f.get("taps", []) for k, c in t.items()
               if k == "request")


def moved(truth):
    """Flows of data that left their leaf by more than one spine."""
    n = 0
    for f in truth["flows"]:
        ways = {h["egress"] for h in f.get("hops", [])
                if h["switch"].startswith("leaf1")}
        n += f["src_host"] in ("h1", "h2", "h3", "h4") and len(ways) > 1
    return n


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(arguments.parse_args().fabscope, pathlib.Path(folder))
        base, a = lab.simulate()
        said = lab.advice(base)
        print(said)
        if not said["flowlet_ns"] or reordered(a) or moved(a):
            raise SystemExit(f"no advice: {said}")
        _, b = lab.simulate("flowlet", said["flowlet_ns"])
        _, hasty = lab.simulate("flowlet", HASTY)
        print(moved(b), reordered(b), reordered(hasty))
        if moved(b) < 6 or reordered(b):
            wrong.append(f"{said['flowlet_ns']} ns: {moved(b)} flows moved, "
                         f"{reordered(b)} packets reordered")
        if not reordered(hasty):
            wrong.append("a timer of half a microsecond reorders nothing, either")
        base, _ = lab.simulate(gap="0ns", to="100ns", depth=4)
        said = lab.advice(base)
        if said["flowlet_ns"] or "idle" not in said["why"]:
            wrong.append(f"without idle times: {said}")
        wrong += check_refused(lab.fabscope, base)
        base, _ = lab.simulate(taps=FIRST)
        said = lab.advice(base)
        if said["flowlet_ns"] or "capture points" not in said["why"]:
            wrong.append(f"one capture point: {said}")
        wrong += check_refused(lab.fabscope, base)
        wrong += check_finding(lab.fabscope, lab.folder)
    for w in wrong:
        print(w)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
