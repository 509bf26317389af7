#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reloads and redissections: what the plugin says stays the same, and nothing
of it stays in memory."""
import os
import subprocess
import sys
import unittest

import plugin
import settings

AGAIN = os.environ.get("AGAIN")
RELOADS = 25
# Wireshark itself keeps 8 or 16 MB of each session; one such step more or less.
STEP = 9 << 20


class Reload(plugin.Case):
    def again(self, path, *words, plugins=plugin.PLUGINS):
        """(name, frames, digest, octets in use) of each time."""
        done = subprocess.run([AGAIN, path, *map(str, words)],
                              capture_output=True, check=True, timeout=600,
                              **plugin.ordinary(plugins))
        rows = [line.split() for line in done.stdout.decode().splitlines()]
        return [(name, int(frames), digest, int(octets))
                for name, frames, digest, octets in rows]

    def test_reload(self):
        path = self.capture(plugin.CAPTURES / "d24_capture_loss_2pct.pa.pcap")
        rows = self.again(path, RELOADS)
        bare = self.again(path, RELOADS, plugins="")
        self.assertEqual(len(rows), 2 + RELOADS)
        self.assertEqual(len({row[1:3] for row in rows}), 1)
        self.assertEqual(rows[0][1], bare[0][1])
        self.assertNotEqual(rows[0][2], bare[0][2])
        growth, usual = ((r[-1][3] - r[2][3]) for r in (rows, bare))
        print(f"{RELOADS} reloads: {growth} octets more in use, "
              f"{usual} without the plugin", flush=True)
        self.assertLess(growth, usual + STEP)

    def test_a_preference_changes(self):
        """All is dissected anew, with what was said of the links: how long what no
        XON ended paused them."""
        path = self.simulate("storm")
        path.write_bytes(b"".join(settings.without_speed(path.read_bytes())))
        rows = self.again(path, 3, "fabscope.link_speed:100")
        digests = {}
        for name, _, digest, _ in rows:
            digests.setdefault(name, set()).add(digest)
        self.assertEqual(digests["first"], digests["second"])
        self.assertNotEqual(digests["first"], digests["preferred"])
        self.assertEqual(len(digests["preferred"]), 1)
        self.assertEqual(digests["again"], digests["preferred"])


if __name__ == "__main__":
    if not AGAIN:
        print("built for Wireshark 4.0 only")
        sys.exit(plugin.SKIP)
    plugin.main()
