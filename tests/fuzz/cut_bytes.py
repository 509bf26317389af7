#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Six kinds of captures, cut at every byte, through the whole of analyze:

    cut_bytes.py ANALYZE_CUT FABSCOPE STATE [--step N] [--seconds N] [KIND...]

ANALYZE_CUT is tests/unit/cli/analyze-cut of a build with the sanitizers; one
process tries many places.  FABSCOPE simulates the captures that are none of
captures/.  Each is a piece of a few KiB, so that all of its bytes can be
tried.  STATE remembers how far each is, as with cut.py; "-": nothing is."""
import argparse
import gzip
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

import cut

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "captures"
SNAPLEN = 112
EPB = 6


def pcap_piece(data, first, n):
    """|n| packets of it, the first SNAPLEN bytes of each."""
    out, at, k = [data[:24]], 24, 0
    while at < len(data) and k < first + n:
        s, ns, kept, length = struct.unpack_from("<IIII", data, at)
        if k >= first:
            part = min(kept, SNAPLEN)
            out.append(struct.pack("<IIII", s, ns, part, length) +
                       data[at + 16:at + 16 + part])
        at += 16 + kept
        k += 1
    return b"".join(out)


def pcapng_piece(data, n):
    """Its first |n| packets, shortened as above and without options, and all
    blocks between them as they are."""
    out, at = [], 0
    while at < len(data) and n:
        kind, length = struct.unpack_from("<II", data, at)
        block = data[at:at + length]
        if kind == EPB:
            n -= 1
            kept, = struct.unpack_from("<I", block, 20)
            part = min(kept, SNAPLEN)
            rest = block[8:20] + struct.pack("<I", part) + block[24:28] + \
                block[28:28 + part] + bytes(-part % 4)
            block = struct.pack("<II", kind, len(rest) + 12) + rest + \
                struct.pack("<I", len(rest) + 12)
        out.append(block)
        at += length
    return b"".join(out)


def shipped(name, first, n):
    data = (CAPTURES / name).read_bytes()
    if name.endswith(".gz"):
        data = gzip.decompress(data)
    return lambda o, folder: pcap_piece(data, first, n)


def simulated(scenario, n):
    def make(o, folder):
        out = folder / f"{scenario}.pcapng"
        subprocess.run([o.fabscope, "simulate",
                        CAPTURES / f"scenarios/{scenario}.fab", "-w", out],
                       check=True, stdout=subprocess.DEVNULL)
        return pcapng_piece(out.read_bytes(), n)
    return make


def packed(make):
    return lambda o, folder: gzip.compress(make(o, folder), mtime=0)


KINDS = {
    "roce-timeout": shipped("d12_drop_tail_timeout.pa.pcap", 60, 24),
    "roce-atomic": shipped("d05_atomic.pa.pcap", 0, 24),
    "uet": shipped("uet/rud_loss_ack.A.pcap.gz", 0, 24),
    "interfaces": simulated("incast_pfc", 12),
    "compressed": packed(shipped("d11_drop_every_400.pa.pcap", 380, 60)),
    "erspan": simulated("erspan3_mirror_loss", 12),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("fabscope", type=pathlib.Path)
    parser.add_argument("state", type=pathlib.Path)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    o = parser.parse_args()
    cut.recall(o)
    until, bad = time.monotonic() + o.seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for kind in o.kinds:
            path = folder / kind
            path.write_bytes(KINDS[kind](o, folder))
            row = o.rows.setdefault(kind, {"next": 0, "tried": 0})
            bad += cut.cut_by_program(o, path, row, path.stat().st_size + 1,
                                      until, "bytes")
            print(f"{kind}: {row['tried']} places of a capture of "
                  f"{path.stat().st_size} bytes", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
