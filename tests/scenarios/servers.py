#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the NICs of a server one, in the matrix and in the answer?

NICs of a server follow each other: h1 to h4 are the first where a server has four.
What servers sent each other is what the simulator's record has of the messages of
their NICs.

The rails of a job are one job with one answer, however it is known which NICs are
of one server: by the topology file, by the system name in LLDP frames that the NICs
send, or by the host name in what the job logged.  A server that computes longer is late on
all rails and one root; a NIC that is, or an uplink of one rail that is full, is a
root by itself.

    servers.py --fabscope BUILD/fabscope SCENARIO=NICS...
"""
import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from cases import some  # noqa: E402

LARGE = 1000000
NICS, SERVERS = 2, 4
# The capture's answer: verdict, and what the root names and does not.
RAILS = {
    "clean": ("", "nothing-wrong", (), ()),
    "server late": ("late_rank=2 late_ranks=2 late=80us late_from=6", "host",
                    ("server2", "10.0.0.3", "10.0.0.4"), ()),
    "NIC late": ("late_rank=3 late=80us late_from=6", "host", ("10.0.0.4",),
                 ("server2", "10.0.0.3")),
    "rail full": ("", "network", ("10.0.0.3",), ("server2", "10.0.0.4")),
}
IN_THE_WAY = """host x1 x2
link x1 leaf1 speed=100G
link x2 leaf1 speed=100G
qp q1 x1 h3
qp q2 x2 h3
flow f1 qp=q1 size=1M count=0 depth=2 start=2ms
flow f2 qp=q2 size=1M count=0 depth=2 start=2ms
tap x1 x1->leaf1 both=yes pfc=yes snaplen=128
tap x2 x2->leaf1 both=yes pfc=yes snaplen=128
"""


def rails(case):
    n = NICS * SERVERS
    late = RAILS[case][0]
    out = ["run for=40ms done=yes",
           f"leafspine leaves={NICS} spines=1 hosts={SERVERS} rails=yes "
           "speed=100G",
           f"collective job pattern=rail server={NICS} ranks=h1..h{n} "
           f"size=512K iterations=24 compute=150us {late}"]
    out += [f"tap h{i + 1} h{i + 1}->leaf{i % NICS + 1} both=yes pfc=yes "
            "snaplen=128" for i in range(n)]
    return "\n".join(out) + "\n" + (IN_THE_WAY if case == "rail full" else "")


def server_of(nic):
    return f"server{(nic - 1) // NICS + 1}"


def tlv(kind, value):
    return struct.pack(">H", kind << 9 | len(value)) + value


def append_lldp(path, nic):
    """An LLDP frame of the NIC behind the last packet of its link."""
    data = path.read_bytes()
    at, last, mac = 0, None, None
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 6:  # an enhanced packet block
            last = struct.unpack_from("<III", data, at + 8)
            frame = data[at + 28:at + size - 4]
            if frame[12:14] == b"\x08\x00" and frame[29] == nic:
                mac = frame[6:12]
        at += size
    frame = (bytes.fromhex("0180c200000e") + mac + b"\x88\xcc"
             + tlv(1, b"\x04" + mac) + tlv(2, b"\x03" + mac)
             + tlv(3, struct.pack(">H", 120))
             + tlv(5, server_of(nic).encode()) + tlv(0, b""))
    padded = frame + bytes(-len(frame) % 4)
    size = 32 + len(padded)
    path.write_bytes(data + struct.pack("<IIIIIII", 6, size, *last, len(frame),
                                        len(frame)) + padded
                     + struct.pack("<I", size))


def by_topology(fabscope, folder, scenario):
    out = folder / "r.pcapng"
    subprocess.run([fabscope, "simulate", scenario, "-w", out, "--evidence",
                    folder / "r"], check=True, capture_output=True)
    return [out, "--topology", folder / "r" / "topology.ini"]


def by_lldp(fabscope, folder, scenario):
    subprocess.run([fabscope, "simulate", scenario, "-w",
                    folder / "r.pcapng", "--each-tap"], check=True,
                   capture_output=True)
    files = sorted(folder.glob("r.*.pcapng"))
    for f in files:
        name = f.name.split(".")[1]
        if name.startswith("h"):
            append_lldp(f, int(name[1:]))
    return [w for f in files for w in ("--tap", f"{f.name.split('.')[1]}={f}")]


def by_log(fabscope, folder, scenario):
    out = folder / "r.pcapng"
    subprocess.run([fabscope, "simulate", scenario, "-w", out, "--records"],
                   check=True, capture_output=True)
    said = [out]
    for f in sorted(folder.glob("r.job.rank*.inspector.jsonl")):
        nic = int(re.search(r"rank(\d+)", f.name)[1]) + 1
        f.write_text(re.sub(r'("hostname":)"[^"]*"',
                            rf'\1"{server_of(nic)}"', f.read_text()))
        said += ["--job-log", f"10.0.0.{nic}={f}"]
    return said


def check_rails(fabscope, folder, case, how):
    scenario, db = folder / "r.fab", folder / "r.db"
    scenario.write_text(rails(case))
    files = how(fabscope, folder, scenario)
    done = subprocess.run([fabscope, "analyze", "--json", "-o", db, *files],
                          check=True, capture_output=True, text=True)
    said, where = json.loads(done.stdout), f"{case}, {how.__name__}"
    answer, verdict = said["answer"][0], RAILS[case][1]
    root = answer["root"] or ""
    jobs = [j for j in said["jobs"] if j["iterations"]]
    wrong = []
    if [j["ranks"] for j in jobs] != [NICS * SERVERS]:
        wrong.append(f"{where}: jobs of {[j['ranks'] for j in jobs]} ranks")
    if answer["verdict"] != verdict:
        wrong.append(f"{where}: {answer['line']}")
    wrong += [f"{where}: root {root}, not {w}"
              for w in RAILS[case][2] if w not in root]
    wrong += [f"{where}: root {root}, with {w}"
              for w in RAILS[case][3] if w in root]
    late = [f["title"] for f in said["findings"] if f["rule"] == "straggler"]
    if len(late) != (verdict == "host") or any(
            ("server2 (2 NICs)" in t) != (case == "server late") for t in late):
        wrong.append(f"{where}: {late}")
    jct = subprocess.run([fabscope, "jct", db], check=True, text=True,
                         capture_output=True, env={"COLUMNS": "300"}).stdout
    if f"{NICS * SERVERS} ranks, NICs of {SERVERS} servers" not in jct:
        wrong.append(f"{where}: {jct}")
    named = re.findall(r"Straggler +([^:\n]*)", jct)
    if len(named) != 1 or {"server late": "server2 (10.0.0.",
                           "NIC late": "10.0.0.4 (rank 3)"}.get(
                               case, "none") not in named[0]:
        wrong.append(f"{where}: jct has {named}")
    return wrong


def check(fabscope, folder, scenario, nics):
    out, db = folder / "s.pcapng", folder / "s.db"
    devices = folder / "devices"
    subprocess.run([fabscope, "simulate", scenario, "-w", out,
                    "--evidence", devices], check=True, capture_output=True)
    subprocess.run([fabscope, "analyze", out, "-o", db, "--topology",
                    devices / "topology.ini"], check=True,
                   capture_output=True)
    truth = json.loads((folder / "s.truth.json").read_text())
    ends = [tuple((int(f[k][1:]) - 1) // nics + 1
                  for k in ("src_host", "dst_host")) for f in truth["flows"]]
    sent = {}
    for m in truth["messages"]:
        a, b = ends[m["flow"] - 1]
        sent[a, b] = sent.get((a, b), 0) + m["bytes"]
    done = subprocess.run([fabscope, "query", db, "traffic-matrix", "--format",
                           "json"], check=True, capture_output=True, text=True)
    got = {tuple(int(r[k].removeprefix("server")) for k in ("src", "dst")):
           r["bytes"] for r in json.loads(done.stdout)}
    # the matrix counts frames: with headers, ACKs, and descriptors of 64 bytes
    near = got.keys() == sent.keys() and all(
        1 < got[k] / sent[k] < (1.03 if sent[k] > LARGE else 4) for k in sent)
    return [] if near else [f"{scenario}: {got}, it was {sent}"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    arguments.add_argument("scenarios", nargs="+")
    given = arguments.parse_args()
    wrong = []
    for case, how in some([(case, how) for case in RAILS
                           for how in (by_topology, by_lldp, by_log)]):
        with tempfile.TemporaryDirectory() as folder:
            wrong += check_rails(given.fabscope, pathlib.Path(folder), case,
                                 how)
    for word in given.scenarios:
        scenario, nics = word.split("=")
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(given.fabscope, pathlib.Path(folder), scenario,
                           int(nics))
    for w in wrong:
        print(w)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
