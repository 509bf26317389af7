#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counters of the kernel against packets, and counters that lie.

The JSON beside each soft-RoCE capture has what the driver counted and what the
switch dropped; both are given to `fabscope analyze --evidence` in the forms in
which `rdma statistic` and SONiC print them.  True ones have to agree to the
packet where nothing was captured twice; stuck, swapped and late ones have to be
found out, and no finding of the packets may change by any of them.

    evidence.py FABSCOPE CAPTURES..."""
import gzip
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

FABSCOPE = sys.argv[1]
FOLDERS = [pathlib.Path(p) for p in sys.argv[2:]]
ADDRESS = {"rxe_a": "10.9.0.1", "rxe_b": "10.9.0.2", "rxe_c": "10.9.0.3"}
BEFORE = 7  # what the counters had before
# Always in what the driver prints; the JSON leaves out what stayed the same.
ALWAYS = ("sent_pkts", "rcvd_pkts", "out_of_seq_request", "rcvd_seq_err",
          "completer_retry_err", "rcvd_rnr_err", "send_rnr_err",
          "retry_exceeded_err")
# Nothing is reordered or doubled here, and no NAK is repeated.
EXACT = ("d04_write_lat", "d05_atomic", "d11_drop_every_400",
         "d12_drop_tail_timeout", "d13_read_resp_drop", "d22_psn_wrap")
TOPOLOGY = """
[host A]
address = 10.9.0.1
[host B]
address = 10.9.0.2
[host C]
address = 10.9.0.3
[link A--sw]
ports = rxe_a, Ethernet0
[link C--sw]
ports = rxe_c, Ethernet8
[link sw--B]
ports = Ethernet4, rxe_b
[tap pa]
link = A--sw
[tap pb]
link = sw--B
[tap pc]
link = C--sw
"""


def gid(address):
    a, b, c, d = (int(n) for n in address.split("."))
    return f"0000:0000:0000:0000:0000:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}"


def found(name):
    for folder in FOLDERS:
        if (folder / f"{name}.json").exists():
            return folder
    raise unittest.SkipTest(f"no {name}")


class Evidence(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def host_files(self, name, change=lambda device, moment, value: value,
                   head="", told=lambda device: device):
        """Before, after and GIDs of each host."""
        folder = found(name)
        truth = json.loads((folder / f"{name}.json").read_text())
        for device, delta in truth["hw_counters_delta"].items():
            for moment in ("before", "after"):
                row = {"ifname": told(device), "port": 1}
                for key in sorted({*ALWAYS, *delta}):
                    value = BEFORE + (moment == "after") * delta.get(key, 0)
                    row[key] = change(device, moment, value)
                self.write(f"e/{told(device)}.{moment}.json",
                           head.format(moment=moment) + json.dumps([row]))
            self.write(f"e/{device}.gids",
                       f"/sys/class/infiniband/{device}/ports/1/gids/1:"
                       f"{gid(ADDRESS[device])}\n")
        return self.folder / "e"

    def analyze(self, name, taps, *more):
        folder = found(name)
        words = [FABSCOPE, "analyze", "-o", str(self.folder / "x.db")]
        for tap in taps:
            path = next(p for p in (folder / f"{name}.{tap}.pcap",
                                    folder / f"{name}.{tap}.pcap.gz")
                        if p.exists())
            words += ["--tap", f"{tap}={path}"]
        done = subprocess.run([*words, *map(str, more)], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        db = sqlite3.connect(self.folder / "x.db")
        db.row_factory = sqlite3.Row
        self.addCleanup(db.close)
        return db

    def checks(self, db, verdict=None):
        return [dict(r) for r in db.execute("SELECT * FROM counter_check")
                if verdict in (None, r["verdict"])]

    def between(self, db):
        """Those of losses that both neighbors of the switch show."""
        rows = [dict(r) for r in db.execute(
            "SELECT k.* FROM counter_check k JOIN incident i"
            " ON i.id = k.incident_id WHERE i.kind = 'loss_between'")]
        self.assertTrue(rows)
        return rows

    def packets_say(self, db):
        return [tuple(r) for r in db.execute(
            "SELECT rule, severity, title FROM finding"
            " WHERE rule NOT LIKE 'counters-%'")]

    # ---- true counters ----

    def test_kernel_counters_agree_to_the_packet(self):
        ran = 0
        for name in EXACT:
            try:
                folder = found(name)
            except unittest.SkipTest:
                continue
            taps = [t for t in ("pa", "pb")
                    if list(folder.glob(f"{name}.{t}.pcap"))]
            with self.subTest(name):
                db = self.analyze(name, taps, "--evidence",
                                  self.host_files(name))
                ran += 1
                self.assertGreaterEqual(len(self.checks(db)), 11)
                exact = 0
                for row in self.checks(db):
                    self.assertIn(row["verdict"], ("agrees", "explains"),
                                  row["reason"])
                    exact += row["verdict"] == "agrees"
                self.assertGreaterEqual(exact, 10)
                self.assertIn("counters-agree", [
                    r["rule"] for r in db.execute("SELECT rule FROM finding")])
        self.assertGreater(ran, 3)

    def test_true_counters_never_contradict(self):
        ran = 0
        names = {str(p.relative_to(f).with_suffix(""))
                 for f in FOLDERS for p in f.rglob("d*.json")}
        for name in sorted(names):
            path = found(name) / f"{name}.json"
            truth = json.loads(path.read_text())
            taps = [t for t in ("pa", "pb", "pc")
                    if list(path.parent.glob(f"{path.stem}.{t}.pcap*"))]
            if not taps or not truth.get("hw_counters_delta"):
                continue
            with self.subTest(name):
                db = self.analyze(name, taps, "--evidence",
                                  self.host_files(name))
                ran += 1
                self.assertEqual([r["reason"] for r in
                                  self.checks(db, "contradicts")], [])
            shutil.rmtree(self.folder / "e")
        self.assertGreater(ran, 10)

    def test_they_say_how_many_were_lost_beyond_the_tap(self):
        name = "d11_drop_every_400"
        db = self.analyze(name, ["pa"], "--evidence", self.host_files(name))
        row = [r for r in self.checks(db, "explains")
               if r["what"] == "rdma_rx_packets"]
        self.assertEqual([r["counted"] for r in row], [3849])
        self.assertLess(row[0]["packets_min"], row[0]["packets_max"])
        truth = json.loads((found(name) / f"{name}.json").read_text())
        lost = truth["between_taps"][0]["lost"]
        self.assertIn(f"by its word {lost} packets got lost", row[0]["reason"])

    def test_the_port_that_dropped_gets_its_name(self):
        name = "hard/d29_incast_taildrop"
        drops = sum(b["lost"] for b in json.loads(
            (found(name) / f"{name}.json").read_text())["between_taps"])
        db = self.switch(name, {"Ethernet4": drops})
        rows = self.between(db)
        self.assertEqual({(r["counted"], r["verdict"]) for r in rows},
                         {(drops, "explains")})
        self.assertIn("sw Ethernet4", rows[0]["reason"])
        details = [r["detail"] for r in db.execute(
            "SELECT detail FROM finding WHERE rule = 'lost-between-taps'")]
        self.assertTrue(details)
        for detail in details:
            self.assertIn("According to counters: sw Ethernet4", detail)

    def switch(self, name, drops, *more):
        for moment in ("before", "after"):
            self.write(f"sw.{moment}.json", json.dumps({
                port: {"RX_OK": str(9 + 10**9 * (moment == "after")),
                       "RX_DRP": "0",
                       "TX_DRP": f"{5 + (moment == 'after') * n:,}"}
                for port, n in {"Ethernet0": 0, "Ethernet4": 0, "Ethernet8": 0,
                                **drops}.items()}))
        return self.analyze(
            name, ["pa", "pb", "pc"], "--topology",
            self.write("topology.ini", TOPOLOGY), "--evidence",
            self.folder / "sw.before.json", "--evidence",
            self.folder / "sw.after.json", *more)

    # ---- lies ----

    def test_a_stuck_switch_contradicts(self):
        name = "hard/d29_incast_taildrop"
        db = self.switch(name, {})
        self.assertEqual({r["verdict"] for r in self.between(db)},
                         {"contradicts"})
        titles = [r["title"] for r in db.execute(
            "SELECT title FROM finding WHERE rule = 'counters-contradict'")]
        self.assertEqual(len(titles), 1)
        self.assertIn("no drop or error counter of sw moved", titles[0])
        self.assertEqual(self.packets_say(db),
                         self.packets_say(self.analyze(
                             name, ["pa", "pb", "pc"], "--topology",
                             self.folder / "topology.ini")))

    def test_drops_of_another_port_contradict(self):
        db = self.switch("hard/d29_incast_taildrop", {"Ethernet8": 1965})
        rows = self.between(db)
        self.assertEqual({r["verdict"] for r in rows}, {"contradicts"})
        self.assertIn("sw Ethernet8 counted 1,965 drops", rows[0]["reason"])

    def test_a_stuck_nic_contradicts(self):
        name = "d11_drop_every_400"
        db = self.analyze(name, ["pa", "pb"], "--evidence", self.host_files(
            name, lambda device, moment, value:
            BEFORE if device == "rxe_b" else value))
        bad = self.checks(db, "contradicts")
        self.assertEqual({r["what"] for r in bad},
                         {"rdma_tx_packets", "rdma_rx_packets", "naks_sent"})
        for row in bad:
            self.assertIn("10.9.0.2", row["reason"])

    def test_swapped_hosts_are_named(self):
        name = "d11_drop_every_400"
        other = {"rxe_a": "rxe_b", "rxe_b": "rxe_a"}
        db = self.analyze(name, ["pa", "pb"], "--evidence", self.host_files(
            name, told=other.__getitem__))
        bad = {r["reason"].split()[0]: r for r in
               self.checks(db, "contradicts")
               if r["what"] == "rdma_tx_packets"}
        self.assertEqual(list(bad), ["10.9.0.1"])
        self.assertIn("what 10.9.0.2 should have counted",
                      bad["10.9.0.1"]["settle"])

    def test_another_time_is_no_evidence(self):
        name = "d11_drop_every_400"
        start = json.loads((found(name) / f"{name}.json").read_text())[
            "tap"]["pa"]["first_ts_ns"] // 10**9
        for hours, verdicts in ((1, {"unused"}), (0, {"agrees"})):
            with self.subTest(hours):
                files = self.host_files(name)
                for path in files.glob("*.json"):
                    at = start + 3600 * hours + (5 if "after" in path.name
                                                 else -5)
                    path.write_text(f"# time={at}\n" + path.read_text())
                    path.rename(path.with_name(
                        path.name.replace("before", "1").replace("after", "2")))
                for path in files.glob("rxe*.before.json"):
                    path.unlink()
                db = self.analyze(name, ["pa", "pb"], "--evidence", files)
                self.assertEqual({r["verdict"] for r in self.checks(db)},
                                 verdicts)
                shutil.rmtree(files)

    def test_whose_it_is_has_to_be_known(self):
        name = "d11_drop_every_400"
        files = self.host_files(name)
        for path in files.glob("*.gids"):
            path.unlink()
        db = self.analyze(name, ["pa"], "--evidence", files)
        self.assertEqual(self.checks(db), [])
        self.assertEqual({r["why_not"] is None for r in db.execute(
            "SELECT why_not FROM evidence_source")}, {False})
        db = self.analyze(
            name, ["pa"],
            "--evidence", f"10.9.0.1={files / 'rxe_a.before.json'}",
            "--evidence", f"10.9.0.1={files / 'rxe_a.after.json'}")
        self.assertEqual({r["verdict"] for r in self.checks(db)}, {"agrees"})

    def test_another_port_of_a_host_is_no_witness(self):
        name = "d11_drop_every_400"
        delta = json.loads((found(name) / f"{name}.json").read_text())[
            "hw_counters_delta"]["rxe_a"]
        for moment in (0, 1):
            self.write(f"e/A.{('before', 'after')[moment]}.json", json.dumps([
                {"ifname": "rxe_a", "port": 1, **{
                    k: BEFORE + moment * delta.get(k, 0)
                    for k in {*ALWAYS, *delta}}},
                {"ifname": "idle", "port": 1, **dict.fromkeys(ALWAYS, 3)}]))
        for by_gid in (True, False):
            for by_link in (True, False):
                with self.subTest(by_gid=by_gid, by_link=by_link):
                    gids = self.write("e/A.gids", "/sys/class/infiniband/rxe_a/"
                                      f"ports/1/gids/1:{gid(ADDRESS['rxe_a'])}"
                                      "\n")
                    if not by_gid:
                        gids.unlink()
                    text = TOPOLOGY if by_link else TOPOLOGY.replace(
                        "ports = rxe_a, Ethernet0\n", "")
                    db = self.analyze(name, ["pa"], "--topology", self.write(
                        "topology.ini", text), "--evidence", self.folder / "e")
                    self.assertEqual({r["verdict"] for r in self.checks(db)},
                                     {"agrees"} if by_gid or by_link else set())
                    why = dict(db.execute(
                        "SELECT port, why_not FROM evidence_source"
                        " WHERE kind = 'rdma-statistic'"))
                    self.assertEqual(why["rxe_a"] is None, by_gid or by_link)
                    self.assertIsNotNone(why["idle"])

    def test_compressed_files(self):
        name = "d11_drop_every_400"
        files = self.host_files(name)
        for path in list(files.iterdir()):
            path.with_name(path.name + ".gz").write_bytes(
                gzip.compress(path.read_bytes()))
            path.unlink()
        db = self.analyze(name, ["pa", "pb"], "--evidence", files)
        self.assertGreaterEqual(len(self.checks(db, "agrees")), 10)
        cut = self.folder / "cut.json.gz"
        cut.write_bytes(next(files.glob("*.json.gz")).read_bytes()[:-12])
        bomb = self.folder / "bomb.gz"
        bomb.write_bytes(gzip.compress(b"\n" * (40 << 20)))
        for path, why in ((cut, "the compressed data end early"),
                          (bomb, "is larger than 32 MiB when unpacked")):
            done = subprocess.run(
                [FABSCOPE, "analyze", "-o", self.folder / "x.db", "--evidence",
                 path, found(name) / f"{name}.pa.pcap"],
                capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr),
                             (1, f"fabscope: {path}: {why}\n"))

    def test_a_bad_file_of_a_folder_is_named_and_left_out(self):
        name = "d11_drop_every_400"
        files = self.host_files(name)
        db = self.analyze(name, ["pa", "pb"], "--evidence", files)
        good = self.checks(db)
        for bad in ("hello\n", "", "[1]", "\x1f\x8b\x08\0cut", "\0" * 10):
            with self.subTest(bad):
                path = self.write("e/notes", bad)
                path.write_bytes(bad.encode("latin-1"))
                db = self.analyze(name, ["pa", "pb"], "--evidence", files)
                self.assertEqual([r["verdict"] for r in self.checks(db)],
                                 [r["verdict"] for r in good])
                self.assertEqual([tuple(r) for r in db.execute(
                    "SELECT path, kind, why_not FROM evidence_source"
                    " WHERE why_not IS NOT NULL")], [
                        (str(path), "unknown",
                         "it has no evidence in a known format")])
                self.assertEqual([r["title"] for r in db.execute(
                    "SELECT title FROM finding"
                    " WHERE rule = 'counters-unused'")],
                    ["1 file of --evidence is of no known kind"])

    def test_files_of_something_else_get_one_sentence(self):
        for text, why in (("hello\n", "has no evidence in a known format"),
                          ("", "has no evidence in a known format"),
                          ("[" * 100000, "has no evidence in a known format"),
                          ("\0" * 10, "has no evidence in a known format")):
            path = self.write("bad.txt", text)
            done = subprocess.run(
                [FABSCOPE, "analyze", "-o", self.folder / "x.db", "--evidence",
                 path, found("d11_drop_every_400") /
                 "d11_drop_every_400.pa.pcap"],
                capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"fabscope: {path}: {why}\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
