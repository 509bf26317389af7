#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Screens as they should look, and figures on them against the queries.

golden/NAME.txt are screens that somebody has looked at; --update writes them
anew, and the diff is for people to read.  That their figures are right does not
rest on them: figures() holds lists against `fabscope query`, whose answers are
tested elsewhere, and facts() against what was done to the shipped capture."""
import csv
import difflib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

from terminal import ROOT, Terminal, analyzed, main, run, simulated

GOLDEN = pathlib.Path(__file__).parent / "golden"
# a colour of the text or of what is behind it; 39 and 49 take it back
COLOUR = re.compile(r"\033\[(?:[0-9;]*;)?(?:[34][0-8]|9[0-7]|10[0-7])[;m]")
SIZES = ((80, 24), (120, 40), (200, 60))
offences = []


def plain(screen):
    return "\n".join(line.rstrip() for line in
                     screen.rstrip().split("\n")) + "\n"


def compare(name, t, *texts):
    """The screen with |texts| becomes that of golden/; returns it."""
    path = GOLDEN / f"{name}.txt"
    if "--update" in sys.argv:
        time.sleep(1)
        screen = t.wait(*texts, same=True)
        path.write_text(plain(screen))
        return screen
    want = path.read_text() if path.exists() else ""

    def same(screen):
        assert plain(screen) == want
    try:
        return t.wait(*texts, check=same)
    except AssertionError:
        screen = t.screen()
        offences.append(name)
        sys.stdout.writelines(difflib.unified_diff(
            want.splitlines(True), plain(screen).splitlines(True), name,
            "screen"))
        return screen


def settle():
    assert not offences, f"not as in golden/: {' '.join(offences)}"


def d11(folder):
    analyzed(folder, "d11_drop_every_400.pa.pcap", "d11.db")


def sizes(folder):
    """Overview and one flow, at three sizes."""
    d11(folder)
    for width, height in SIZES:
        with Terminal(folder, "d11.db", width, height) as t:
            compare(f"overview-{width}x{height}", t, "Load over time",
                    "Not observable", "lost")
            t.keys("3")
            compare(f"flow-{width}x{height}", t, "Rate over time",
                    "Losses, NAKs", "NAK")
            if height == min(h for _, h in SIZES):
                t.keys("2")
                compare(f"flows-{width}x{height}", t, "Flows (one")
    # IPv6 addresses leave room for the chart, and keep the end that differs.
    simulated(folder, "ipv6_vlan")
    with Terminal(folder, "ipv6_vlan.db", *min(SIZES)) as t:
        t.keys("2")
        screen = compare("flows-ipv6", t, "Flows (one")
        assert "a00:1" in screen and "load" in screen
    # So do the columns before it, of contexts and of several taps.
    simulated(folder, "uet_rccc")
    with Terminal(folder, "uet_rccc.db", *min(SIZES)) as t:
        for key, name, title in (("2", "flows-uet", "Flows (one"),
                                 ("0", "uet-80x24", "Packet delivery")):
            t.keys(key)
            assert "load" in compare(name, t, title)
    settle()


def drawing(folder):
    """ASCII, by option and by locale; no colour has no colour in it."""
    d11(folder)
    with Terminal(folder, "--ascii d11.db") as t:
        screen = compare("overview-ascii", t, "Load over time", "lost")
        assert screen.isascii(), screen
        t.keys("3")
        compare("flow-ascii", t, "Rate over time", "NAK")
    with Terminal(folder, "d11.db", LC_ALL="C") as t:
        screen = t.wait("Load over time", "lost")
        assert screen.isascii(), screen
    with Terminal(folder, "d11.db", NO_COLOR="1") as t:
        t.wait("Load over time", "lost")
        colours = t.screen("-e")
        assert not COLOUR.search(colours), repr(colours)
    with Terminal(folder, "d11.db") as t:
        t.wait("Load over time", "lost")
        assert COLOUR.search(t.screen("-e"))
    settle()


def all_screens(folder):
    """Every screen, on the capture that has most to show there."""
    d11(folder)
    for name in ("storm", "ecmp_collision", "ifa_hot_hop", "uet_trim_incast",
                 "uet_rccc", "uet_tss", "incast_dcqcn"):
        simulated(folder, name)
    for database, key, name, text in (
            ("d11", "2", "flows", "Flows (one"),
            ("d11", "9", "events", "Events"),
            ("d11", "f", "findings", "Evidence"),
            ("d11", "v", "recoveries", "Recoveries"),
            ("d11", "m", "messages", "Messages"),
            ("d11", "o", "taps", "Observable at"),
            ("d11", "P", "numbers", "retransmitted"),
            ("d11", "Q", "sequence", "ACK"),
            ("d11", "L", "live", "Capture status"),
            ("storm", "4", "pauses", "Storms"),
            ("ecmp_collision", "5", "links", "Balance"),
            ("ifa_hot_hop", "6", "paths", "Paths of"),
            ("uet_trim_incast", "0", "uet", "arrived"),
            ("uet_rccc", "0", "uet-credit", "starved"),
            ("uet_trim_incast", "r", "trims", "trimmed"),
            ("uet_trim_incast", "E", "entropy", "worst first"),
            ("uet_trim_incast", "c", "uet-congestion", "Congestion state"),
            ("uet_tss", "y", "encrypted", "0x000102"),
            ("uet_tss", "0", "uet-encrypted", "are encrypted (TSS)"),
            ("incast_dcqcn", "c", "congestion", "notifications")):
        with Terminal(folder, f"{database}.db", 120, 40) as t:
            t.wait("Load over time")
            t.keys(key)
            compare(name, t, text)
    settle()


def packets(folder):
    """From the ladder to packets, decoded as `fabscope decode` does."""
    d11(folder)
    with Terminal(folder, "d11.db", 120, 40) as t:
        t.wait("Load over time")
        t.keys("3")
        t.wait("Losses, NAKs", "NAK")
        t.keys("Enter")
        compare("packets", t, "Decoded", "frame 402", "dmac")
        t.keys("j", "j", "Tab", "C-f")
        t.wait("3/21", "Solicited event")
        t.keys("BSpace")
        t.wait("Losses, NAKs")
    settle()
    line = run(folder, "decode", "d11_drop_every_400.pa.pcap").split("\n")[401]
    shown = (GOLDEN / "packets.txt").read_text()
    assert line.split("  ")[3] in shown, line


def cells(screen, columns, title):
    """The rows of a list as far as they are on the screen, by column."""
    lines = screen.split("\n")
    at = next(i for i, l in enumerate(lines) if title in l)
    head = lines[at + 1]
    rows = []
    for line in lines[at + 2:]:
        if not line.strip() or line.startswith("─"):
            break
        rows.append(dict(zip(columns, line.split())))
    return head, rows


def figures(folder):
    """Lists have the figures of the queries they show, filtered and sorted."""
    simulated(folder, "incast_dcqcn")
    want = json.loads(run(folder, "query", "incast_dcqcn.db", "flows",
                          "--format", "json"))
    columns = "id transport src dst dst_qp lost bytes unit packets".split()
    with Terminal(folder, "incast_dcqcn.db", 200, 60) as t:
        t.wait("Load over time")
        t.keys("2")

        def as_asked(screen):
            _, rows = cells(screen, columns, "Flows (one")
            assert [int(r["id"]) for r in rows] == [w["id"] for w in want]
            for r, w in zip(rows, want):
                assert int(r["packets"].replace(",", "")) == w["packets"]
                assert (r["src"], r["dst"]) == (w["src"], w["dst"])
                assert int(r["dst_qp"], 16) == w["dst_qp"]
        t.wait("Flows (one", check=as_asked)
        # sorted by packets, the most first
        t.keys(*["l"] * 7, "s")
        most = sorted((w["packets"] for w in want), reverse=True)

        def descending(screen):
            _, rows = cells(screen, columns, "Flows (one")
            assert [int(r["packets"].replace(",", "")) for r in rows] == most
        t.wait("packets▼", check=descending)
        # filtered, and the other way round
        t.keys("/")
        t.wait("filter:")
        t.type("cnp>0")
        t.keys("Enter")
        marked = sum(w["cnp"] > 0 for w in want)
        assert 0 < marked < len(want)
        t.wait(f"{marked} of {len(want)} match")
        t.keys("!")
        t.wait(f"{len(want) - marked} of {len(want)} match", "(inverted)")


def timeline(folder):
    """A zoom is the same span in the query: nothing of it is computed here."""
    d11(folder)
    origin = json.loads(run(folder, "query", "d11.db", "summary", "--format",
                            "json"))[0]["first_ns"]
    with Terminal(folder, "d11.db", 120, 40) as t:
        t.wait("Load over time")
        t.keys("b")
        t.wait("go to time")
        t.type("+0.1s..+0.2s")
        t.keys("Enter")
        t.wait("+0.100000 s .. +0.200000 s")
        t.keys("9")
        t.wait("── Events ─", "+0.100000 s .. +0.200000 s")
        rows = list(csv.DictReader(io.StringIO(run(
            folder, "query", "d11.db", "events", "--format", "csv", "-p",
            "from=+0.1s", "-p", "to=+0.2s"))))
        assert rows
        t.wait(f"1/{len(rows)} ", *(
            f"+{(int(r['ns']) - origin) / 1e9:.6f}"[:8] for r in rows))
        t.keys("Z")
        t.wait(" all")


def spans(folder):
    """What a screen knows of a span it shows of it; of the rest it says that
    it is of all the time."""
    simulated(folder, "spray_all_links")
    asked = list(csv.DictReader(io.StringIO(run(
        folder, "query", "spray_all_links.db", "links", "--format", "csv",
        "-p", "from=+100us", "-p", "to=+200us"))))
    with Terminal(folder, "spray_all_links.db", 120, 40) as t:
        t.wait("Load over time")
        t.keys("5")
        t.wait("── Links ─", "Balance of parallel links ─")
        t.keys("b")
        t.wait("go to time")
        t.type("+100us..+200us")
        t.keys("Enter")

        def as_asked(screen):
            _, rows = cells(screen, "a tap flows bytes unit".split(),
                            "── Links ─")
            assert len(asked) == 4
            assert [(r["tap"], f"{float(r['bytes']):.0f}") for r in rows] == \
                [(a["tap"], f"{int(a['bytes']) / 1e3:.0f}") for a in asked]
        t.wait("Balance of parallel links ─", "kB", check=as_asked)
        for key, titles in (("6", ("switch ─", "(CSIG) ─")),
                            ("7", ("Jobs ─",)),
                            ("e", ("points ─", "Clocks ─")),
                            ("o", ("Capture points ─", "this capture point ─",
                                   "point (of all the time)"))):
            t.keys(key)
            t.wait(*titles)


CREDIT = 256  # octets, of the simulator


def credits(folder):
    """Over time, of the context under the cursor: what its target granted, as
    the simulator knows; of a span, what was in it."""
    scenario = str(ROOT / "captures/scenarios/uet_rccc.fab")
    run(folder, "simulate", scenario, "-w", "c.pcapng", "--truth", "c.json")
    run(folder, "analyze", "-o", "c.db", "c.pcapng")
    truth = {f["src"]: f["credit_bytes"] // CREDIT for f in
             json.loads((folder / "c.json").read_text())["flows"]
             if f.get("credit_bytes")}
    contexts = json.loads(run(folder, "query", "c.db", "pdcs", "-p", "once=1",
                              "--format", "json"))

    def steps(flow, *params):
        return json.loads(run(folder, "query", "c.db", "pdc-timeline", "-p",
                              f"flow={flow}", *params, "--format", "json"))

    with Terminal(folder, "c.db", 80, 24) as t:
        t.wait("Load over time")
        t.keys("0")
        for row, c in enumerate(contexts[:5]):
            if row:
                t.keys("j")
            title = f"credit of this PDC: flow {c['flow_id']} "
            if c["role"] == "target":
                t.wait(title, "not observable")
                continue
            rows = steps(c["flow_id"], "-p", "steps=59")
            granted = [r["credit_granted"] for r in rows]
            # the last grant may still be on its way
            assert abs(sum(granted) - truth[c["src"]]) <= 64, granted

            def shown(screen):
                line = next(l for l in screen.split("\n") if " granted " in l)
                assert line.split()[-1] == str(max(granted)), line
                line = next(l for l in screen.split("\n") if " backlog " in l)
                assert int(line.split()[-1].replace(",", "")) == \
                    max(r["credit_backlog_max"] for r in rows), line
            t.wait(title, "starved", check=shown)
        t.keys("b")
        t.wait("go to time")
        t.type("+0.3ms..+0.6ms")
        t.keys("Enter")
        flow = contexts[4]["flow_id"]
        want = sum(r["credit_granted"] for r in
                   steps(flow, "-p", "from=+300us", "-p", "to=+600us"))
        assert 0 < want < truth[contexts[4]["src"]] // 4, want
        most = max(r["credit_granted"] for r in
                   steps(flow, "-p", "from=+300us", "-p", "to=+600us", "-p",
                         "steps=59"))

        def zoomed(screen):
            line = next(l for l in screen.split("\n") if " granted " in l)
            assert line.split()[-1] == str(most), (line, most)
        t.wait(" zoom", f"credit of this PDC: flow {flow} ", check=zoomed)


def true_scenario(folder, name):
    """The database of a scenario, and its truth."""
    simulated(folder, name)
    run(folder, "simulate", str(ROOT / f"captures/scenarios/{name}.fab"), "-w",
        "again.pcapng", "--truth", "truth.json")
    return json.loads((folder / "truth.json").read_text())


def goto(t, span, shown):
    t.keys("b")
    t.wait("go to time")
    t.type(span)
    t.keys("Enter")
    t.wait(shown)


def by_flow(screen, title, column):
    """{sender: figure} of the list with |title|: the column stands where its
    name does, flush right."""
    lines = screen.split("\n")
    at = next(i for i, l in enumerate(lines) if title in l) + 1
    assert column in lines[at], lines[at]
    end = lines[at].index(column) + len(column)
    values = {}
    for line in lines[at + 1:]:
        if not line.strip() or line.startswith("─"):
            break
        tap = re.search(r"(\S+)$", line[:len(lines[at])].rstrip())
        values[line.split()[1], tap.group(1)] = line[:end].split()[-1]
    return values


def trims(folder):
    """Whose packets were trimmed, as the simulator did it; two parts of the time
    have as many as all of it."""
    truth = true_scenario(folder, "uet_trim_incast")
    cut = {f["src"]: f["classes"]["request"]["trimmed"]
           for f in truth["flows"] if "request" in f["classes"]}
    assert min(cut.values()) > 30
    parts = []

    def shown(column, all_of_it):
        def check(screen):
            have = by_flow(screen, "bytes saved", column)
            have = {src: int(n) for (src, _), n in have.items()}
            assert len(have) == len(cut)
            assert (have == cut) == all_of_it, (have, cut)
            assert have not in parts
            parts.append(have)
        return check
    with Terminal(folder, "uet_trim_incast.db", 200, 60) as t:
        t.wait("Load over time")
        t.keys("r")
        screen = t.wait("upstream of rx", "between tx and rx",
                        check=shown("trimmed upstream", True))
        row = next(l for l in screen.split("\n") if "upstream of rx" in l).split()
        # all but those of h1, which the other tap saw whole; all at the last hop
        assert [int(n) for n in row[4:7]] == \
            [sum(cut.values()) - cut["10.0.0.1"]] * 2 + [0], row
        parts.clear()
        for span in ("+0us..+25us", "+25.001us..+1.9ms"):
            goto(t, span, "zoom" if "ms" in span else "in a 100 us step")
            t.wait("upstream of rx", same=True,
                   check=shown("trimmed upstream", False))
        first, second = parts
        assert {s: first[s] + second[s] for s in cut} == cut, parts
        t.keys("Enter")
        t.wait("Counters: flow ", "SPDCID")


def entropy(folder):
    """How many values each context used, as the simulator drew them; in a part of
    the time only a single one is known."""
    for name, title in (("uet_rud_spray", "10.0.0.1"),
                        ("uet_rod_loss", "10.0.0.1")):
        truth = true_scenario(folder, name)
        evs = {f["src"]: f["evs"] for f in truth["flows"]
               if f.get("evs") and "request" in f["classes"]}
        assert evs
        with Terminal(folder, f"{name}.db", 200, 60) as t:
            t.wait("Load over time")
            t.keys("E")

            def spread(screen):
                have = by_flow(screen, "How flows spread", "entropy values")
                assert have
                for (src, _), n in have.items():
                    assert int(n) == evs[src], (have, evs)
            t.wait("How flows spread", title, check=spread)
            goto(t, "+0.1ms..+0.3ms", "zoom")

            def part(screen):
                have = by_flow(screen, "How flows spread", "entropy values")
                assert have
                for (src, _), n in have.items():
                    assert n == ("1" if evs[src] == 1 else "-"), (have, evs)
            t.wait("(of all the time)", same=True, check=part)


def encrypted(folder):
    """What passed the first tap, by the simulator; what nobody can read is no 0,
    and says why."""
    truth = true_scenario(folder, "uet_tss")
    with Terminal(folder, "uet_tss.db", 200, 60) as t:
        t.wait("Load over time")
        t.keys("y")
        screen = t.wait("Sources of encrypted", "0x000102", "Rate over time")
        rows = [l.split() for l in screen.split("\n")
                if l.startswith(("t1", "t2"))]
        first = {r[1]: (int(r[2], 16), int(r[3], 16), int(r[4])) for r in rows
                 if r[0] == "t1"}
        sent = next(f for f in truth["flows"] if f["src"] == "10.0.0.1")
        tap = truth["taps"][0]
        assert first["10.0.0.1"] == (sent["sdi"], sent["ssi"], tap["passed"])
        t.keys("Tab", "Enter")
        screen = t.wait("Counters: flow 1", "it is encrypted (TSS)")
        for name in ("messages", "retransmitted", "lost upstream",
                     "goodput bytes"):
            assert re.search(rf"{name} +-(  |$)", screen, re.M), (name, screen)
        t.keys("0")
        t.wait("no packet delivery context was seen (RUDI and UUD have none): ",
               "no NACK: ", "no flow is listed above")


BINS = 220  # of throughput, see src/views/sequence.h


def read_by_tshark(path, qp):
    """(ns, source, opcode, PSN, syndrome, frame length, payload) of SENDs to a
    queue pair number that both of its ends have, and of their ACKs."""
    out = subprocess.run(
        ["tshark", "-r", str(path), "-Y", f"infiniband.bth.destqp == {qp}",
         "-T", "fields", "-e", "frame.time_epoch", "-e", "ip.src", "-e",
         "infiniband.bth.opcode", "-e", "infiniband.bth.psn", "-e",
         "infiniband.aeth.syndrome", "-e", "frame.len", "-e", "udp.length"],
        capture_output=True, text=True, check=True)
    for line in out.stdout.splitlines():
        time_text, source, opcode, psn, syndrome, length, udp = \
            line.split("\t")
        seconds, rest = time_text.split(".")
        yield (int(seconds) * 10**9 + int(rest.ljust(9, "0")[:9]), source,
               int(opcode), int(psn), int(syndrome or "0", 0), int(length),
               int(udp) - 8 - 12 - 4)  # headers of UDP and BTH, ICRC


def measured(packets):
    """The highest rate of a step, payload in flight and delay to an ACK."""
    mine = [p for p in packets if p[1] == "10.9.0.1"]
    begin, end = min(p[0] for p in packets), max(p[0] for p in packets)
    wire, sent, again, upto, total = [0] * BINS, {}, set(), {}, 0
    acked, acked_bytes, flight, delay = None, 0, 0, 0
    for ns, source, _, psn, syndrome, length, payload in packets:
        if source == "10.9.0.1":
            wire[int((ns - begin) / (end - begin + 1) * BINS)] += length
            if psn in sent:
                again.add(psn)
                continue
            total += payload
            sent[psn], upto[psn] = ns, total
        else:
            covers = psn - 1 if syndrome & 0x60 else psn
            if covers not in sent or acked is not None and covers <= acked:
                continue
            acked, acked_bytes = covers, upto[covers]
            if covers not in again:
                delay = max(delay, ns - sent[covers])
        if acked is not None:
            flight = max(flight, total - acked_bytes)
    assert max(p[3] for p in mine) - mine[0][3] < 1 << 22  # no wrap
    return max(wire) * 8e9 * BINS / (end - begin + 1), flight, delay / 1e9


SCALE = {"b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "B": 1, "kB": 1e3,
         "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def panels(folder):
    """Rate, payload in flight and delay to the ACK beside the PSNs: the highest
    of each is what is computed here from what tshark reads."""
    if not shutil.which("tshark"):
        return
    d11(folder)
    want = measured(list(read_by_tshark(
        ROOT / "captures/d11_drop_every_400.pa.pcap", "0x3a")))
    assert all(want), want
    for width, height in SIZES:
        with Terminal(folder, "d11.db", width, height) as t:
            t.wait("Load over time")
            t.keys("3")
            t.wait("Counters: flow 3", "NAK")
            t.keys("Q")

            def shown(screen):
                lines = screen.split("\n")
                for name, most in zip(("throughput", "in flight", "ACK delay"),
                                      want):
                    at = next(i for i, l in enumerate(lines)
                              if l.startswith(f"{name:>11} "))
                    number, unit = lines[at - 1].split()[:2]
                    there = float(number.replace(",", "")) * SCALE[unit]
                    assert abs(there / most - 1) < 0.006, (name, there, most)
                    # something reaches the top: the highest of all columns
                    assert "█" in lines[at - 1][12:], lines[at - 1]
                    assert "█" in lines[at][12:], lines[at]
            t.wait("retransmitted", "throughput", check=shown)
            # of a part of the time: no higher than in all of it
            goto(t, "+0.1s..+0.2s", "zoom")
            t.wait("delay: flow 3 ", "throughput", "in flight", "ACK delay")


def page(_):
    """The screens of docs/tui.md are those of golden/."""
    parts = (ROOT / "docs/tui.md").read_text().split("```\n")
    known = [p.read_text() for p in GOLDEN.glob("*.txt")]
    blocks = parts[1::2]
    assert len(blocks) >= 5, len(blocks)
    for block in blocks:
        assert block in known, f"not in golden/:\n{block}"


def facts(folder):
    """The switch of this capture dropped 9 packets: so its story says."""
    d11(folder)
    truth = json.loads((ROOT / "captures/d11_drop_every_400.json").read_text())
    dropped = 9
    assert str(dropped) in json.dumps(truth)
    with Terminal(folder, "d11.db") as t:

        def told(screen):
            line = next(l for l in screen.split("\n") if " lost  " in l)
            assert line.split()[1] == str(dropped), line
        t.wait("Load over time", "lost", check=told)


if __name__ == "__main__":
    main([sizes, drawing, all_screens, packets, figures, timeline, spans,
          credits, trims, entropy, encrypted, panels, facts, page])
