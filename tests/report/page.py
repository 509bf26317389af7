#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a browser makes of a report: the numbers are those of the queries, the
script says them as the program does, and what moves does so."""
import json
import pathlib
import re
import struct
import tempfile

import browser
from common import (ROOT, Page, ask, check, database, finish, need_browser,
                    report, run)

CASES = ("d11_drop_every_400.pa.pcap", "storm", "clean", "uet_trim_incast",
         "spray_all_links", "capture_loss_and_loss", "two_taps", "uet_rccc",
         "ifa_hot_hop")


# What a section asks that is not "all there is".
ASKED = {**{q: ["once=1", "limit=1000000"] for q in (
             "trims", "entropy-spread", "ecn", "errors")},
         "slow-messages": ["once=1"], "pdcs": ["once=1"], "why": ["once=1"],
         "recoveries": ["once=1", "limit=1000000"], "worst-phases": [],
         "congestion": ["flows=8", "limit=1000000"],
         "unmatched": ["limit=1000000", "verdict=all"],
         "matrix-server": ["given=1", "limit=1000000"],
         "matrix-rail": ["by=rail", "given=1", "limit=1000000"],
         "matrix-pod": ["by=pod", "given=1", "limit=1000000"]}


# ---- numbers

def same(a, b):
    if isinstance(a, (dict, list)) or isinstance(b, (dict, list)):
        return True  # JSON columns are shown as text
    if isinstance(a, float) or isinstance(b, float):
        return abs(a - b) <= 1e-8 * max(abs(a), abs(b))
    if isinstance(a, int) and isinstance(b, int) and abs(a) > 2 ** 53:
        return abs(a - b) <= abs(a) / 2 ** 53  # all that a script can tell
    return a == b or a == bool(b)


WORDS = dict(re.findall(r'WORD\("(.*?)", "(.*?)"\)',
                        (ROOT / "src/base/words.def").read_text()))


# Longer ones first, as they stand there.
UET = re.findall(r'UET_WORD\("(.*?)", "(.*?)"\)',
                 (ROOT / "src/base/uet_words.def").read_text())


def of_uet(text):
    """The field's words where a row is about Ultra Ethernet."""
    words = dict(UET)
    return re.sub("|".join(re.escape(w) for w, _ in UET),
                  lambda m: words[m[0]], text)


def answers(b, db, origin):
    """The data of the page against `fabscope query`."""
    for id, query in b.js("[...report.sections].map(([id, s]) => "
                          "[id, s.query])"):
        asked = ["limit=1000000"] if takes_limit(db, query) else []
        expected = ask(db, query, *ASKED.get(id, asked))
        got = b.js(f"(() => {{ const s = report.sections.get('{id}');"
                   "return { n: s.rows, left: s.leftOut, columns: s.columns }"
                   "})()")
        check(got["n"] + got["left"] == len(expected),
              f"{id}: {got['n']} + {got['left']} rows, not {len(expected)}")
        for c in got["columns"]:
            for row, v in zip(expected, c["values"]):
                want = row[c["name"]]
                if c["unit"] == "time" and want is not None:
                    want -= origin
                if c["unit"] == "word" and want is not None:
                    want = " or ".join(WORDS.get(w, w.replace("_", " "))
                                       for w in want.split("|"))
                if c["unit"] == "reason" and want is not None:
                    want = re.sub(r"^[A-Z][0-9]+(, [A-Z][0-9]+)*: ", "", want)
                if (c["unit"] == "word" and want is not None
                        and row.get("spdcid") is not None):
                    want = of_uet(want)
                if not same(want, v):
                    check(False, f"{id}.{c['name']}: {v}, not {want}")
                    break


limits = {}


def takes_limit(db, query):
    if query not in limits:
        limits[query] = b"  limit " in run("query", db, query, "--describe")
    return limits[query]


def cells(b, page):
    """The script shows each cell as the program wrote it into the file."""
    for section, shown in b.js(
            "[...document.querySelectorAll('table[data-section]')].map(t => "
            "[t.dataset.section, [...t.tBodies[0].rows].map(r => "
            "[...r.cells].map(c => c.textContent))])"):
        written = page.rows(section)
        check(len(shown) == len(written), f"{section}: {len(shown)} rows")
        for a, w in zip(shown, written):
            if a != w:
                check(False, f"{section}: script {a}, file {w}")
                break


def verdict(b, db):
    found = ask(db, "verdict/findings")
    text = b.js("document.querySelector('h1').textContent")
    check(ask(db, "answer")[0]["line"] in text, f"verdict is {text!r}")
    check(b.js("document.querySelectorAll('.finding').length") == len(found),
          "all findings")
    for f in found:
        own = b.js(f"document.getElementById('finding-{f['id']}').textContent")
        for key in ("title", "detail", "action", "who", "frames"):
            check(not f[key] or f[key] in own, f"finding {f['id']}: {key}")
    for u in ask(db, "verdict/not-observable"):
        check(u["why"] in b.js("document.body.textContent"),
              f"unseen: {u['why']}")


# ---- accessible, and itself

def structure(page, b, name):
    levels = [int(e[1]) for e in page.elements if e in ("h1", "h2", "h3")]
    check(levels.count(1) == 1, f"{name}: one h1")
    check(all(b - a <= 1 for a, b in zip(levels, levels[1:])),
          f"{name}: headings skip a level: {levels}")
    check(len(page.ids) == len(set(page.ids)), f"{name}: each id once")
    check(page.elements.count("table") == page.elements.count("caption"),
          f"{name}: each table has a caption")
    check(all(a.get("scope") == "col" for t, a in page.attributes
              if t == "th"), f"{name}: scopes")
    links = [a["href"][1:] for t, a in page.attributes
             if t == "a" and a["href"].startswith("#")]
    check(set(links) <= set(page.ids),
          f"{name}: links to nowhere {set(links) - set(page.ids)}")
    nameless = b.js(
        "[...document.querySelectorAll('input:not(.dygraph-roller),select,"
        "button')].filter(e => !e.textContent.trim() && !e.labels?.length && "
        "!e.getAttribute('aria-label')).map(e => e.outerHTML)")
    check(nameless == [], f"{name}: {nameless}")
    check(b.js("[...document.querySelectorAll('main section')].every(s => "
               "s.querySelector('.source code').textContent"
               ".startsWith('fabscope query '))"),
          f"{name}: a query behind each section")


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4
              for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(b, what):
    """WCAG 2: 4.5 for text, 3 for lines of diagrams."""
    def value(name):
        return b.js("getComputedStyle(document.documentElement)"
                    f".getPropertyValue('--{name}').trim()")

    def ratio(x, y):
        x, y = sorted((luminance(value(x)), luminance(value(y))))
        return (y + 0.05) / (x + 0.05)

    for name in ("ink", "soft", "accent", "critical", "warning", "info",
                 "ok"):
        for ground in ("ground", "raised"):
            check(ratio(name, ground) >= 4.5,
                  f"{what}: {name} on {ground} {ratio(name, ground):.2f}")
    for i in range(8):
        check(ratio(f"s{i}", "ground") >= 3,
              f"{what}: s{i} {ratio(f's{i}', 'ground'):.2f}")


# ---- what moves

def click(b, selector):
    x, y = b.js(f"(() => {{ const e = document.querySelector({selector!r});"
                "e.scrollIntoView({ block: 'center', behavior: 'instant' });"
                "const r = e.getBoundingClientRect();"
                "return [r.x + r.width / 2, r.y + r.height / 2] })()")
    mouse(b, (x, y), (x, y))


def mouse(b, start, end):
    button = {"button": "left", "buttons": 1, "clickCount": 1}
    b.call("Input.dispatchMouseEvent", type="mouseMoved", x=start[0],
           y=start[1])
    b.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0],
           y=start[1], **button)
    if start != end:
        for k in (1, 2, 3):
            b.call("Input.dispatchMouseEvent", type="mouseMoved",
                   x=start[0] + (end[0] - start[0]) * k / 3, y=end[1],
                   button="left", buttons=1)
    b.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0],
           y=end[1], **button)


def box(b, selector):
    return b.js(f"(() => {{ const e = document.querySelector({selector!r});"
                "e.scrollIntoView({ block: 'center', behavior: 'instant' });"
                "const r = e.getBoundingClientRect();"
                "return [r.x, r.y, r.width, r.height] })()")


def span(b):
    return b.js("[report.span.from, report.span.to]")


def zoom(b):
    whole = b.js("report.whole")
    check(span(b) == whole, "all of it at first")
    x, y, width, height = box(b, "canvas.strip")
    mouse(b, (x + width * 0.5, y + 5), (x + width * 0.7, y + 5))
    near = span(b)
    check(whole[0] < near[0] < near[1] < whole[1], f"dragged to {near}")
    windows = b.js("report.diagrams.map(g => g.xAxisRange())")
    check(len(windows) > 1 and all(
        abs(w[0] - near[0]) + abs(w[1] - near[1]) < 1e-9 for w in windows),
        f"{near}, diagrams {windows}")
    x, y, width, height = box(b, "[data-draw=timeline] .chart")
    mouse(b, (x + width * 0.4, y + 50), (x + width * 0.6, y + 50))
    nearer = span(b)
    check(nearer[1] - nearer[0] < (near[1] - near[0]) / 2,
          f"a diagram tells the others: {nearer}")
    check(b.js("new Set(report.diagrams.map(g => "
               "g.xAxisRange().map(v => v.toFixed(9)).join())).size") == 1,
          "all of the same time")
    # by keyboard
    b.js("document.querySelector('[aria-label=\"The whole capture\"]').focus()")
    for kind in ("keyDown", "keyUp"):
        b.call("Input.dispatchKeyEvent", type=kind, key="Enter",
               code="Enter", windowsVirtualKeyCode=13, text="\r")
    check(span(b) == whole, "Enter on All")
    click(b, "[aria-label=Closer]")
    check(abs((span(b)[1] - span(b)[0]) * 2 - whole[1]) < 1e-9, "closer")
    click(b, "[aria-label=Later]")
    check(abs(span(b)[1] - whole[1]) < 1e-9, "later, to the end at most")
    click(b, "[aria-label='The whole capture']")


def ladders(b):
    """Each has an axis of its own, moved by buttons; what is answered is a
    mark of its own."""
    where = "[data-draw=ladders] .where"
    text = f"document.querySelector('{where}').textContent"
    first = b.js(text)
    check(re.fullmatch(r"(0|[+-]\S+ \S+) to \+\S+ \S+ \(.*\)", first),
          f"ladder: {first}")
    together = span(b)
    click(b, "[data-draw=ladders] [aria-label=Closer]")
    check(b.js(text) != first, "a ladder comes closer")
    check(span(b) == together, "and nothing else does")
    click(b, "[data-draw=ladders] [aria-label='All of this flow']")
    check(b.js(text) == first, f"{b.js(text)}, not {first}")
    check("ACK or response" in b.js(
        "document.querySelector('[data-draw=ladders] .legend').textContent"),
        "a ladder shows answers")


GRANTED = """(() => {
    const g = report.diagrams.find(g => g.graphDiv.parentNode
      .getAttribute('aria-label').startsWith('Credit granted'));
    const sums = {};
    g.getLabels().slice(1).forEach((name, k) => {
      sums[name] = 0;
      for (let i = 0; i + 1 < g.numRows(); i++)
        sums[name] += (g.getValue(i, k + 1) || 0) * 1e3 *
          (g.getValue(i + 1, 0) - g.getValue(i, 0));
    });
    return sums;
})()"""
CREDIT = 256  # octets, of the simulator


def credits(b, db):
    """What lies under the lines of credit is what targets granted."""
    truth = {f"{f['src']} > {f['dst']}": f["credit_bytes"] / CREDIT
             for f in json.loads(db.with_suffix(".json").read_text())["flows"]
             if f.get("credit_bytes")}
    drawn = b.js(GRANTED)
    check(len(drawn) == 8, f"credit of {sorted(drawn)}")
    for name, granted in drawn.items():
        true = truth[name.split(", ")[1]]
        # the last grant may still be on its way
        check(true - 64 <= granted <= true + 64.001,
              f"{name}: {granted} granted, not {true}")


LOST = """(() => {
    const g = report.diagrams.find(g => g.graphDiv.parentNode
      .getAttribute('aria-label') === 'Lost over time');
    return g.getLabels().slice(1).map((name, k) => {
      let n = 0;
      for (let i = 0; i + 1 < g.numRows(); i++)
        n += g.getValue(i, k + 1);
      return [name, n];
    });
})()"""


def vanished(b, db):
    """What was lost between two places is what the switches dropped there."""
    truth = json.loads(db.with_suffix(".json").read_text())
    dropped = sum(d["packets"] for d in truth["drops"])
    lost = b.js(LOST)
    check(dropped > 0 and sum(n for _, n in lost) == dropped,
          f"{lost} lost between places, not {dropped}")


def column(b, table, i):
    return b.js(f"[...document.querySelector('{table}').tBodies[0].rows]"
                f".map(r => r.cells[{i}].textContent)")


def sorting(b, db):
    table = "table[data-section=flows]"
    heads = b.js(f"[...document.querySelector('{table}').tHead.rows[0].cells]"
                 ".map(c => c.textContent)")
    i = heads.index("packets")
    as_asked = column(b, table, 0)
    packets = {str(f["id"]): f["packets"] for f in
               ask(db, "report/flows", "limit=1000000")}
    th = f"{table} th:nth-child({i + 1}) button"
    click(b, th)
    got = [packets[v] for v in column(b, table, 0)]
    check(got == sorted(packets.values(), reverse=True)[:25],
          f"most packets first: {got}")
    check(b.js(f"document.querySelector('{table} [aria-sort]').ariaSort") ==
          "descending", "says so")
    click(b, th)
    got = [packets[v] for v in column(b, table, 0)]
    check(got == sorted(packets.values())[:25], f"least packets first: {got}")
    click(b, th)
    check(column(b, table, 0) == as_asked, "as the query gave them")


def filtering(b, db):
    table = "table[data-section=flows]"
    flows = ask(db, "report/flows", "limit=1000000")
    host = flows[0]["src"]
    click(b, "#flows input")
    b.call("Input.insertText", text=host + " !uud")
    want = [str(f["id"]) for f in flows if host in (f["src"], f["dst"]) or
            f["src"].startswith(host) or f["dst"].startswith(host)]
    check(column(b, table, 0) == want[:25],
          f"{column(b, table, 0)}, not {want}")
    b.call("Input.insertText", text=" no-such-word")
    check(column(b, table, 0) == [], "no flow has that word")
    check("0 of " in b.js("document.querySelector('#flows [role=status]')"
                          ".textContent"), "and it says so")
    boxes = b.js("document.querySelectorAll('.finding:not([hidden])').length")
    click(b, "input[value=info]")
    left = b.js("document.querySelectorAll('.finding:not([hidden])').length")
    infos = b.js("document.querySelectorAll('.finding.info').length")
    check(infos and left == boxes - infos, f"{boxes} - {infos}, {left}")
    click(b, "input[value=info]")


# ---- sizes, night, paper

def screens(b, path, folder):
    for width in (360, 390, 3840):
        b.open(path, width=width)
        check(b.js("document.documentElement.scrollWidth") <= width,
              f"{width}: wider than the screen")
        check(not b.complaints(), f"{width}: {b.complaints()[:1]}")
        wide = b.js("[...document.querySelectorAll('.chart')].filter(c => "
                    "[...c.querySelectorAll('canvas')].some(d => "
                    "d.clientWidth > c.clientWidth + 1)).length")
        check(wide == 0, f"{width}: {wide} diagrams reach into the next one")
    for dark in (False, True):
        b.open(path, dark=dark)
        contrast(b, "dark" if dark else "light")
    b.open(path)
    b.js("report.prepare()")
    b.pdf(folder / "page.pdf")
    pages = (folder / "page.pdf").read_bytes()
    check(pages.startswith(b"%PDF") and pages.count(b"/Type /Page\n") +
          pages.count(b"/Type /Page ") > 1, "more than one page of paper")
    check(b.js("[...document.querySelectorAll('.finding')]"
               ".every(f => f.open)"), "on paper all findings are open")


def odd(folder):
    """Captures of one packet, and with gaps of more than a year."""
    octets = (ROOT / "captures/d12_drop_tail_timeout.pa.pcap").read_bytes()
    head, packets, at = octets[:24], [], 24
    while at < len(octets):
        s, ns, n, length = struct.unpack("<IIII", octets[at:at + 16])
        late = 40_000_000 * (len(packets) // 100)
        packets.append(struct.pack("<IIII", s + late, ns, n, length) +
                       octets[at + 16:at + 16 + n])
        at += 16 + n
    for name, some in (("one", packets[:1]), ("years", packets)):
        (folder / (name + ".pcap")).write_bytes(head + b"".join(some))
        db = folder / (name + ".db")
        run("analyze", "-o", db, folder / (name + ".pcap"))
        yield name, db


def ids(b, case):
    """Flows have the numbers of their transport, not dashes for the others."""
    heads = b.js("[...document.querySelectorAll('table[data-section=flows] "
                 "th')].map(t => t.textContent.trim())")
    uet = case.startswith("uet_")
    check(heads and ("SPDCID" in heads, "dst QP" in heads) == (uet, not uet),
          f"{case}: {heads}")


def trimmed(db):
    """Each trimmed packet is one, though it passes and is refused, and though
    the sender's tap knows of it as well."""
    over_time = sum(row["value"] for row in ask(db, "report/timeline")
                    if (row["what"], row["name"]) == ("event", "trimmed"))
    of_flows = {}
    for row in ask(db, "trims"):
        of_flows.setdefault((row["src"], row["dst"], row["spdcid"]), []).append(
            row["trimmed_upstream"] + row["trimmed_downstream"])
    of_flows = sum(max(at_taps) for at_taps in of_flows.values())
    check(over_time == of_flows > 300, f"{over_time}, {of_flows} trimmed")


def main():
    program = need_browser()
    with tempfile.TemporaryDirectory() as name, \
            browser.Browser(program) as b:
        folder = pathlib.Path(name)
        cases = [(case, database(folder, case)) for case in CASES]
        for case, db in cases + list(odd(folder)):
            path = report(db)
            page = Page(path)
            b.open(path)
            check(b.requests() == [f"file://{path}"],
                  f"{case}: asks for {b.requests()}")
            check(not b.complaints(), f"{case}: {b.complaints()[:1]}")
            origin = ask(db, "verdict/totals")[0]["first_ns"]
            answers(b, db, origin)
            cells(b, page)
            verdict(b, db)
            structure(page, b, case)
            check(("congestion" in page.ids) == case.startswith("uet_"),
                  f"{case}: congestion of contexts where there are any")
            if case == "uet_rccc":
                credits(b, db)
            happened = any(row[what] for row in ask(db, "segments") for what in
                           ("lost", "missed_to", "missed_from", "open",
                            "marked", "reordered", "trimmed", "corrupted",
                            "duplicated"))
            check(("segments-over-time" in page.ids) == happened,
                  f"{case}: between places, where anything happened")
            if case == "two_taps":
                vanished(b, db)
            if case in CASES:
                ids(b, case)
            if case == "uet_trim_incast":
                trimmed(db)
                zoom(b)
                ladders(b)
                sorting(b, db)
                filtering(b, db)
                screens(b, path, folder)
    finish()


if __name__ == "__main__":
    main()
