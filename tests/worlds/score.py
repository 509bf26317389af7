#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `fabscope analyze` says of worlds it has never seen.

    score.py --fabscope PROGRAM [--worlds 40] [--first SEED] [--verbose]
             [--suite roce|uet] [--only WORDS]

Worlds are queue pairs (world.py) or contexts of Ultra Ethernet (uet_world.py).
The least precision and recall of each kind of world stand in KINDS of
score_roce.py and score_uet.py."""
import argparse
import sys

sys.dont_write_bytecode = True
import score_roce  # noqa: E402
import score_uet  # noqa: E402
import scoring  # noqa: E402

SUITES = {"roce": score_roce, "uet": score_uet}


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--fabscope", required=True)
    p.add_argument("--worlds", type=int, default=40)
    p.add_argument("--first", type=int, default=0, help="seed")
    p.add_argument("--verbose", action="store_true")
    p.add_argument("--suite", choices=SUITES)
    p.add_argument("--only", default="", help="kinds with this in their name")
    args = p.parse_args()
    bad = sum(scoring.score(suite, args) for name, suite in SUITES.items()
              if args.suite in (None, name))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
