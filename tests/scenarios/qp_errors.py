#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue pairs that die, for reasons that the simulator knows.

Each world says which queue pair stops, with which completion error, and what
kind of cause is left to who has only the packets.  The simulator's record says
which queue pairs went into the error state: no others may be told of, and all
of them must.  Then, for one world with each error, log lines in the forms in
which NCCL, UCX, perftest and the kernel print them are given with the capture:
true ones have to be joined with the queue pair, and lies (another host, another
clock, an error that was not) have to be found out.

    qp_errors.py FABSCOPE [--seeds N]"""
import argparse
import collections
import datetime
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

HOSTS = """run for=60ms
host h1 h2 h3 h4
switch leaf1
link h1 leaf1 speed=100G delay=500ns
link h2 leaf1 speed=100G delay=500ns
link h3 leaf1 speed=100G delay=500ns
link h4 leaf1 speed=100G delay=500ns
tap t1 h1->leaf1 both=yes
tap t3 h3->leaf1 both=yes with=t1
qp other h3 h4
flow fo qp=other op=write size=64K count={background} every=400us
"""
NEAR_H2 = "tap t2 leaf1->h2 both=yes\n"

# name: lines, error, causes that may be left, is it dead for certain
WORLDS = {
    "link to the receiver dies": (
        "qp q1 h1 h2 timeout={to} retries={n} mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "fault leaf1->h2 drop of=all chance=1 from=4ms\n",
        "retry", {"silent_peer"}),
    "one queue pair of two dies": (
        "qp q1 h1 h2 timeout={to} retries={n} mtu={mtu}\n"
        "qp q2 h1 h2 timeout={to} mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "flow f2 qp=q2 op=write size=64K depth=2\n"
        "fault leaf1->h2 drop of=all qp=q1 chance=1 from=4ms\n",
        "retry", {"this_qp"}),
    "one direction dies": (
        "qp q1 h1 h2 timeout={to} retries={n} mtu={mtu}\n"
        "qp q2 h2 h1 timeout={to} mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "flow f2 qp=q2 op=write size=64K depth=2\n"
        "fault leaf1->h2 drop of=requests chance=1 from=4ms\n",
        "retry", {"path_died"}),
    "never reached": (
        "qp q1 h1 h2 timeout={to} retries={n} mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "fault leaf1->h2 drop of=all chance=1\n",
        "retry", {"never_reached", "one_way_capture"}),
    "an ACL in one direction": (
        "qp q1 h1 h2 timeout={to} retries={n} mtu={mtu}\n"
        "qp q2 h2 h1 timeout={to} mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "flow f2 qp=q2 op=write size=64K depth=2\n"
        "fault leaf1->h2 drop of=requests chance=1\n",
        "retry", {"never_reached"}),
    "one of two never answered": (
        "qp q1 h1 h2 timeout={to} retries={n} mtu={mtu}\n"
        "qp q2 h1 h2 timeout={to} mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "flow f2 qp=q2 op=write size=64K depth=2\n"
        "fault leaf1->h2 drop of=all qp=q1 chance=1\n",
        "retry", {"never_this_qp"}),
    "only large packets die": (
        "qp q1 h1 h2 timeout={to} retries={n} mtu=4096\n"
        "qp q2 h1 h2 timeout={to} mtu=4096\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "flow f2 qp=q2 op=write size=512 depth=2\n"
        "fault leaf1->h2 drop of=all qp=q1 chance=1\n",
        "retry", {"size"}),
    "ACKs lost behind the capture point": (
        NEAR_H2 +
        "qp q1 h1 h2 timeout={to} retries=7 mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "fault leaf1->h1 drop of=acks chance=1 from=4ms\n",
        "retry", {"return_path", "path_died"}),
    "receiver never ready": (
        "qp q1 h1 h2 rnr_every=60 rnr_for=500ms rnr_code=10 rnr_retries=3\n"
        "flow f1 qp=q1 op=send size=16K depth=1\n",
        "rnr_retry", {"not_ready"}),
    "refused": (
        "qp q1 h1 h2 fatal_at=40 mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n",
        "remote_access", {"refused"}),
    "refused as invalid": (
        "qp q1 h1 h2 fatal_at=30 fatal_with=invalid mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n",
        "remote_invalid_request", {"refused"}),
    "the receiver fails": (
        "qp q1 h1 h2 fatal_at=20 fatal_with=operation mtu={mtu}\n"
        "flow f1 qp=q1 op=send size=64K depth=2\n",
        "remote_operation", {"refused"}),
    "a long outage that ends": (
        "qp q1 h1 h2 timeout={to} retries=7 mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n"
        "fault leaf1->h2 drop of=all chance=1 from=4ms to={end}\n",
        None, set()),
    "an outage, and ACKs that take another way from then on": (
        "qp q1 h1 h2 timeout={to} retries=7 mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2 every=100us\n"
        "fault leaf1->h2 drop of=all chance=1 from=4ms to={end}\n",
        None, set()),
    "nothing wrong": (
        "qp q1 h1 h2 timeout={to} mtu={mtu}\n"
        "flow f1 qp=q1 op=write size=64K depth=2\n",
        None, set()),
}
STATUS = {"retry": 12, "rnr_retry": 13, "remote_access": 10,
          "remote_invalid_request": 9, "remote_operation": 11}
SYNDROME = {"retry": 0x15, "rnr_retry": 0x16, "remote_access": 0x13,
            "remote_invalid_request": 0x12, "remote_operation": 0x14}
TEXT = {"retry": "transport retry counter exceeded",
        "rnr_retry": "RNR retry counter exceeded",
        "remote_access": "remote access error",
        "remote_invalid_request": "remote invalid request error",
        "remote_operation": "remote operation error"}


def stamp(ns):
    return datetime.datetime.fromtimestamp(
        ns / 1e9, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def nccl(e, ns):
    return (f"[{stamp(ns)}] h1:983:1261 [3] net_ib.cc:1297 NCCL WARN NET/IB :"
            f" Got completion from peer 192.168.0.9<55921> with status="
            f"{STATUS[e.error]} opcode=1 len=0 vendor err 129 (Send) localGid"
            f" ::ffff:{e.src} remoteGids::ffff:{e.dst} hca mlx5_0\n"
            "h1:983:1261 [3] NCCL INFO transport/net.cc:1302 -> 6\n")


def ucx(e, ns):
    at = f"[{ns / 1e9:.6f}] [h1:27251:0:27251]"
    return (f"{at} ib_mlx5_log.c:177  UCX ERROR Transport retry count exceeded"
            f" on mlx5_0:1/RoCE (synd 0x{SYNDROME[e.error]:x} vend 0x81"
            " hw_synd 0/0)\n"
            f"{at} ib_mlx5_log.c:177  UCX ERROR RC QP 0x{e.src_qp:x} wqe[446]:"
            " SEND s-e [inl len 20]\n")


def kernel(e, ns):
    at = stamp(ns).replace(" ", "T") + ".123456+00:00 h1 kernel: "
    raw = bytes([0] * 6 + [0x88, SYNDROME[e.error], 8]) + \
        e.src_qp.to_bytes(3, "big") + bytes([0x1e, 0xa1, 0x42, 0xd3])
    zero = " ".join(["00"] * 16)
    return (f"{at}infiniband mlx5_0: mlx5_handle_error_cqe:333:(pid 0): WC "
            f"error: {STATUS[e.error]}, Message: {TEXT[e.error]}\n"
            f"{at}infiniband mlx5_0: dump_cqe:272:(pid 0): dump error cqe\n"
            + "".join(f"{at}{i:08x}: {zero}\n" for i in (0, 16, 32))
            + f"{at}00000030: {raw.hex(' ')}\n")


def perftest(e, ns):
    return (f"# host=h1 address={e.src} time={ns / 1e9:.3f}\n"
            " Completion with error at client\n"
            f" Failed status {STATUS[e.error]}: wr_id 0 syndrom 0x81\n"
            "scnt=128, ccnt=0\n")


EVENT = {"remote_access": "local access violation work queue error",
         "remote_invalid_request": "invalid request local work queue error",
         "remote_operation": "local work queue catastrophic error"}


def receiver(e, ns):
    """At the other end it is an asynchronous event, as NCCL prints it."""
    return (f"# host=h2 address={e.dst} time={ns / 1e9:.3f}\n"
            "h2:983:1261 [3] ibvwrap.cc:54 NCCL WARN NET/IB : mlx5_0:1 async"
            f" fatal event on QP: {EVENT[e.error]}\n")


FORMS = (nccl, ucx, kernel, perftest)


class World:
    def __init__(self, program, folder, name, seed):
        self.program, self.folder = program, folder
        lines, self.error, self.causes = WORLDS[name]
        random.seed(f"{name} {seed}")
        hosts = HOSTS
        if "another way" in name:
            hosts = hosts.replace("tap t1 h1->leaf1 both=yes",
                                  "tap t1 h1->leaf1\ntap r1 leaf1->h1 with=t1"
                                  " to=4ms")
        text = hosts.format(background=140) + lines.format(
            to=random.choice(["500us", "800us", "1100us"]),
            n=random.choice([3, 5, 7]), mtu=random.choice([1024, 2048, 4096]),
            end=random.choice(["6ms", "7ms"]))
        (folder / "w.fab").write_text(f"title {name}\n" + text)
        self.run("simulate", folder / "w.fab", "-w", folder / "w.pcapng",
                 "--seed", seed)
        self.truth = json.loads((folder / "w.truth.json").read_text())

    def ask(self, name):
        done = subprocess.run(
            [self.program, "query", self.folder / "w.db", name, "--format",
             "json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)],
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            sys.exit(f"{words}: {done.stderr}")

    def dead(self):
        """By the record: flows whose queue pair went into the error state."""
        flows = {f["id"]: f for f in self.truth["flows"]}
        for e in self.truth["events"]:
            if e["kind"] in ("qp_error", "nak_fatal"):
                f = flows[e["flow"]]
                yield f["src"], f["dst"], f["dst_qp"]

    def analyze(self, *more):
        self.run("analyze", "-o", self.folder / "w.db", *more,
                 self.folder / "w.pcapng")
        db = sqlite3.connect(self.folder / "w.db")
        db.row_factory = sqlite3.Row
        return db

    def errors(self, db):
        Row = collections.namedtuple(
            "Row", "src dst dst_qp src_qp error cause ns dead_ns log confidence")
        return [Row(*r) for r in db.execute(
            "SELECT q.src, q.dst, f.dst_qp, f.src_qp, q.error, q.cause, q.ns,"
            " q.dead_ns, q.error_log_id, q.confidence FROM qp_error q"
            " JOIN flow f ON f.id = q.flow_id")]


def check(name, w, total, logged):
    db = w.analyze()
    rows = w.errors(db)
    dead = set(w.dead())
    total["dead"] += len(dead)
    if {(r.src, r.dst, r.dst_qp) for r in rows} != dead:
        yield f"{name}: {dead} died, and {rows} is said"
    if bool(dead) != bool(w.error):
        yield f"{name}: the world is not what it says: {dead}"
    for r in rows:
        total[r.cause] += 1
        if r.error != w.error or r.cause not in w.causes:
            yield f"{name}: {r.error} {r.cause}"
        if r.confidence < 0.7:
            yield f"{name}: not sure, {r.confidence}"
    if not rows:
        return
    asked = w.ask("qp-errors")
    if [(q["dst_qp"], q["cause"]) for q in asked] != \
            [(r.dst_qp, r.cause) for r in rows]:
        yield f"{name}: the query says {asked}"
    titles = [r[0] for r in db.execute(
        "SELECT title FROM finding WHERE rule IN ('qp-error', 'fatal-nak')")]
    if not any(rows[0].src in t and rows[0].dst in t for t in titles):
        yield f"{name}: no finding names both ends: {titles}"
    if name == "link to the receiver dies":
        inside = db.execute(
            "SELECT c.rule FROM finding f LEFT JOIN finding c"
            " ON c.id = f.caused_by WHERE f.rule = 'unanswered'").fetchall()
        if [tuple(r) for r in inside] != [("qp-error",)]:
            yield f"{name}: its timeouts are told apart from it: {inside}"
    if w.error not in logged:
        logged.add(w.error)
        yield from logs(name, w, rows[0], total)


def another(form, e):
    """An error that was not, of those that the form has."""
    return next(k for k in (EVENT if form == receiver else
                            ("rnr_retry", "retry")) if k != e.error)


def logs(name, w, e, total):
    log = w.folder / "job.log"
    for form in (*random.sample(FORMS, 2), receiver):
        if form == receiver and e.error not in EVENT:
            continue
        if e.src_qp is None and form in (ucx, kernel):
            continue
        for shift, host, says in ((0, e, "agrees"), (86400, e, "agrees"),
                                  (0, e._replace(src="10.0.0.3",
                                                 dst="10.0.0.4", src_qp=7),
                                   "contradicts"),
                                  (0, e._replace(error=another(form, e)),
                                   "contradicts")):
            at = e.dead_ns + shift * 10**9
            log.write_text("something else\n" + form(host, at))
            given = f"{host.src}={log}" if form in (ucx, kernel) else log
            db = w.analyze("--evidence", given)
            rows = [dict(r) for r in db.execute("SELECT * FROM error_log")]
            asked = [r["verdict"] for r in w.ask("error-logs")]
            if asked != [r["verdict"] for r in rows]:
                yield f"{name}: the query says {asked}"
            total[f"{form.__name__} {says}"] += 1
            if len(rows) != 1 or rows[0]["verdict"] != says:
                yield f"{name}: {form.__name__} {shift} {host}: {rows}"
                continue
            joined = [r.log for r in w.errors(db)]
            if (says == "agrees") != (joined == [rows[0]["id"]]):
                yield f"{name}: {form.__name__}: joined {joined}"
            if shift and abs(rows[0]["shift_ns"] - shift * 10**9) > 2 * 10**9:
                yield f"{name}: {form.__name__}: shift {rows[0]['shift_ns']}"


def main():
    words = argparse.ArgumentParser()
    words.add_argument("fabscope")
    words.add_argument("--seeds", type=int, default=2)
    words.add_argument("--first", type=int, default=1)
    words.add_argument("--only", default="")
    o = words.parse_args()
    wrong, total = [], collections.Counter()
    for seed in range(o.first, o.first + o.seeds):
        logged = set()
        # another world with each error is first
        for name in random.Random(seed).sample([*WORLDS], len(WORLDS)):
            if o.only not in name:
                continue
            with tempfile.TemporaryDirectory() as folder:
                w = World(o.fabscope, pathlib.Path(folder), name, seed)
                wrong += check(name, w, total, logged)
    print(dict(total))
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
