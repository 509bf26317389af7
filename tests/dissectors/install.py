#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Installing the plugin: below a prefix, for a user; and away."""
import os
import pathlib
import re
import subprocess
import unittest

import plugin

CMAKE, BUILD = os.environ.get("CMAKE"), os.environ.get("BUILD")


def as_user(home, *words):
    user = plugin.NOBODY if os.getuid() == 0 else None
    return subprocess.run(
        words, capture_output=True, text=True, user=user, group=user,
        extra_groups=[] if user else None, check=False,
        env={**os.environ, "HOME": str(home)})


CELL = r'"((?:[^"\\]|\\x[0-9a-f]{2})*)"'
STYLES = ("Line", "Impulse", "Bar", "Dot", "Diamond", "Cross")


def table(path, columns):
    """The rows of one of Wireshark's tables; a quote in a cell is \\x22."""
    rows = []
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        found = re.fullmatch(",".join([CELL] * columns), line)
        if not found:
            raise AssertionError(f"{path}: {line}")
        rows.append([cell.replace(r"\x22", '"') for cell in found.groups()])
    return rows


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*")
                  if not p.is_dir())


class Install(plugin.Case):
    def home(self):
        home = self.folder / "home"
        home.mkdir()
        if os.getuid() == 0:
            os.chown(home, plugin.NOBODY, plugin.NOBODY)
        return home

    def test_for_a_user(self):
        home = self.home()
        done = as_user(home, plugin.FABSCOPE, "wireshark", "--install")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(done.stdout.split()),
                         [str(home / name) for name in files(home)])
        self.assertEqual(len(files(home)), 6)
        path = self.capture(plugin.CAPTURES / "d12_drop_tail_timeout.pa.pcap")
        shown = plugin.tshark("-C", "fabscope", "-r", path, plugins="",
                              home=home)
        self.assertEqual(shown[0], 0, shown[2])
        # the columns of the profile: flow, PSN, message, packet, of
        self.assertRegex(shown[1], r"\n +73 .* 1 +56 +8 +retransmission +65 ")
        again = as_user(home, plugin.FABSCOPE, "wireshark", "--install")
        self.assertEqual(again.returncode, 0)
        done = as_user(home, plugin.FABSCOPE, "wireshark", "--uninstall")
        self.assertEqual((done.returncode, files(home)), (0, []))

    def test_wrong_usage(self):
        done = as_user(self.home(), plugin.FABSCOPE, "wireshark")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--install", done.stderr)

    def test_a_home_that_refuses(self):
        done = as_user("/proc", plugin.FABSCOPE, "wireshark", "--install")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_profile_is_understood(self):
        """Each colour rule, button and graph is a filter tshark takes, and
        each file is written as Wireshark reads it."""
        path = self.capture(plugin.CAPTURES / "d04_write_lat.pa.pcap")
        profile = plugin.ROOT / "dissectors" / "profile"
        rules = [line.split("@")[2] for line in
                 (profile / "colorfilters").read_text().splitlines()
                 if line.startswith("@")]
        for row in table(profile / "dfilter_buttons", 4):
            rules.append(row[2])
        graphs = table(profile / "io_graphs", 9)
        for row in graphs:
            self.assertIn(row[4], STYLES)
            self.assertEqual(row[5] == "Packets", not row[6], row)
            rules.append(row[2])
            rules += [row[6]] if row[6] else []
        columns = re.findall(r'"(%[^":]+(?::[^":]+)?)',
                             (profile / "preferences").read_text())
        widths = re.findall(r"(%[^,]+), (\d+)",
                            (profile / "recent").read_text())
        self.assertLessEqual({c for c, _ in widths}, set(columns))
        # "retransmitted (implied NAK)" in a font of 8 pixels
        self.assertGreater(int(dict(widths)["%Cus:fabscope.verdict"]), 210)
        self.assertGreater(len(graphs), 10)
        self.assertGreater(len(rules), 30)
        every = " || ".join(f"({rule})" for rule in rules)
        status, _, err = plugin.tshark("-r", path, "-c", "1", "-Y", every)
        self.assertEqual((status, err), (0, ""))

    @unittest.skipUnless(CMAKE and BUILD, "no build folder")
    def test_below_a_prefix(self):
        prefix = self.folder / "prefix"
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix],
                       check=True, capture_output=True)
        found = files(prefix)
        self.assertEqual(len([n for n in found
                              if n.endswith("epan/fabscope.so")]), 1)
        self.assertIn("share/wireshark/profiles/fabscope/colorfilters", found)
        # what was installed there installs itself for a user as well
        home = self.home()
        done = as_user(home, prefix / "bin" / "fabscope", "wireshark",
                       "--install")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        subprocess.run([CMAKE, f"-DBUILD={BUILD}", "-P",
                        plugin.ROOT / "cmake" / "Uninstall.cmake"],
                       check=True, capture_output=True)
        self.assertEqual(files(prefix), [])

    def test_another_version_is_refused_with_a_sentence(self):
        """The same plugin, saying that it is for a Wireshark to come."""
        here = next(pathlib.Path(plugin.PLUGINS).glob("*/epan/fabscope.so"))
        version = here.parts[-3]
        names = subprocess.run(["nm", "-D", here], capture_output=True,
                               text=True, check=True).stdout
        at = next(int(line.split()[0], 16) for line in names.splitlines()
                  if line.endswith(" plugin_want_minor"))
        octets = bytearray(here.read_bytes())
        minor = int(version.split(".")[1])
        self.assertEqual(int.from_bytes(octets[at:at + 4], "little"), minor)
        octets[at:at + 4] = (minor + 1).to_bytes(4, "little")
        other = self.folder / "plugins" / version / "epan" / "fabscope.so"
        other.parent.mkdir(parents=True)
        other.write_bytes(octets)
        path = self.capture(plugin.CAPTURES / "d04_write_lat.pa.pcap")
        status, out, err = plugin.tshark("-r", path, "-c", "1",
                                         plugins=self.folder / "plugins")
        self.assertEqual(status, 0)
        self.assertIn("fabscope", err)
        self.assertIn(f"{version.split('.')[0]}.{minor + 1}", err)
        self.assertIn("RRoCE", out)


if __name__ == "__main__":
    plugin.main()
