#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Headers that Wireshark does not know: every field of every frame as the
program has it, and what comes behind them dissected by Wireshark."""
import json
import os
import unittest

import plugin

# The protocol, the prefixes of its headers; of UET one name serves all forms.
PROTOCOLS = {
    "uet": ("uet", "pds", "ses", "cp", "tss", "entropy"),
    "ifa": ("ifa",), "int": ("int",), "csig": ("csig",), "uec": ("uec",),
}
FLAT = ("uet",)
# scenario: protocol that must be seen, protocol that must follow it
SCENARIOS = {
    "ifa": ("ifa", "infiniband"), "int": ("int", "infiniband"),
    "csig": ("csig", "infiniband"), "uec_cbfc": ("uec", None),
    "uet_small_ses": ("uet", None), "uet_rud_sack": ("uet", None),
    "uet_native_v6": ("uet", None),
}
MORE = ("uet_rudi", "uet_uud", "uet_rccc", "uet_trim_incast",
        "uet_close_reuse", "uet_and_roce", "uet_rod_loss")


def filter_name(header, field):
    for protocol, prefixes in PROTOCOLS.items():
        for prefix in prefixes:
            rest = header.removeprefix(prefix)
            if rest == header or rest[:1].isalpha():
                continue
            name = protocol if prefix == protocol else f"{protocol}.{prefix}"
            if prefix == protocol and protocol not in FLAT:
                kind = rest[1:] if rest[:1] == "_" else header if rest else ""
                name += f".{kind}" if kind else ""
            return f"{name}.{field}"
    return None


def value(cell):
    """A number, or the hex digits of octets."""
    if isinstance(cell, bool):
        return int(cell)
    if not isinstance(cell, str):
        return cell
    cell = cell.split(" (")[0]
    if cell in ("True", "False"):
        return int(cell == "True")
    try:
        return int(cell, 0)
    except ValueError:
        return cell


def program_says(path):
    """frame -> filter name -> values, in the order of the frame."""
    frames, names = {}, {}
    for line in plugin.fabscope("decode", "--json", path).splitlines():
        packet = json.loads(line)
        fields = frames.setdefault(packet["frame"], {})
        for part in packet["parts"]:
            for field, cell in part.get("fields", {}).items():
                name = filter_name(part["name"], field)
                # zeros are not written out
                if name and not str(cell).endswith(" zeros") and \
                        "octets)" not in str(cell):
                    fields.setdefault(name, []).append(value(cell))
                    names[name] = True
    return frames, list(names)


class Chain(plugin.Case):
    def check(self, name, first=None, then=None):
        path = self.simulate(name)
        ours, names = program_says(path)
        theirs = plugin.fields(path, [*names, "frame.protocols"])
        seen = followed = 0
        for frame, cells in theirs.items():
            protocols = cells.pop("frame.protocols")[0].split(":")
            seen += first in protocols
            followed += first in protocols and then in protocols
            cells = {key: [value(cell) for cell in cell_list]
                     for key, cell_list in cells.items()}
            raw = [key for key in cells if key not in ours[frame]]
            for key in raw:  # zeros, see above
                self.assertEqual(set(str(cells[key][0])), {"0"})
            self.assertEqual((frame, ours[frame]), (
                frame, {k: v for k, v in cells.items() if k not in raw}))
        return seen, followed, len(names)

    def test_scenarios(self):
        for name, (first, then) in SCENARIOS.items():
            with self.subTest(name):
                seen, followed, names = self.check(name, first, then)
                print(f"{name}: {names} fields", flush=True)
                if name != "uet_native_v6":
                    self.assertGreater(seen, 2)
                if then:
                    self.assertEqual(seen, followed)

    @unittest.skipUnless(os.environ.get("FABSCOPE_ALL"), "FABSCOPE_ALL=1")
    def test_more(self):
        for name in MORE:
            with self.subTest(name):
                self.check(name)

    def test_mac_control_is_wiresharks(self):
        path = self.simulate("heavy_pause")
        with_us = plugin.fields(path, ["macc.opcode", "macc.pause_time"],
                                "-Y", "macc")
        without = plugin.fields(path, ["macc.opcode", "macc.pause_time"],
                                "-Y", "macc", plugins="")
        self.assertEqual(with_us, without)
        self.assertGreater(len(without), 2)

    def test_other_things_on_these_ports_are_left_alone(self):
        """Noise to UDP 4793 and to IP protocol 253 is data."""
        frames = []
        for n in range(40):
            noise = bytes((n * 37 + i * 101) % 251 for i in range(48))
            udp = bytes.fromhex("c00112b9") + (8 + 48).to_bytes(2, "big") + \
                bytes(2) + noise
            for protocol, rest in ((17, udp), (253, noise)):
                ip = bytes.fromhex("4500") + \
                    (20 + len(rest)).to_bytes(2, "big") + bytes(4) + \
                    bytes((64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2))
                frames.append(bytes(12) + b"\x08\x00" + ip + rest)
        path = self.folder / "noise.pcap"
        path.write_bytes(plugin.pcap(frames))
        path.chmod(0o644)
        kinds = [json.loads(line)["kind"] for line in
                 plugin.fabscope("decode", "--json", path).splitlines()]
        shown = plugin.fields(path, ["frame.protocols"])
        for frame, kind in enumerate(kinds, 1):
            protocols = shown[frame]["frame.protocols"][0].split(":")
            self.assertEqual((frame, "uet" in protocols),
                             (frame, kind == "uet"))


if __name__ == "__main__":
    plugin.main()
