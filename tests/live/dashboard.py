#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The dashboard on an analysis that runs: dashboard.py PROGRAM CAPTURES

In a network namespace and in tmux; what passes is known, so are the figures."""
import json
import os
import pathlib
import shlex
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tui"))
os.environ["FABSCOPE"] = str(pathlib.Path(sys.argv[1]).resolve())

from lab import Lab  # noqa: E402
from live import octets_of  # noqa: E402
from terminal import Terminal, need_tmux  # noqa: E402

CAPTURES = pathlib.Path(sys.argv[2])
D12 = CAPTURES / "d12_drop_tail_timeout.pa.pcap"  # 4 losses, 331 packets
D05 = CAPTURES / "d05_atomic.pa.pcap"             # 1200 packets
QUICK = {"LC_ALL": "C.UTF-8"}


def looks_on(lab):
    """Another program's database: figures follow, time can be held, packets
    come from the recordings, and the end is told."""
    lab.start("--record", "60s", "-w", str(lab.path) + "/ring-")
    with Terminal(lab.path, lab.database, 120, 40, **QUICK) as t:
        t.wait("LIVE", "no packets yet", idle=False)
        t.keys("Space")  # there is no window yet that could be frozen
        t.wait("LIVE", "nothing to freeze", idle=False, without=("HELD",))
        lab.send(D12)
        t.wait("LIVE", "331", "lost             4", "timeouts         4",
               "kernel 0 NIC 0 live 0", "4 packets lost between")
        t.keys("Space")
        t.wait("HELD")
        lab.send(D05, "--flat-out")
        lab.until("all is analysed", lambda: lab.ask(
            "SELECT sum(packets) FROM capture") == 1531)
        # of what is held the figures stay
        t.wait("HELD", "lost             4", without=("1,531",))
        t.keys("n")
        # how grave it is depends on how slowly it could be sent here
        t.wait(": 4 packets lost between", " zoom ")
        t.keys("a", "Space")
        t.wait("LIVE", "1,531")
        t.resize(80, 24)
        t.wait("LIVE", "1,531")
        t.resize(120, 40)
        t.keys("f")
        t.wait("Details", "Evidence", "4 packets lost between")
        # what the flight recorder and -w have, each packet once
        t.keys("p")
        t.wait("Packets: finding:", "Decoded", "dmac")
        t.keys("w")
        t.wait("save packets to: finding-")
        t.keys("C-u")
        t.type("saved.pcapng")
        t.keys("Enter")
        t.wait("packets in saved.pcapng")
        saved, sent = octets_of(lab.path / "saved.pcapng"), octets_of(D12)
        assert 0 < len(saved) <= 331 and set(saved) <= set(sent), len(saved)
        t.keys("L")
        t.wait("Capture status", "analysis process", "finding", "ring")
        lab.ip("link", "set", "m1", "down")
        t.wait("LIVE, LINK DOWN", "is down; waiting")
        lab.ip("link", "set", "m1", "up")
        t.wait("is back", without=("LINK DOWN",))
        assert lab.stop() == 0
        t.wait("ENDED")
        t.keys("q")
        t.wait("ended: 0", idle=False)


def shows_itself(lab):
    """fabscope live on a terminal: its own dashboard, and q ends both."""
    lab.database = lab.path / "own.db"
    words = lab.inside(os.environ["FABSCOPE"], "live", "-i", "m1", "-o",
                       lab.database, "--snaplen", "9216", "--refresh", "100ms",
                       "-w", lab.path / "new" / "folder" / "ring-",
                       "--findings-log", lab.path / "found.jsonl")
    with Terminal(lab.path, "", 120, 40, command=shlex.join(words),
                  **QUICK) as t:
        t.wait("LIVE", idle=False)
        lab.send(D12)
        t.wait("LIVE", "331", "lost             4", "4 packets lost between")
        t.keys("3")
        t.wait("Rate over time", "retransmitted")
        t.keys("P")
        t.wait("PSN over time", "lost")
        # the clock is that of the packets
        last, = lab.rows("SELECT max(last_ns) FROM capture")[0]
        t.wait("LIVE " + time.strftime("%H:%M:", time.gmtime(last / 1e9)))
        t.keys("q")
        # what it came to stays on the terminal
        t.wait("ended: 0", "It was the network", "4 packets lost between",
               idle=False)
    # beside the dashboard, findings are logged and packets written
    found = [json.loads(line)
             for line in (lab.path / "found.jsonl").read_text().splitlines()]
    assert "tail-loss" in {f["rule"] for f in found}, found
    assert list((lab.path / "new" / "folder").glob("ring-*.pcapng"))
    assert lab.rows("SELECT state FROM live_status ORDER BY id DESC")[0] == \
        ("ended",)
    assert lab.rows("SELECT sum(lost_downstream_min) FROM flow") == [(4,)]


def main():
    need_tmux()
    failed = 0
    for test in (looks_on, shows_itself):
        with Lab(os.environ["FABSCOPE"]) as lab:
            try:
                test(lab)
                print("ok  ", test.__name__, flush=True)
            except AssertionError as error:
                failed += 1
                print("FAIL", test.__name__, error, flush=True)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
