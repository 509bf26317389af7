#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and comments that would be markup or script, in every text of the
database: they are shown, and nothing else happens."""
import pathlib
import sqlite3
import tempfile

import browser
from common import (Page, check, database, finish, need_browser, report)

EVIL = [
    "</script><script>window.hacked = 1</script>",
    "<img src=http://192.0.2.1/x onerror=\"window.hacked = 2\">",
    "<!--<script>", "--><svg onload=window.hacked=3>",
    "\u2028window.hacked=4//\u2029", "' onmouseover='window.hacked=5' x='",
    "\" autofocus onfocus=\"window.hacked=6\" x=\"",
    "</textarea></title></style><script>window.hacked=7</script>",
    "javascript:window.hacked=8", "&lt;b&gt; &#60;script&#62;",
    "\u202egnihtyna\u202c \x1b[31m \x00 \ud7ff", "</pre></code></details>",
    "${window.hacked=9}", "__proto__", "constructor", "%s%n%d",
]


def spoil(db):
    """Each text column of each table holds each of them somewhere."""
    at = sqlite3.connect(db)
    names = [r[0] for r in at.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
        " AND name NOT LIKE 'sqlite%'")]
    n = 0
    for table in names:
        columns = at.execute(f"PRAGMA table_info({table})").fetchall()
        for _, column, kind, _, _, key in columns:
            if kind != "TEXT" or key or column in ("scope", "evidence"):
                continue
            for row, evil in enumerate(EVIL):
                at.execute(
                    f"UPDATE {table} SET {column} = ? WHERE rowid IN "
                    f"(SELECT rowid FROM {table} WHERE {column} IS NOT NULL "
                    "AND rowid % ? = ?)" if not without_rowid(at, table) else
                    f"UPDATE {table} SET {column} = ? WHERE {column} IS NOT "
                    "NULL AND length(quote(" + columns[0][1] + ")) % ? = ?",
                    (evil, len(EVIL), row))
                n += 1
    at.commit()
    at.close()
    return n


def without_rowid(at, table):
    sql = at.execute("SELECT sql FROM sqlite_schema WHERE name = ?",
                     (table,)).fetchone()[0]
    return sql.rstrip(" ;").endswith("WITHOUT ROWID")


def look(b, page, scripts, what):
    b.open(page)
    urls = b.requests()
    check(urls == [f"file://{page}"], f"{what}: asks for {urls}")
    check(not b.complaints(), f"{what}: {b.complaints()[:2]}")
    check(b.js("window.hacked") is None, f"{what}: a script ran")
    check(b.js("document.scripts.length") == scripts,
          f"{what}: scripts {b.js('document.scripts.length')}")
    check(b.js("document.querySelectorAll('img,svg,iframe,object,embed,form,"
               "textarea,link,base,audio,video').length") == 0,
          f"{what}: elements that are none of ours")
    on = ("[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
          ".filter(a => a.name.startsWith('on') || a.name === 'style' && false"
          ").map(a => a.name)")
    check(b.js(on) == [], f"{what}: attributes {b.js(on)}")
    check(b.js("document.documentElement.dataset.drawn") == "yes",
          f"{what}: not drawn to the end")
    check("window.hacked" in b.js("document.body.innerText"),
          f"{what}: the names are to be seen")


def main():
    program = need_browser()
    with tempfile.TemporaryDirectory() as name, \
            browser.Browser(program) as b:
        folder = pathlib.Path(name)
        for capture in ("d11_drop_every_400.pa.pcap", "storm", "uet_trim_spine",
                        "spray_all_links"):
            db = database(folder, capture)
            clean = Page(report(db))
            spoil(db)
            page = report(db, "--title", EVIL[0])
            dirty = Page(page)
            check(dirty.elements.count("script") ==
                  clean.elements.count("script"), f"{capture}: scripts")
            check(set(dirty.elements) <= set(clean.elements),
                  f"{capture}: {set(dirty.elements) - set(clean.elements)}")
            look(b, page, clean.elements.count("script"), capture)
        policy = [a["content"] for t, a in clean.attributes
                  if a.get("http-equiv") == "Content-Security-Policy"][0]
        check("default-src 'none'" in policy and "unsafe" not in policy,
              f"policy: {policy}")
        # the policy itself: what somebody adds to the page does not run
        text = page.read_text()
        page.write_text(text.replace(
            "</main>", "<script>window.hacked = 1</script>"
            "<img src='http://192.0.2.1/x'></main>"))
        b.open(page)
        check(b.js("window.hacked") is None, "the policy lets a script run")
        check(any("Content" in str(c) for c in b.complaints()),
              "the browser says that it refused")
    finish()


if __name__ == "__main__":
    main()
