#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the dashboard does when things happen to it: signals, small windows, a
database that grows, is replaced or damaged, slow questions, hostile names."""
import csv
import io
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from terminal import FABSCOPE, Terminal, analyzed, main, run, simulated


def d11(folder, name="d11.db"):
    analyzed(folder, "d11_drop_every_400.pa.pcap", name)


def ended(t, folder, status):
    """It is gone with |status|, and the terminal is as it was."""
    screen = t.wait(f"ended: {status}", idle=False)
    assert "Overview" not in screen, screen
    before, after = (re.sub(r"rows \d+; columns \d+;", "",
                            (folder / name).read_text())
                     for name in ("before", "after"))
    assert before and before == after, (before, after)
    flags = t.tmux("list-panes", "-F", "#{alternate_on} #{cursor_flag}")
    assert flags.split() == ["0", "1"], flags


def quits(folder):
    """By key and by signal, on every kind of screen."""
    d11(folder)
    for key in ("q", "F10"):
        with Terminal(folder, "d11.db") as t:
            t.wait("Load over time")
            t.keys(key)
            ended(t, folder, 0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        with Terminal(folder, "d11.db") as t:
            t.wait("Load over time")
            os.kill(t.pid(), number)
            ended(t, folder, 128 + number)


def crashes(folder):
    """A crash of the program gives the terminal back, too."""
    d11(folder)
    with Terminal(folder, "d11.db", ASAN_OPTIONS="handle_abort=0") as t:
        t.wait("Load over time")
        os.kill(t.pid(), signal.SIGABRT)
        ended(t, folder, 128 + signal.SIGABRT)


def sizes(folder):
    """Any size at any time; too small says so."""
    d11(folder)
    with Terminal(folder, "d11.db", 60, 20) as t:
        t.wait("60 x 20 is too small", "needs 80 x 24")
        t.resize(80, 24)
        t.wait("Load over time", "lost", "7 Phases", without=("Segments",))
        t.keys("e")  # which screen it is is always told
        t.wait("Clocks", " e Segments", without=("1 Overview",))
        t.keys("1")
        t.wait("Load over time", "7 Phases")
        for width, height in ((200, 60), (81, 25), (20, 3), (1, 1),
                              (300, 100), (80, 24)):
            t.resize(width, height)
            t.keys("j", "Tab", "2", "k", "1")
        t.wait("Load over time", "Not observable", "lost", same=True)
        t.resize(79, 24)
        t.wait("79 x 24 is too small")
        t.keys("q")
        ended(t, folder, 0)


SLOW = """-- Which flows are there, in no hurry?
-- param from time NULL  not used
-- param to time NULL  not used
-- param once flag NULL  not used
-- param limit count 1000  at most so many
-- column id id  flow.id
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT max(i) AS id FROM n WHERE :limit AND :from IS NULL AND :to IS NULL
       AND :once IS NOT 2
"""


def slow(folder):
    """A question without end: keys go on, Escape stops it, so does leaving."""
    d11(folder)
    (folder / "mine").mkdir()
    (folder / "mine/flows.sql").write_text(SLOW)
    with Terminal(folder, "d11.db", FABSCOPE_QUERIES="mine") as t:
        t.wait("Load over time")
        t.keys("2")
        t.wait("running query flows", "Escape stops it", idle=False)
        t.keys("?")
        t.wait("Moving", idle=False)
        t.keys("x")
        t.wait("running query flows", idle=False)
        t.keys("Escape")
        t.wait("stopped; R repeats the query")
        t.keys("R")
        t.wait("running query flows", idle=False)
        t.keys("C-c")
        t.wait("stopped; R repeats the query", without=("running query flows",))
        t.keys("R")
        t.wait("running query flows", idle=False)
        t.keys("9")
        t.wait("Events", "NAK (PSN")
        t.keys("2")
        t.wait("running query flows", idle=False)
        t.keys("q")
        ended(t, folder, 0)


def replaced(folder):
    """Another database under the name, rubbish, nothing, and back again."""
    d11(folder)
    analyzed(folder, "d12_drop_tail_timeout.pa.pcap", "d12.db")
    with Terminal(folder, "d11.db") as t:
        t.wait("Load over time", "3,987")
        os.replace(folder / "d12.db", folder / "d11.db")
        t.wait("was replaced", "331")
        (folder / "rubbish").write_text("no database" * 1000)
        os.replace(folder / "rubbish", folder / "d11.db")
        t.wait("is not a fabscope result database")
        t.keys("2")
        t.wait("Flows (one", "10.9.0.2")
        (folder / "d11.db").unlink()
        t.wait("No such file")
        d11(folder)
        t.wait("was replaced", "10.9.0.2")
        t.keys("q")
        ended(t, folder, 0)


def damaged(folder):
    """The file is cut and overwritten while it is open."""
    d11(folder)
    with Terminal(folder, "d11.db") as t:
        t.wait("Load over time")
        with open(folder / "d11.db", "r+b") as f:
            f.truncate(20000)
            f.seek(4096)
            f.write(b"\xff" * 10000)
        t.keys("2")
        t.wait("Flows (one", "query flows")
        for key in "3456890fvcmo1":
            t.keys(key)
        t.wait("Load over time", idle=False)
        t.keys("q")
        ended(t, folder, 0)


def grows(folder):
    """Somebody writes: figures follow, and what is held is held."""
    d11(folder)
    db = sqlite3.connect(folder / "d11.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    last, = db.execute("SELECT last_ns FROM capture").fetchone()
    db.execute("INSERT INTO live_status(ns, tap_id, state, received,"
               " dropped_kernel, dropped_interface, dropped_own, lag_ns)"
               " VALUES (?, 1, 'up', 3987, 0, 0, 0, 1000)", (last,))
    with Terminal(folder, "d11.db") as t:
        t.wait("LIVE, SILENT")  # that was long ago
    # a busy machine must not make it silent meanwhile
    soon = time.time_ns() + 3600 * 10 ** 9
    db.execute("UPDATE live_status SET ns = ?", (soon,))
    with Terminal(folder, "d11.db") as t:
        t.wait("LIVE", "+0.271138 s", "kernel 0 NIC 0 live 0")
        db.execute("BEGIN")
        db.execute("UPDATE capture SET last_ns = last_ns + 1000000000,"
                   " packets = packets + 5")
        db.execute("INSERT INTO live_status(ns, tap_id, state, received,"
                   " dropped_kernel, dropped_interface, dropped_own, lag_ns)"
                   " VALUES (?, 1, 'up', 3992, 7, 0, 2, 1000)",
                   (soon,))
        db.execute("COMMIT")
        t.wait("LIVE", "+1.271138 s", "kernel 7 NIC 0 live 2", "3,992")
        t.keys("Space")
        t.wait("HELD")
        db.execute("BEGIN")
        db.execute("UPDATE capture SET last_ns = last_ns + 1000000000,"
                   " packets = packets + 5")
        db.execute("UPDATE live_status SET dropped_kernel = 8")
        db.execute("COMMIT")
        # of the span that is held nothing else passed
        t.wait("HELD", "+1.271138 s", "kernel 8 NIC 0 live 2", "3,987")
        t.keys("Space")
        t.wait("LIVE", "+2.271138 s")
        t.keys("-", "+")
        t.wait("LIVE", "1.14 s zoom", "+2.271138 s")
        t.keys("[")
        t.wait("HELD")
        db.execute("INSERT INTO live_status(ns, tap_id, state)"
                   " VALUES (?, 1, 'ended')", (soon + 1,))
        t.wait("ENDED")
        t.keys("q")
        ended(t, folder, 0)


def days(folder):
    """What is older than the fine steps of a live analysis is from its
    history, and drawn with the rest."""
    d11(folder)
    db = sqlite3.connect(folder / "d11.db", isolation_level=None)
    first, = db.execute("SELECT first_ns FROM capture").fetchone()
    width, days = 52428800000, 3 * 86400 * 10**9
    begin = (first - days) // width * width
    # on the first of three days 1000 packets, on the last 500
    for start, packets in ((begin, 1000), (begin + 40 * width, 500)):
        db.execute("INSERT INTO history(scope, scope_id, tap_id, start_ns,"
                   " width_ns, packets, bytes, ce, ect, cnp, retransmitted)"
                   " VALUES ('tap', 1, 1, ?, ?, ?, 1000000, 0, 0, 0, 7)",
                   (start, width, packets))
    rows = list(csv.DictReader(io.StringIO(run(
        folder, "query", "d11.db", "timeline", "--format", "csv", "-p",
        "steps=3"))))
    assert [int(r["packets"]) for r in rows] == [1500, 0, 3987], rows
    assert int(rows[0]["retransmitted"]) == 14, rows
    # also when it is all that is left
    shutil.copy(folder / "d11.db", folder / "old.db")
    sqlite3.connect(folder / "old.db", isolation_level=None).execute(
        "DELETE FROM bin")
    rows = list(csv.DictReader(io.StringIO(run(
        folder, "query", "old.db", "timeline", "--format", "csv", "-p",
        "steps=3"))))
    assert [int(r["packets"]) for r in rows] == [1500, 0, 0], rows
    with Terminal(folder, "d11.db", 120, 40) as t:
        t.wait("Load over time", "3.00 d all")
        t.keys("C")
        t.wait("11-17 23:2", "11-20 23:25:55", without=("+0.",))
        t.keys("b")
        t.wait("go to time")
        t.type("+800000s..+900000s")
        t.keys("Enter")
        t.wait("nothing was captured then", "3.00 d all")
        t.keys("b")
        t.wait("go to time")
        t.type("+0s..+0.2s")
        t.keys("Enter")
        t.wait("11-20 23:25:55.647 .. 11-20 23:25:55.847  200 ms zoom",
               "Summary ─", "(of all the time)")
        t.keys("C")
        t.wait("+0.000000 s .. +0.200000 s", "200 ms zoom")
        t.keys("2")
        t.wait("Flows (one", without=("all the time",))


def numbers(folder):
    """Packet numbers go on where their space ends: 9 packets were lost."""
    d11(folder)

    def asked():
        return list(csv.DictReader(io.StringIO(run(
            folder, "query", "d11.db", "psn", "--format", "csv", "-p",
            "flow=3"))))
    before = [r for r in asked() if r["psn"]]
    lost = [r for r in before if r["kind"] == "lost"]
    first = int(before[0]["psn"])
    assert lost and all(int(r["number"]) == int(r["psn"]) - first
                        for r in lost), lost
    db = sqlite3.connect(folder / "d11.db", isolation_level=None)
    db.execute("CREATE TEMP TABLE by AS SELECT 16777216 - min(psn) AS n"
               " FROM event WHERE flow_id = 3 AND kind LIKE 'loss%'")
    for table, columns in (("event", ("psn",)),
                           ("message", ("psn_first", "psn_last"))):
        for c in columns:
            db.execute(f"UPDATE {table} SET {c} = ({c} + (SELECT n FROM by))"
                       " % 16777216 WHERE flow_id = 3")
    after = [r for r in asked() if r["psn"]]
    assert [r["number"] for r in before] == [r["number"] for r in after]
    assert [r["end_number"] for r in before] == \
        [r["end_number"] for r in after]
    assert any(int(r["psn"]) == 0 for r in after if r["psn"])


def capped(folder):
    """A list that was cut says so."""
    d11(folder)
    (folder / "mine").mkdir()
    (folder / "mine/flows.sql").write_text(
        SLOW.replace("SELECT i + 1 FROM n", "SELECT i + 1 FROM n LIMIT 60000")
        .replace("max(i) AS id FROM n WHERE :limit AND",
                 "i AS id FROM n WHERE") + " LIMIT :limit\n")
    with Terminal(folder, "d11.db", FABSCOPE_QUERIES="mine") as t:
        t.wait("Load over time")
        t.keys("2")
        t.wait("1 of the first 50,000")
        # sorted and filtered are all of them
        t.keys("s")
        t.wait("1/60,000", "ID▼", "60000", "59999")
        t.keys("/")
        t.type("id>59990")
        t.keys("Enter")
        t.wait("10 of 60,000 match", "60000", "59991")
        t.keys("/", "C-u")
        t.type("id<=12")
        t.keys("Enter")
        t.wait("12 of 60,000 match")


def saves(folder):
    """A selection as pcapng: the packets `fabscope slice` writes."""
    d11(folder)
    with Terminal(folder, "d11.db") as t:
        t.wait("Load over time")
        t.keys("f")
        t.wait("Details", "detail")
        t.keys("w")
        t.wait("save packets to: finding-1.pcapng")
        t.keys("Enter")
        t.wait("packets in finding-1.pcapng")
        run(folder, "slice", "d11.db", "finding:1", "-w", "want.pcapng")
        want = (folder / "want.pcapng").read_bytes()
        assert (folder / "finding-1.pcapng").read_bytes() == want
        (folder / "finding-1.pcapng").write_text("mine")
        t.keys("w")
        t.wait("save packets to:")
        t.keys("Enter")
        t.wait("overwrite it")
        t.type("n")
        t.keys("Enter")
        t.wait("not saved")
        assert (folder / "finding-1.pcapng").read_text() == "mine"


def filters(folder):
    """History, inverse, a column that is not there, and what fits nothing."""
    d11(folder)
    with Terminal(folder, "d11.db") as t:
        t.wait("Load over time")
        t.keys("2")
        t.wait("1/4")
        for text, fits in (("lost>0", "2 of 4"), ("10.9.0.1", "1/4"),
                           ("transport=UD", "no row fits"),
                           ("-0x00003a", "2 of 4"),
                           ("recovery_ns>=5ms", "1 of 4"),
                           ("Recovery>=5ms", "1 of 4")):
            t.keys("/", "C-u")
            t.type(text)
            t.keys("Enter")
            t.wait(fits, f"filter: {text}")
        # what can choose nothing is told
        for text, why in (("nothing>1", 'no list here has a column "nothing"'),
                          ("lost>many", 'lost: "many" is no count')):
            t.keys("/", "C-u")
            t.type(text)
            t.keys("Enter")
            t.wait(why)
        t.keys("/", "C-u")
        t.type("recovery_ns>=5ms")
        t.keys("Enter")
        t.wait("1 of 4")
        t.keys("!")
        t.wait("3 of 4", "(inverted)")
        t.keys("/")
        t.wait("filter:")
        t.keys(*["Up"] * 12)  # the oldest stays
        t.wait("filter: lost>0")
        t.keys("Down", "Enter")
        t.wait("filter (inverted): 10.9.0.1")
        t.keys("Escape")
        t.wait("1/4", without=("filter",))


def mouse(folder):
    """It chooses panes and rows, and what depends on a row follows; only
    with --mouse."""
    simulated(folder, "uet_trim_incast")
    rows = list(csv.DictReader(io.StringIO(run(
        folder, "query", "uet_trim_incast.db", "findings", "--format", "csv"))))
    ids = [r["id"] for r in rows]
    newest = max(range(len(rows)), key=lambda i: int(rows[i]["first_ns"]))
    assert len(ids) > 2, ids

    def press(t, button, line, column=10):
        t.type(f"\033[<{button};{column};{line}M"
               f"\033[<{button};{column};{line}m")

    tui = f"TERM=xterm-256color {FABSCOPE} tui"
    with Terminal(folder, "", 120, 40,
                  command=f"{tui} --mouse uet_trim_incast.db") as t:
        t.wait("Load over time")
        t.keys("f")
        # the one that the first screen has on top: the newest
        t.wait(f" {newest + 1}/{len(ids)} ",
               f"Details: finding {ids[newest]} ")
        first = [f" 1/{len(ids)} ", f"Details: finding {ids[0]} "]
        if newest:
            t.keys("g")
            t.wait(*first)
        assert t.tmux("list-panes", "-F", "#{mouse_any_flag}").strip() == "1"
        press(t, 0, 7)  # lines from 1: bar, bar, title, names, rows
        t.wait(f" 3/{len(ids)} ", f"finding {ids[2]} ")
        press(t, 64, 7)  # the wheel, up
        t.wait(f" 2/{len(ids)} ", f"finding {ids[1]} ")
        press(t, 65, 7)  # and down
        t.wait(f" 3/{len(ids)} ", f"finding {ids[2]} ")
        press(t, 0, 5)
        t.wait(*first)
        press(t, 0, 4, 2)  # the head of a column sorts by it
        t.wait("ID▼", f" 1/{len(ids)} ")
        press(t, 0, 4, 2)
        t.wait("ID▲")
        t.keys("S", "g")
        for line in (2, 3, 38, 39, 200):  # where no row is
            press(t, 0, line)
        press(t, 2, 6)  # another button
        t.keys("i")
        t.wait("SELECT")
        press(t, 0, 6)  # closes it
        t.wait("Findings, by severity", without=("Its SQL",))
        screen = t.screen().split("\n")
        press(t, 0, 40, screen[39].index("?Help") + 2)  # hints
        t.wait("Next row, or line")
        t.keys("q")
        press(t, 0, 1, screen[0].index("Findings") + 1)  # where we are
        press(t, 0, 1, screen[0].index("PSN") + 1)  # tabs
        t.wait("PSN over time")
        press(t, 0, 1, screen[0].index("Menu") + 1)
        t.wait("Each finding in full")
        press(t, 0, 3)  # the second line of the menu
        t.wait("Flows (one")
        t.keys("M", "L")
        t.wait("Capture status")
        t.keys(".")
        t.wait("Was it the network?")
        t.keys(",")
        t.wait("Capture status")
        t.keys("q")
        ended(t, folder, 0)
        assert t.tmux("list-panes", "-F", "#{mouse_any_flag}").strip() == "0"
    with Terminal(folder, "", command=f"{tui} uet_trim_incast.db") as t:
        t.wait("Load over time")
        assert t.tmux("list-panes", "-F", "#{mouse_any_flag}").strip() == "0"


def hostile(folder):
    """Names of a database made to harm a terminal."""
    d11(folder)
    db = sqlite3.connect(folder / "d11.db")
    evil = "\033]0;owned\007\033[2J\u202eevil\u0300\u0301\r\n\x7f" + "A" * 5000
    db.execute("UPDATE flow SET src = ?", (evil,))
    db.execute("UPDATE finding SET title = ?, detail = ?", (evil, evil))
    db.execute("UPDATE tap SET name = ?", (evil,))
    db.execute("UPDATE flow SET dst = cast(x'ff80fe41' AS TEXT)")
    db.commit()
    db.close()
    for ascii_only in ("", "--ascii "):
        with Terminal(folder, f"{ascii_only}d11.db") as t:
            t.wait("Load over time")
            for key in "f2345689cmo":
                t.keys(key)
            t.wait("Observable at")
            assert t.tmux("list-panes", "-F", "#{pane_title}").strip() != \
                "owned"
            t.keys("2")
            screen = t.wait("Flows (one", "owned", "evil")
            assert "\u202e" not in screen


def helps(folder):
    """Every key of the table is in the help, and in the man page."""
    d11(folder)
    with Terminal(folder, "d11.db", 80, 100) as t:
        t.wait("Load over time")
        t.keys("?")
        t.wait("Moving", "Screens", "Ctrl-F, PgDn", "Next row, or line",
               "Go to a time", "Overview", "Recoveries", "Quit")
        t.keys("Escape")
        t.wait("Load over time", without=("Moving",))
        t.keys("i")
        t.wait("SELECT", "query d11.db answer")


def refuses(folder):
    """What is no database, no capture, no terminal."""
    (folder / "rubbish").write_text("nothing")
    for name, text in (("rubbish", "rubbish"), ("gone", "gone"), (".", ".")):
        with Terminal(folder, name) as t:
            t.wait("fabscope: ", text, "ended: 1", idle=False)
    fabscope = os.environ["FABSCOPE"]
    done = subprocess.run([fabscope, "tui", "rubbish"], cwd=folder,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 2 and "terminal" in done.stderr, done
    d11(folder)
    with Terminal(folder, "d11.db", TERM="nosuch") as t:
        pass
    done = subprocess.run(
        ["script", "-qec", f"{fabscope} tui d11.db", "/dev/null"], cwd=folder,
        env=os.environ | {"TERM": "nosuch"}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, check=False) \
        if shutil.which("script") else None
    assert not done or "nosuch" in done.stdout, done
    with Terminal(folder, "", command=f"TERM=dumb {fabscope} tui d11.db") as t:
        t.wait('"dumb"', "cannot move its cursor", "ended: 2", idle=False)


def captures(folder):
    """A capture is analysed first, into the usual database."""
    shutil.copy(pathlib.Path(__file__).resolve().parents[2] /
                "captures/d12_drop_tail_timeout.pa.pcap", folder)
    with Terminal(folder, "d12_drop_tail_timeout.pa.pcap") as t:
        t.wait("Load over time", "331")
    assert (folder / "d12_drop_tail_timeout.pa.pcap.fabscope.db").exists()


if __name__ == "__main__":
    main([quits, crashes, sizes, slow, replaced, damaged, grows, days, numbers,
          capped, saves, filters, mouse, hostile, helps, refuses, captures])
