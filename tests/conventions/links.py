#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Relative links of the documentation lead somewhere."""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")


def broken(root):
    for path in sorted(root.rglob("*.md")):
        if path.relative_to(root).parts[0].startswith(("build", ".")):
            continue
        for target in LINK.findall(path.read_text()):
            if re.match(r"[a-z]+:", target) or target.startswith("#"):
                continue
            if not (path.parent / target.split("#")[0]).exists():
                yield f"{path.relative_to(root)}: {target}"


def main():
    found = list(broken(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "every link leads somewhere")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
