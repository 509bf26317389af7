# SPDX-License-Identifier: GPL-2.0-or-later
"""A world: a fabric, a job, a problem or none, taps, and what was true.

Written from the InfiniBand, Ultra Ethernet and IEEE 802.1Q texts, without
knowledge of the sources of fabscope.
What a problem cost is what the job took longer with it: it runs with the
problems of hosts only, of the network only, with both, and with neither; the
fabric without a problem has links between switches that never have a queue."""
import collections
import json
import os

import draw
import jobs
import net
import wire

OF_NETWORK = ("loss", "stream", "thin", "job")
QUIET = 200_000     # ns after the end of the job
LONGEST = 3e9
IDEAL_SPEED = 100   # times as fast


class World:
    """One run.  |sides|: whose problems are there; without "network" the
    fabric blocks nothing."""

    def __init__(self, spec, sides):
        self.spec, self.nic = spec, spec["nic"]
        self.sim = net.Sim(spec["seed"])
        self.is_ideal = "network" not in sides
        self.problems = [p for p in spec["problems"] if side_of(p) in sides]
        self.taps = []
        self.build()
        for p in self.problems:
            self.apply(p)
        works = [p for p in self.problems if side_of(p) == "host"]
        self.job = jobs.Job(self, "job", spec["job"], works)
        for i, p in enumerate(self.problems):
            if p["kind"] == "job":
                jobs.Job(self, "other job", p["like"], [])
            elif p["kind"] == "stream":
                jobs.stream(self, f"stream {i}", p)

    def build(self):
        spec, sim = self.spec, self.sim
        pfc = None if self.is_ideal else spec["pfc"]
        self.hosts = [net.Host(sim, i, self.nic)
                      for i in range(spec["leaves"] * spec["per_leaf"])]
        # Ultra Ethernet sprays by its entropies
        sprays = spec["sprays"] and self.nic["transport"] == "rc"
        leaves = [net.Switch(sim, f"leaf{i}", sprays, pfc)
                  for i in range(spec["leaves"])]
        spines = [net.Switch(sim, f"spine{i}", False, pfc)
                  for i in range(spec["spines"])]
        if spec.get("trim"):
            for switch in leaves + spines:
                switch.trim = wire.trimmer(spec["trim"], self.nic)
        self.ports = {}
        for host in self.hosts:
            leaf = leaves[host.index // spec["per_leaf"]]
            up, down = self.cable(host, leaf, spec.get("slower", {}).get(
                str(host.index), spec["speed"]))
            leaf.down[host.index] = down
            host.attach(up)
        for leaf in leaves:
            for spine in spines:
                speed = spec["uplink"] * (IDEAL_SPEED if self.is_ideal else 1)
                up, down = self.cable(leaf, spine, speed)
                leaf.up.append(up)
                spine.down.update((host, down) for host in leaf.down)

    def cable(self, a, b, speed):
        """Buffers and marks are of ports of switches."""
        spec = self.spec
        blocks = not self.is_ideal
        buffer = spec["buffer"] if blocks and not spec["pfc"] else None
        buffers = [buffer if isinstance(end, net.Switch) else None
                   for end in (a, b)]
        ports = net.cable(self.sim, a, b, speed, spec["delay"], buffers)
        for port in ports:
            self.ports[port.name] = port
            if blocks and isinstance(port.owner, net.Switch):
                port.marks = spec["marks"]
        return ports

    def apply(self, p):
        if p["kind"] == "loss":
            self.ports[p["port"]].loses = loses(p, self.sim)
        elif p["kind"] == "nic-drop":
            self.hosts[p["host"]].loses = loses(p, self.sim)
        elif p["kind"] == "drain":
            self.hosts[p["host"]].drain = (p["speed"], p["since"], p["until"])
        elif p["kind"] == "limit":
            self.hosts[p["host"]].limit = (p["speed"], p["since"], p["until"])
        elif p["kind"] == "credit-slow":
            self.hosts[p["host"]].credit = (p["part"], p["since"], p["until"])
        elif p["kind"] == "thin":
            port = self.ports[p["port"]]
            port.speed = port.peer.speed = p["speed"]

    def tap(self):
        frames = wire.Wire(self.nic)
        for like in self.spec["taps"]:
            tap = wire.Tap(self.sim, frames, like)
            for name, end in like["at"]:
                port = self.ports[name]
                (port.sent_taps if end == "sent" else
                 port.peer.received_taps).append(tap)
            self.taps.append(tap)

    def run(self):
        """What the job took, or None when it did not end."""
        self.sim.run(LONGEST, self.job.is_done)
        if not self.job.is_done():
            return None
        end = self.sim.now
        self.sim.run(end + QUIET)
        return end


def side_of(problem):
    return "network" if problem["kind"] in OF_NETWORK else "host"


def loses(like, sim):
    """What a cable loses: |chance| of each packet, or of a burst; only last
    packets of messages, only the n-th CTS (|cts|), also ACKs and CNPs.  The
    same packets in all runs of a world, whatever else comes between."""
    left, seen, passed = [0], [0], collections.Counter()

    def lose(packet, now):
        if not like.get("since", 0) <= now < like.get("until", LONGEST):
            return False
        if packet.work is None and not like.get("acks") and not packet.payload:
            return False
        if "cts" in like:
            if packet.payload != jobs.ANNOUNCEMENT or not packet.work:
                return False
            seen[0] += 1
            return seen[0] == like["cts"]
        if like.get("tail") and not packet.is_last:
            return False
        if left[0]:
            left[0] -= 1
            return True
        key = f"loss {packet.pair.name} {packet.op} {packet.rel}"
        passed[key] += 1
        if sim.dice(f"{key} {passed[key]}").random() < like["chance"]:
            left[0] = like.get("burst", 1) - 1
            return True
        return False
    return lose


class Truth:
    """|network|, |host|: least and most share of the job's time that each side
    cost, as the one or the other is taken away first."""

    def __init__(self, spec, real):
        self.spec, self.sim, self.total = spec, real.sim, real.run()
        # what has no problem of hosts is the same with and without them
        has_host = any(side_of(p) == "host" for p in spec["problems"])
        took = {(): World(spec, ()).run()}
        took["host",] = World(spec, ("host",)).run() if has_host else took[()]
        took["network",] = World(spec, ("network",)).run() if has_host else \
            self.total
        self.is_over = None not in (self.total, *took.values())
        if not self.is_over:
            return

        def share(with_it, without):
            return [max(0, a - b) / self.total
                    for a, b in ((self.total, without), (with_it, took[()]))]
        self.network = sorted(share(took["network",], took["host",]))
        self.host = sorted(share(took["host",], took["network",]))
        self.doubled = sum(tap.doubled for tap in real.taps)
        # packets that the loss rules count: not ACKs, not CNPs
        self.lost = sum(p.work is not None or p.payload > 0
                        for p in real.sim.drops)

    def text(self):
        sim = self.sim
        return json.dumps({
            "total_ns": self.total, "network": self.network,
            "host": self.host, "lost": self.lost, "naks": sim.naks,
            "rnr_naks": sim.rnr_naks, "pauses": sim.pauses,
            "ce_marks": sim.marks, "trimmed": len(sim.trims),
            "timeouts": sim.timeouts, "doubled": self.doubled,
            "retransmitted": sim.retransmitted,
            "spec": self.spec}, indent=1)


def topology(world):
    """As fabscope reads it (docs/topology.md)."""
    spec, frames = world.spec, wire.Wire(world.nic)
    parts = [f"[host {h.name}]\naddress = {frames.text(h.index)}\n"
             f"switch = leaf{h.index // spec['per_leaf']}\n"
             for h in world.hosts]
    for port in world.ports.values():
        a, b = port.name.split("->")
        if not b.startswith("h") and not a.startswith("spine"):
            parts.append(f"[link {a}--{b}]\nspeed = {port.speed:g}G\n")
    for like in spec["taps"]:
        if "link" in like:
            parts.append(f"[tap {like['name']}]\nlink = {like['link']}\n")
    return "\n".join(parts)


def write(spec, folder):
    """Captures and the truth; returns it and {tap: path}, or None if the job
    did not end."""
    real = World(spec, ("host", "network"))
    real.tap()
    truth = Truth(spec, real)
    if not truth.is_over:
        return None
    os.makedirs(folder, exist_ok=True)
    paths = {}
    for tap in real.taps:
        name = tap.like["name"]
        if tap.frames:
            paths[name] = os.path.join(folder, name + ".pcap")
            tap.write(paths[name])
    for name, text in (("topology.ini", topology(real)),
                       ("truth.json", truth.text())):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    return truth, paths


def make(seed, kind=None, layout=None, quality=None, transport="rc"):
    """The spec of a world, drawn from the seed and what is asked for; None if
    no try of some can have that."""
    for attempt in range(50):
        spec = draw.fabric(f"{seed} {attempt}", transport)
        if draw.choose(spec, kind, layout, quality):
            healthy = World(spec, ("network",)).run()
            if healthy and draw.problem(spec, healthy):
                draw.taps(spec)
                return spec
    return None
