#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rooms of src/flow know only those before them (docs/architecture.md), by what
their objects call, not by what they include.

    rooms.py ROOT OBJECTS    OBJECTS: folder of the objects of src/flow"""
import collections
import pathlib
import subprocess
import sys

ORDER = ("core telemetry link recovery congestion balance roce uet multitap "
         "engine").split()


def symbols(objects, files):
    """Who defines what, and who wants what."""
    home, wanted = {}, collections.defaultdict(set)
    for name in files:
        out = subprocess.run(["nm", "-P", str(objects / f"{name}.o")],
                             stdout=subprocess.PIPE, text=True, check=True)
        for line in out.stdout.splitlines():
            symbol, kind = line.split()[:2]
            if kind == "U":
                wanted[name].add(symbol)
            elif kind in "TDBRVC":
                home[symbol] = name
    return home, wanted


def offences(root, objects):
    flow = root / "src" / "flow"
    files = sorted(str(p.relative_to(flow)) for p in flow.rglob("*.c"))
    home, wanted = symbols(objects, files)
    seen = 0
    for name in files:
        room = name.split("/")[0]
        if room not in ORDER:
            yield f"src/flow/{name}: no room is called {room}"
            continue
        for symbol in sorted(wanted[name] & set(home)):
            other = home[symbol].split("/")[0]
            seen += other != room
            if ORDER.index(other) > ORDER.index(room):
                yield f"src/flow/{name}: {symbol}() is in {home[symbol]}"
    if not seen:
        yield f"{objects}: no calls between rooms"
    tour = (root / "docs/architecture.md").read_text()
    if " < ".join(ORDER) not in tour:
        yield f"docs/architecture.md: does not say {' < '.join(ORDER)}"


def main():
    found = list(offences(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
    print("\n".join(found) or "every room knows only those before it")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
