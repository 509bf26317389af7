#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A million events, and as many of everything else as a capture may have: the
page stays a few megabytes and still works."""
import pathlib
import sqlite3
import tempfile

import browser
from common import check, database, finish, need_browser, report

LIMIT = 4_000_000  # octets

GROW = """
PRAGMA synchronous = OFF;
CREATE TEMP TABLE n AS WITH RECURSIVE i(n) AS
  (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 999999) SELECT n FROM i;
CREATE TEMP TABLE o AS SELECT min(first_ns) AS ns FROM capture;
UPDATE capture SET last_ns = first_ns + 100000000000;
INSERT INTO event(ns, tap_id, flow_id, frame, kind, psn, count, confidence)
  SELECT ns + n * 100000, 1, 1 + n % 4, n,
    CASE n % 7 WHEN 0 THEN 'loss_upstream' WHEN 1 THEN 'loss_downstream'
      WHEN 2 THEN 'nak_seq' WHEN 3 THEN 'retransmit_nak' WHEN 4 THEN 'reorder'
      WHEN 5 THEN 'capture_missing' ELSE 'duplicate' END,
    n & 16777215, 1 + n % 3, 0.9 FROM n, o;
INSERT INTO flow SELECT * FROM (SELECT
  COLUMNS FROM flow f, n WHERE f.id = 1 AND n < 20000);
INSERT INTO recovery(flow_id, tap_id, trigger, cause, psn, first_ns, detect_ns,
    retransmit_ns, last_ns, retransmitted_packets)
  SELECT 1 + n % 4, 1, 'nak', 'loss_upstream', n, ns + n * 1000000,
    ns + n * 1000000 + 100, ns + n * 1000000 + 200,
    ns + n * 1000000 + 10 * n, 3 FROM n, o WHERE n < 20000;
INSERT INTO message(flow_id, op, first_ns, last_ns, completed_ns, bytes,
    psn_first, psn_last, status)
  SELECT 1 + n % 4, 'write', ns + n * 1000000, ns + n * 1000000 + 9000,
    ns + n * 1000000 + 9000 + n % 5000000, 100000, n & 16777215,
    n + 20 & 16777215, 'complete' FROM n, o WHERE n < 20000;
INSERT INTO pause(tap_id, source_mac, priority, first_ns, last_ns, xoff_frames,
    xon_frames, refreshes, ended_by, quanta, paused_ns)
  SELECT 1, printf('02:00:00:00:00:%02x', n % 40), n / 40 % 8,
    ns + n * 300000, ns + n * 300000 + 50000, 1, 1, 0, 'xon', 65535, 50000
    FROM n, o WHERE n < 50000;
INSERT INTO pause_sender(tap_id, source_mac, priority, who, pauses, xoff_frames,
    paused_ns)
  SELECT 1, printf('02:00:00:00:00:%02x', n % 40), n / 40, 'port ' || n,
    900, 900, 900 * 50000 FROM n WHERE n < 320;
INSERT INTO bin SELECT 'tap', 1, NULL, ns / 100000 * 100000 + n * 100000,
    100000, 10, 10000, n % 2, 10, n % 3, n % 5, NULL
    FROM n, o WHERE n BETWEEN 10000 AND 100000;
INSERT INTO finding(rule, severity, confidence, title, detail)
  SELECT 'timeouts', 'warning', 0.5, 'finding ' || n, 'detail ' || n FROM n
    WHERE n < 5000;
"""


def grow(db):
    at = sqlite3.connect(db)
    columns = [r[1] for r in at.execute("PRAGMA table_info(flow)")]
    values = {"id": "1000 + n", "recovery_ns": "n", "impaired": "n % 2"}
    at.executescript(GROW.replace("COLUMNS", ", ".join(
        values.get(c, "f." + c) for c in columns)))
    at.commit()
    at.close()


def main():
    program = need_browser()
    with tempfile.TemporaryDirectory() as name, \
            browser.Browser(program) as b:
        db = database(pathlib.Path(name), "d11_drop_every_400.pa.pcap")
        grow(db)
        page = report(db)
        size = page.stat().st_size
        print(f"{size} octets for a database of {db.stat().st_size}")
        check(size < LIMIT, f"the page has {size} octets")
        b.open(page)
        check(not b.complaints(), f"complaints: {b.complaints()[:2]}")
        check(b.js("document.documentElement.dataset.drawn") == "yes",
              "drawn to the end")
        text = b.js("document.body.innerText")
        for said in ("and 4,9", "more in the database", "and 19,504 more"):
            check(said in text, f"says {said!r}")
        check(b.js("report.sections.get('flows').rows") == 500, "500 flows")
        check(b.js("document.querySelectorAll('.finding').length") == 50,
              "50 findings")
    finish()


if __name__ == "__main__":
    main()
