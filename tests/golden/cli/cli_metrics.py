#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""OpenMetrics: a text that an independent reader accepts, numbers that are
those of the database, an endpoint that stays up whatever clients do, and a
dashboard that asks only for what there is."""
import contextlib
import http.client
import json
import re
import socket
import sqlite3
import subprocess
import time
import unittest

import program

parser = program.module("prometheus_client.openmetrics.parser")

DASHBOARD = program.ROOT / "docs" / "grafana-dashboard.json"


def samples(text):
    """(name, labels) -> value, read by the client library of Prometheus."""
    return {(s.name, tuple(sorted(s.labels.items()))): s.value
            for family in parser.text_string_to_metric_families(text)
            for s in family.samples}


class Metrics(program.Case):
    def database(self, capture="d11_drop_every_400.pa.pcap"):
        self.capture(capture)
        self.run_here("analyze", "-o", "x.db", capture)
        return self.folder / "x.db"

    def text(self):
        status, out, err = self.run_here("export", "x.db", "--format",
                                         "openmetrics")
        self.assertEqual(status, 0, err)
        return out

    @unittest.skipUnless(parser, "no python3-prometheus-client")
    def test_the_numbers_of_the_database(self):
        path = self.database()
        found = samples(self.text())
        with sqlite3.connect(path) as db:
            for severity, rule, count in db.execute(
                    "SELECT severity, rule, count(*) FROM finding "
                    "GROUP BY 1, 2"):
                self.assertEqual(found["fabscope_findings", (
                    ("rule", rule), ("severity", severity))], count)
            tap, name, roce, lost = db.execute(
                "SELECT t.id, name, packets_roce, lost FROM tap t "
                "JOIN coverage c ON c.tap_id = t.id").fetchone()
        key = (("name", name), ("tap", str(tap)))
        self.assertGreater(lost, 0)
        self.assertEqual(found["fabscope_lost_packets", key], lost)
        self.assertEqual(found["fabscope_packets_total", (
            ("kind", "roce"), *key)], roce)
        # what this capture does not say has no sample, not even 0
        for unknown in ("fabscope_dropped_packets_total",
                        "fabscope_link_speed_bits_per_second",
                        "fabscope_paused_seconds",
                        "fabscope_live_received_packets_total"):
            self.assertFalse([k for k in found if k[0] == unknown])

    @unittest.skipUnless(parser, "no python3-prometheus-client")
    def test_hostile_names_and_too_many(self):
        path = self.database()
        name = "a\"b\\c\nd \x1b[31m}\x00"
        with sqlite3.connect(path) as db:
            db.execute("UPDATE tap SET name = ?", (name,))
            db.execute("INSERT INTO finding(rule, severity, title) "
                       "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                       "WHERE i < 700) SELECT 'r' || i, 'info', '' FROM n")
        found = samples(self.text())
        names = {dict(labels).get("name") for _, labels in found}
        self.assertIn(name.split("\0")[0], names)
        self.assertEqual(len([k for k in found
                              if k[0] == "fabscope_findings"]), 500)
        self.assertGreater(found["fabscope_samples_not_exported", ()], 200)

    def test_labels_are_bounded(self):
        """No queue pair, address or flow is a label."""
        names = set()
        for path in (program.ROOT / "queries" / "export" / "metrics").glob("*.sql"):
            columns = re.findall(r"^-- column (\w+) ", path.read_text(), re.M)
            self.assertIn("value", columns, path)
            names |= set(columns)
        self.assertEqual(names, {
            "value", "tap", "name", "kind", "severity", "rule", "priority",
            "level", "transport", "what", "job", "who", "rows_of", "scope",
            "verdict", "class", "side"})

    def metrics_there_are(self):
        out = self.run_here("query", "--list", "--all")[1]
        return {"fabscope_" + name.replace("-", "_")
                for name in re.findall(r"^  metrics/(\S+)", out, re.M)}

    def test_the_dashboard_asks_for_what_there_is(self):
        board = json.loads(DASHBOARD.read_text())
        asked = [target["expr"] for panel in board["panels"]
                 for target in panel["targets"]]
        asked += [v["query"] for v in board["templating"]["list"]]
        used = set(re.findall(r"fabscope_\w+", " ".join(asked)))
        self.assertGreater(len(used), 10)
        self.assertLessEqual(used, self.metrics_there_are())
        # a rate of what is no counter is none, except of sums that only grow
        for counter in re.findall(r"rate\((\w+)", " ".join(asked)):
            self.assertRegex(counter, "_total$|pause")
        panels = board["panels"]
        self.assertEqual(len({p["id"] for p in panels}), len(panels))
        variables = {v["name"] for v in board["templating"]["list"]}
        self.assertLessEqual(set(re.findall(r"\$(\w+)", " ".join(asked))),
                             variables)
        for p in panels:
            at = p["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24)
            self.assertTrue(p["title"] and p["description"])

    def test_the_page_names_all(self):
        page = (program.ROOT / "docs" / "metrics.md").read_text()
        for name in self.metrics_there_are():
            self.assertIn(f"`{name}`", page)

    # ---- the endpoint ----

    @contextlib.contextmanager
    def listening(self, where="127.0.0.1:0"):
        server = subprocess.Popen(
            [program.FABSCOPE, "export", "x.db", "--format", "openmetrics",
             "--listen", where], cwd=self.folder, stderr=subprocess.PIPE)
        try:
            line = server.stderr.readline().decode()
            yield int(re.search(r"port (\d+)", line)[1])
        finally:
            server.kill()
            server.communicate()

    def get(self, port, path="/metrics", method="GET", body=None,
            source="127.0.0.9"):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=60,
                                       source_address=(source, 0))
        with contextlib.closing(c):
            c.request(method, path, body)
            answer = c.getresponse()
            return answer.status, answer.getheader("content-type"), \
                answer.read().decode()

    def test_endpoint(self):
        self.database()
        with self.listening() as port:
            status, kind, text = self.get(port)
            self.assertEqual((status, kind), (
                200, "application/openmetrics-text; version=1.0.0; "
                     "charset=utf-8"))
            self.assertEqual(text, self.text())
            self.assertEqual(self.get(port, method="HEAD")[::2], (200, ""))
            self.assertIn("metrics", self.get(port, "/")[2])
            for path in ("/../x.db", "/metrics/", "/%2e", "//metrics"):
                self.assertEqual(self.get(port, path)[0], 404)
            for method in ("POST", "DELETE", "PUT"):
                self.assertEqual(self.get(port, method=method,
                                          body="x" * 100)[0], 405)
            self.assertEqual(self.get(port, body="x" * 100000)[2], text)

    def test_hostile_clients(self):
        """Half requests that never end, more connections than it takes,
        headers without end, octets that are no HTTP: others are served."""
        self.database()
        with self.listening() as port, contextlib.ExitStack() as stack:
            def connect():
                return stack.enter_context(contextlib.closing(
                    socket.create_connection(("127.0.0.1", port), 60)))
            for _ in range(100):
                with contextlib.suppress(OSError):
                    connect().sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nA")
            self.assertEqual(self.get(port)[0], 200)
        with self.listening() as port:
            for octets in (b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 1000000,
                           b"GET /" + b"z" * 100000, bytes(range(256)) * 100,
                           b"\r\n" * 50000, b"A: b\r\n" * 10000):
                c = socket.create_connection(("127.0.0.1", port), 60)
                with contextlib.closing(c), contextlib.suppress(OSError):
                    c.sendall(octets)
                    c.shutdown(socket.SHUT_WR)
                    while c.recv(65536):
                        pass
                self.assertEqual(self.get(port)[0], 200)

    def test_an_address_does_not_block_itself(self):
        """Half requests of one address do not keep its next one out."""
        self.database()
        with self.listening() as port, contextlib.ExitStack() as stack:
            for _ in range(40):
                c = stack.enter_context(contextlib.closing(
                    socket.create_connection(("127.0.0.1", port), 60)))
                with contextlib.suppress(OSError):
                    c.sendall(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            begun = time.monotonic()
            self.assertEqual(self.get(port, source="127.0.0.1")[0], 200)
            self.assertLess(time.monotonic() - begun, 10)

    def test_names_that_lead_here(self):
        """On the loopback, a page of another name is not answered."""
        self.database()
        with self.listening() as port:
            for host, status in (("evil.example", 421), ("localhost", 200),
                                 (f"127.0.0.1:{port}", 200), ("[::1]:1", 200),
                                 ("[::1].evil.example", 421), ("[::1", 421),
                                 ("127.0.0.1.evil.example", 421), ("", 421)):
                with contextlib.closing(http.client.HTTPConnection(
                        "127.0.0.1", port, timeout=60)) as c:
                    c.request("GET", "/metrics", headers={"Host": host})
                    self.assertEqual(c.getresponse().status, status, host)
        with self.listening("0.0.0.0:0") as port:
            with contextlib.closing(http.client.HTTPConnection(
                    "127.0.0.1", port, timeout=60)) as c:
                c.request("GET", "/metrics", headers={"Host": "node5"})
                self.assertEqual(c.getresponse().status, 200)

    def test_a_database_that_goes_and_comes(self):
        path = self.database()
        with self.listening() as port:
            path.rename(self.folder / "y.db")
            status, _, text = self.get(port)
            self.assertEqual(status, 503)
            self.assertIn("x.db", text)

    def test_refusals(self):
        self.database()
        for where in ("nowhere", "1.2.3.4.5:1", "::1:80", "127.0.0.1:99999",
                      "127.0.0.1:", "[127.0.0.1]:1", "host.example:80"):
            status, _, err = self.run_here("export", "x.db", "--format",
                                           "openmetrics", "--listen", where)
            self.assertEqual(status, 2, where)
            self.one_line(err)
        status, _, err = self.run_here("export", "x.db", "--format", "csv",
                                       "--listen", "127.0.0.1:0")
        self.assertEqual(status, 2)
        with self.listening() as port:
            status, _, err = self.run_here(
                "export", "x.db", "--format", "openmetrics", "--listen",
                f"127.0.0.1:{port}")
            self.assertEqual(status, 1)
            self.assertIn("in use", err)


if __name__ == "__main__":
    program.main()
