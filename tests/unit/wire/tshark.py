#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Our opcode names against those of Wireshark's own dissector.

usage: tshark.py docs/wire/roce.md            (77: no tshark, skipped)"""
import re
import shutil
import subprocess
import sys

# Ours, newer than Wireshark 4.0 or than its source.
NEW = {0x1c: "RC FLUSH", 0x1d: "RC ATOMIC WRITE", 0x5c: "DC FLUSH",
       0xbc: "XRC FLUSH", 0xbd: "XRC ATOMIC WRITE", 0x81: "CNP",
       0x80: "CNP (InfiniBand)"}
# Wireshark's from 4.4 on: ours has ATOMIC WRITE for RC and XRC only.
NOT_OURS = {0x5d}
# RD, which nobody built, has opcodes that Mellanox' DC uses.
WORDS = [(r"^.*\((\w+)\) - ", r"\1 "), ("^RD ", "DC "), ("SEND only", "SEND Only"),
         ("RDMA ", ""), (" response ", " Response "),
         (" with Immediate", "+Imm"), (" with Invalidate", "+Inv"),
         ("CmpSwap", "Compare&Swap"), ("FetchAdd", "Fetch&Add")]


def theirs():
    values = subprocess.run(["tshark", "-G", "values"], check=True,
                            capture_output=True, text=True).stdout
    names = {}
    for value, name in re.findall(
            r"^V\tinfiniband\.bth\.opcode\t(\S+)\t(.*)$", values, re.M):
        if name.endswith("Reserved") or name.startswith("CNP"):
            continue
        for pattern, word in WORDS:
            name = re.sub(pattern, word, name)
        names[int(value, 0)] = name
    return names


def ours(page):
    with open(page, encoding="utf-8") as f:
        rows = re.findall(r"^\| (0x[0-9a-f]{2}) \| \w+ \| ([^|]+) \|",
                          f.read(), re.M)
    return {int(value, 0): name for value, name in rows}


def main():
    if not shutil.which("tshark"):
        return 77
    want = theirs()
    got = {v: n for v, n in ours(sys.argv[1]).items()
           if v in want or NEW.get(v) != n}
    for value in sorted((want.keys() | got.keys()) - NOT_OURS):
        if want.get(value) != got.get(value):
            print(f"0x{value:02x}: tshark says {want.get(value)}, "
                  f"we say {got.get(value)}")
    print(f"{len(want)} opcodes of tshark")
    return len(want) < 80 or want != got


if __name__ == "__main__":
    sys.exit(main())
