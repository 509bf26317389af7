#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What README.md shows is what the program says.

With --update, README.md is made to."""
import re
import sys

import program

README = program.ROOT / "README.md"
SCREEN = re.compile(r"(```\n\$ fabscope (analyze \S+)\n)(.*?)(```)", re.S)


class Readme(program.Case):
    def screen(self, command):
        capture = command.split()[1].rsplit("/", 1)[-1]
        (self.folder / "captures").mkdir()
        self.capture(capture)
        (self.folder / capture).rename(self.folder / "captures" / capture)
        return self.run_here(*command.split())[1].replace(program.FABSCOPE,
                                                          "fabscope")

    def test_screen_is_real(self):
        """The block after "$ fabscope analyze CAPTURE" is its output."""
        text = README.read_text()
        _, command, shown, _ = SCREEN.search(text).groups()
        out = self.screen(command)
        if "--update" in sys.argv:
            README.write_text(SCREEN.sub(lambda m: m[1] + out + m[4], text))
        else:
            self.assertEqual(out, shown)

    def test_commands_exist(self):
        names = set(re.findall(r"^  (\w+) ", self.run_here("--help")[1], re.M))
        used = set(re.findall(r"(?:^    |`|\$ )fabscope ([a-z]+)",
                              README.read_text(), re.M))
        self.assertIn("slice", used)
        self.assertLessEqual(used, names)


if __name__ == "__main__":
    program.main()
