#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What ports advertise, against Wireshark: real LLDP captures, and a frame of
pre-standard DCBX (CEE) made here.

usage: lldp_tshark.py FABSCOPE SOURCE       (77: no tshark or no captures)"""
import json
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

PRIORITIES = range(8)
FIELDS = (["frame.number", "eth.src", "lldp.time_to_live",
           "lldp.tlv.system.name", "lldp.port.id", "lldp.port.id.mac",
           "lldp.dcbx.ieee.pfc.numtcs", "lldp.dcbx.feature.pfc.numtcs",
           "lldp.dcbx.ieee.ets.maxtcs", "lldp.dcbx.ieee.app.prio"] +
          [f"lldp.dcbx.feature.pfc.prio{i}" for i in PRIORITIES] +
          [f"lldp.dcbx.feature.pg.pgid_prio{i}" for i in PRIORITIES] +
          [f"lldp.dcbx.ieee.ets.tsa{i}" for i in PRIORITIES])


def number(text):
    if text in ("True", "False"):
        return int(text == "True")
    return int(text, 0) if text else None


def theirs(path):
    """Of each LLDP frame what we would have in a row."""
    words = ["tshark", "-n", "-r", str(path), "-Y", "lldp", "-T", "fields",
             "-E", "occurrence=f"]
    for f in FIELDS:
        words += ["-e", f]
    out = subprocess.run(words, check=True, capture_output=True,
                         text=True).stdout
    for line in out.splitlines():
        v = dict(zip(FIELDS, line.split("\t")))
        pfc = [number(v[f"lldp.dcbx.feature.pfc.prio{i}"]) for i in PRIORITIES]
        tc = [number(v[f"lldp.dcbx.feature.pg.pgid_prio{i}"])
              for i in PRIORITIES]
        tsa = [number(v[f"lldp.dcbx.ieee.ets.tsa{i}"]) for i in PRIORITIES]
        classes = number(v["lldp.dcbx.ieee.ets.maxtcs"])
        cap = number(v["lldp.dcbx.ieee.pfc.numtcs"] or
                     v["lldp.dcbx.feature.pfc.numtcs"])
        yield int(v["frame.number"]), {
            "mac": None if set(v["eth.src"]) <= set("0:") else v["eth.src"],
            "ttl": number(v["lldp.time_to_live"]),
            "system": v["lldp.tlv.system.name"] or None,
            "port": v["lldp.port.id"] or v["lldp.port.id.mac"] or None,
            "pfc": None if None in pfc else
                   sum(b << i for i, b in enumerate(pfc)),
            "cap": cap,
            "tc": None if None in tc else tc,
            "tsa": None if None in tsa else tsa,
            "classes": 8 if classes == 0 else classes,
            "app": number(v["lldp.dcbx.ieee.app.prio"]),
        }


def ours(fabscope, path, folder):
    """Rows, and after how many frames each port changed."""
    db = str(pathlib.Path(folder) / "lldp.db")
    subprocess.run([fabscope, "analyze", str(path), "-o", db], check=True,
                   capture_output=True)
    con = sqlite3.connect(db)
    con.row_factory = sqlite3.Row
    rows = list(con.execute("SELECT * FROM lldp ORDER BY frame"))
    con.close()
    for r in rows:
        apps = json.loads(r["applications"] or "[]")
        yield r, {
            "mac": r["source_mac"], "ttl": r["ttl_s"], "system": r["system"],
            "port": r["port"], "pfc": r["pfc_enabled"], "cap": r["pfc_cap"],
            "tc": json.loads(r["ets_tc"] or "null"),
            "tsa": json.loads(r["ets_selection"] or "null"),
            "classes": r["ets_classes"] if r["dcbx"] != "cee" else None,
            "app": apps[0]["prio"] if apps and r["dcbx"] != "cee" else None,
        }


def compare(fabscope, path):
    want = dict(theirs(path))
    bad, told = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for row, have in ours(fabscope, path, folder):
            told += row["frames"]
            if want.get(row["frame"]) != have:
                print(f"{path.name} frame {row['frame']}:\n"
                      f"  tshark {want.get(row['frame'])}\n  we     {have}")
                bad += 1
    if told != len(want):
        print(f"{path.name}: {len(want)} frames, {told} told")
        bad += 1
    # a new row exactly where something changes
    last, changes = {}, 0
    for _, w in sorted(want.items()):
        changes += last.get(w["mac"]) != w
        last[w["mac"]] = w
    print(f"{path.name}: {len(want)} frames, {changes} configurations")
    return bad


def cee(path):
    """A capture of one frame: chassis, port, TTL, CEE with control, priority
    groups, PFC and applications."""
    def tlv(kind, body):
        return struct.pack(">H", kind << 9 | len(body)) + body

    def feature(kind, flags, body):
        return tlv(kind, bytes([0, 0, flags, 0]) + body)

    mac = bytes.fromhex("020000000001")
    dcbx = (tlv(1, bytes([0, 0]) + struct.pack(">II", 1, 1)) +
            feature(2, 0x80, bytes.fromhex("0123ffff") +
                    bytes([50, 50, 0, 0, 0, 0, 0, 0]) + bytes([8])) +
            feature(3, 0xc0, bytes([0x18, 8])) +
            feature(4, 0x80, struct.pack(">HBHB", 0x8915, 0, 0x1b21, 8)))
    frame = (bytes.fromhex("0180c200000e") + mac + bytes.fromhex("88cc") +
             tlv(1, b"\x04" + mac) + tlv(2, b"\x05eth0") +
             tlv(3, struct.pack(">H", 120)) + tlv(5, b"leaf1") +
             tlv(127, bytes.fromhex("001b2102") + dcbx) + tlv(0, b""))
    path.write_bytes(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) +
                     struct.pack("<IIII", 1, 0, len(frame), len(frame)) +
                     frame)


def main():
    if not shutil.which("tshark"):
        return 77
    source = pathlib.Path(sys.argv[2]).resolve()
    public = source.parent / "shared/captures/public/lldp-erspan"
    files = sorted(public.glob("dcb_*.pcap")) + sorted(
        public.glob("lldp*.pcap"))
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "cee.pcap"
        cee(made)
        for path in files + [made]:
            bad += compare(sys.argv[1], path)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
