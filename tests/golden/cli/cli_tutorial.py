#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What docs/tutorial.md shows is what the program says.

With --update, docs/tutorial.md is made to.  Blocks "console" hold commands,
behind "$ ", and what they print.  They are run one after the other in one
folder that has captures/ in it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import program

PAGE = program.ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"(```console\n)(.*?)(```\n)", re.S)


class Tutorial(program.Case):
    def setUp(self):
        super().setUp()
        if not shutil.which("sqlite3"):
            self.skipTest("sqlite3 is not installed")
        os.symlink(program.CAPTURES, self.folder / "captures")
        (self.folder / "bin").mkdir()
        os.symlink(pathlib.Path(program.FABSCOPE).resolve(),
                   self.folder / "bin" / "fabscope")

    def shell(self, command):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=self.folder,
            env={**os.environ, "PATH": path, "LC_ALL": "C", "TZ": "UTC"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
            check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.decode()

    def made(self, block):
        """The commands of |block|, with what they print now."""
        commands = re.findall(r"^\$ (.*)$", block, re.M)
        self.assertTrue(commands)
        return "".join(f"$ {c}\n{self.shell(c)}" for c in commands)

    def test_every_output_is_real(self):
        text = PAGE.read_text()
        self.assertGreater(len(BLOCK.findall(text)), 8)
        made = BLOCK.sub(lambda m: m[1] + self.made(m[2]) + m[3], text)
        if "--update" in sys.argv:
            PAGE.write_text(made)
        else:
            self.maxDiff = None
            self.assertEqual(made, text)


if __name__ == "__main__":
    program.main()
