#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/elsewhere.md shows what these programs say, and the canned queries for
Datasette answer as fabscope does.

With --update, the page is made to."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest

import program

PAGE = program.ROOT / "docs" / "elsewhere.md"
BLOCK = re.compile(r"```console\n(.*?)```", re.S)
SCRIPT = re.compile(r"in `(\w+\.mjs)`:\n\n```js\n(.*?)```", re.S)


def has_duckdb():
    return shutil.which("node") and not subprocess.run(
        ["node", "-e", "require('@duckdb/node-api')"],
        capture_output=True, check=False).returncode


class Elsewhere(program.Case):
    def shell(self, command):
        """What it prints, in a folder like that of the sources."""
        path = f"{pathlib.Path(program.FABSCOPE).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"})
        return done.stdout.decode()

    def block(self, shown):
        """The block with what its commands print now."""
        out = []
        for command in re.findall(r"^\$ (.*)$", shown, re.M):
            said = self.shell(command)
            out.append(f"$ {command}\n{said}")
            if said and not said.endswith("\n"):
                out.append("\n")
        return "".join(out)

    @unittest.skipUnless(shutil.which("sqlite3"), "no sqlite3")
    def test_the_page_is_real(self):
        text = PAGE.read_text()
        for name in ("captures", "queries"):
            (self.folder / name).symlink_to(program.ROOT / name)
        for name, script in SCRIPT.findall(text):
            self.write(name, script.encode())
            modules = os.environ.get("NODE_PATH", "").split(":")[0]
            if modules:
                (self.folder / "node_modules").symlink_to(modules)

        def now(found):
            if ("$ node" in found[1] and not has_duckdb()) or \
                    ("$ datasette" in found[1] and
                     not shutil.which("datasette")):
                return found[0]
            return f"```console\n{self.block(found[1])}```"
        page = BLOCK.sub(now, text)
        if "--update" in sys.argv:
            PAGE.write_text(page)
            return
        self.assertEqual(page, text)

    def test_canned_queries(self):
        name = self.capture("d19_ack_loss_20pct.pb.pcap")
        self.run_here("analyze", "-o", "x.y.db", name)
        status, out, err = self.run_here("export", "x.y.db", "--format",
                                         "datasette")
        self.assertEqual(status, 0, err)
        document = json.loads(out)
        self.assertEqual(list(document["databases"]), ["x.y"])
        queries = document["databases"]["x.y"]["queries"]
        missing = document["databases"]["x.y"]["description"]
        names = set(re.findall(r"^  (\S+)", self.run_here("query", "--list")[1],
                               re.M))
        # no query hides a table: Datasette would show it instead
        with sqlite3.connect(self.folder / "x.y.db") as db:
            tables = {r[0] for r in db.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table'")}
        self.assertEqual(set(queries) & tables, set())
        self.assertIn("ask-flow", queries)
        queries = {n.removeprefix("ask-"): q for n, q in queries.items()}
        self.assertGreater(len(queries), 50)
        self.assertEqual({n for n in names if n not in queries},
                         {n for n in names if re.search(
                             rf"[:,] {re.escape(n)}(,|$)", missing)})
        with sqlite3.connect(self.folder / "x.y.db") as db:
            for title, query in queries.items():
                self.assertEqual(set(query) - {"sql", "title", "description",
                                               "params"}, set())
                given = {p: "" for p in query["params"]}
                words = []
                if "id" in given and "required" in query["description"]:
                    given["id"] = "1"
                    words = ["--param", "id=1"]
                elif "required" in query["description"]:
                    continue
                if "limit" in given:
                    given["limit"] = "7"
                    words += ["--param", "limit=7"]
                have = db.execute(query["sql"], given).fetchall()
                status, out, err = self.run_here(
                    "query", "x.y.db", title, "--format", "json", *words)
                self.assertEqual(status, 0, err)
                want = [tuple(row.values()) for row in json.loads(out)]
                self.assertEqual(len(have), len(want), title)
                for a, b in zip(have, want):
                    for x, y in zip(a, b):
                        self.assertEqual(
                            json.loads(x) if isinstance(y, (dict, list))
                            else x, y, title)


if __name__ == "__main__":
    program.main()
