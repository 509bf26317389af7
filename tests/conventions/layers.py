#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A folder includes only what is left of it (docs/architecture.md)."""
import pathlib
import re
import sys

ORDER = "base wire capture joblog decode evidence flow phase store run views campaign whatif tui cli".split()
# What an include may name, where it is not simply everything to the left.
NARROWER = {
    "capture": {"base"},
    "joblog": {"base"},
    "evidence": {"base", "capture", "decode"},
    "decode": {"base", "wire"},
    "flow": {"base", "wire", "decode"},
    "phase": {"base"},
    # The simulator is the other witness: it shares nothing with the engine.
    "simulate": {"base", "wire", "capture"},
}
WIDER = {"cli": {"simulate"}, "whatif": {"simulate"}}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([a-z_]+)/')


def allowed(layer):
    left = set(ORDER[:ORDER.index(layer)]) if layer in ORDER else set()
    return NARROWER.get(layer, left) | WIDER.get(layer, set()) | {layer}


def offences(root):
    layers = set(ORDER) | set(NARROWER)
    for path in sorted((root / "src").rglob("*.[chd]*")):
        layer = path.relative_to(root / "src").parts[0]
        if layer not in layers:
            yield f"{path}: no layer is called {layer}"
            continue
        for number, line in enumerate(path.read_text().split("\n"), 1):
            found = INCLUDE.match(line)
            if not found or found[1] not in layers:
                continue
            if found[1] not in allowed(layer):
                yield f"{path}:{number}: {layer} includes {found[1]}"


def untold(root):
    """What docs/architecture.md says of another order or another folder."""
    tour = (root / "docs/architecture.md").read_text()
    if " < ".join(ORDER) not in tour:
        yield f"docs/architecture.md: does not say {' < '.join(ORDER)}"
    told = set(re.findall(r"^\| `src/(\w+)` \|", tour, re.M))
    there = {p.name for p in (root / "src").iterdir() if p.is_dir()}
    for name in sorted(told ^ there):
        yield f"docs/architecture.md: folder {name} is told or there, not both"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*offences(root), *untold(root)]
    print("\n".join(found) or "every folder includes only what is left of it")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
