# SPDX-License-Identifier: GPL-2.0-or-later
"""What really happened in a soft-RoCE run, as far as one tap could know it.

Everything comes from the run's JSON file and from the capture files read with
wire.py.  Where a run has two taps the fate of every single frame is known, so
what an analyst at one of them can see (a hole that a later packet proves) is
told apart from what nobody can see there (a lost tail that nothing follows).
"""
import collections
import json
import os
import re
import struct

import wire

# Operations that only continue a message.
NOT_FIRST = frozenset((1, 2, 3, 7, 8, 9, 0x16))
NAK_REACTION_NS = 10 * 10**6  # reference 3.6: later is not an answer

Key = collections.namedtuple("Key", "src dst qp")
# The sender goes back: the frame, its flow, the PSN, why.
Step = collections.namedtuple("Step", "frame key psn trigger")


def capture_file(base, tap):
    """The file of a tap, packed or not; None when there is none."""
    return next((path for path in (f"{base}.{tap}.pcap",
                                   f"{base}.{tap}.pcap.gz")
                 if os.path.exists(path)), None)


def key_of(packet):
    return Key(packet.src, packet.dst, packet.qp)


def is_request(packet):
    """Of a connected service: UD counts per sender (R24)."""
    return packet.opcode < wire.UD_CLASS and not wire.is_response(packet)


def begins_message(packet):
    return not wire.is_response(packet) and packet.opcode & 31 not in NOT_FIRST


def transmission(packet):
    """Equal for two sights of one frame on its way, and for nothing else."""
    return (packet.src, packet.ip_id, packet.opcode, packet.psn)


class Tap:
    """One capture file of one tap."""

    def __init__(self, path, told, pmtu, pairs):
        self.path, self.told, self.pmtu, self.pairs = path, told, pmtu, pairs
        stamps = [f.ns for f in wire.frames(path)]
        self.regressions = sum(b < a for a, b in zip(stamps, stamps[1:]))
        self.packets = wire.packets(path)
        self.by_frame = {p.number: p for p in self.packets}
        senders = {p.src for p in self.packets}
        self.hosts = sorted({p.src for p in self.packets
                             if p.dst in senders} or senders)
        self.retransmitted = self._retransmitted()
        self.steps = self._steps()

    def span(self, packet):
        if packet.opcode & 31 != wire.OP_READ:
            return 1
        return max(1, -(-packet.dmalen // self.pmtu))

    def requests(self):
        return [p for p in self.packets if is_request(p)]

    def naks(self):
        return [p for p in self.packets if wire.is_sequence_nak(p)]

    def rnrs(self):
        return [p for p in self.packets if wire.is_rnr(p)]

    def _retransmitted(self):
        """Frames of requests whose PSN had passed before, not network copies:
        the same definition as frames_rc_request_retransmitted."""
        seen, ids, frames = set(), set(), []
        for p in self.requests():
            if p.opcode >= 0x20:
                continue
            at = (key_of(p), p.psn)
            if at in seen and transmission(p) not in ids:
                frames.append(p.number)
            seen.add(at)
            ids.add(transmission(p))
        return frames

    def peer(self, key):
        """The key of what comes back to the requester."""
        for a, b in self.pairs:
            if key.qp == b and key.src == self.hosts[0]:
                return Key(key.dst, key.src, a)
            if key.qp == a and key.src != self.hosts[0]:
                return Key(key.dst, key.src, b)
        return None

    def _steps(self):
        """Every time a sender goes back, with the reason."""
        following, complaints, steps = {}, {}, []
        for p in self.packets:
            key = key_of(p)
            if wire.is_response(p):
                if wire.is_sequence_nak(p) or wire.is_rnr(p):
                    complaints.setdefault(key, []).append(p)
                continue
            if not is_request(p) or p.opcode >= 0x20:
                continue
            last = following.get(key)
            if last is not None and wire.serial(p.psn, last) < 0:
                heard = complaints.pop(self.peer(key), [])
                steps.append(Step(p.number, key, p.psn,
                                  self._trigger(p, heard)))
            following[key] = (p.psn + self.span(p)) & 0xFFFFFF
        return steps

    @staticmethod
    def _trigger(packet, heard):
        if packet.opcode & 31 == wire.OP_READ:
            return "implied_nak"
        heard = [h for h in heard if h.psn == packet.psn]
        if any(wire.is_rnr(h) for h in heard):
            return "rnr"
        if heard and packet.ns - heard[-1].ns <= NAK_REACTION_NS:
            return "nak"
        return "timeout"

    def retries(self):
        """Steps as the driver counts them.  A partial READ retry has a PSN
        that no request had before: its repeat of a later READ is no step."""
        return collections.Counter(s.trigger for s in self.steps)

    def news(self):
        """Request frames beyond all that had passed of their flow."""
        high, frames = {}, set()
        for p in self.requests():
            key = key_of(p)
            if key not in high or wire.serial(p.psn, high[key]) >= 0:
                frames.add(p.number)
                high[key] = (p.psn + self.span(p)) & 0xFFFFFF
        return frames

    def late_originals(self):
        """First sights of a PSN behind a higher one of the same flow, where
        the sender did not send it again: reordering (R1, RFC 4737).  With
        them the number of those below the first PSN the tap saw: whether
        the capture began between them and the first cannot be told."""
        retransmitted, seen = set(self.retransmitted), set()
        high, frames, first, below = {}, [], {}, 0
        for p in self.requests():
            key = key_of(p)
            if (key, p.psn) not in seen and p.number not in retransmitted and \
                    key in high and wire.serial(p.psn, high[key]) < 0:
                frames.append(p.number)
                below += wire.serial(p.psn, first[key]) < 0
            first.setdefault(key, p.psn)
            seen.add((key, p.psn))
            if key not in high or wire.serial(p.psn, high[key]) > 0:
                high[key] = p.psn
        return frames, below

    def message_starts(self):
        """Messages per flow: First, Only, READ and ATOMIC with a PSN that no
        earlier READ covers (a partial READ retry is no message)."""
        starts, read_to = collections.defaultdict(set), {}
        for p in self.packets:
            key = key_of(p)
            if not begins_message(p):
                continue
            if p.opcode & 31 == wire.OP_READ:
                high = read_to.get(key)
                if high is not None and wire.serial(p.psn, high) < 0:
                    continue
                read_to[key] = (p.psn + self.span(p)) & 0xFFFFFF
            starts[key].add(p.psn)
        return {key: len(psns) for key, psns in starts.items()}


class Fates:
    """What became of the frames of one direction between two taps."""

    def __init__(self, told, up, down):
        self.told, self.up, self.down = told, up, down
        self.src, self.dst = told["from"], told["to"]
        images = collections.defaultdict(list)
        for p in down.packets:
            if p.src == self.src:
                images[transmission(p)].append(p.number)
        self.image = {p.number: images[transmission(p)]
                      for p in up.packets if p.src == self.src}
        self.lost = [f for f, seen in self.image.items() if not seen]

    def lost_packets(self):
        return [self.up.by_frame[f] for f in self.lost]

    def lost_psns(self):
        return {(p.qp, p.psn) for p in self.lost_packets()}

    def retransmitted_down(self):
        """Frames at the downstream tap that the sender sent again, whether
        or not the tap saw their originals."""
        return sorted(f for r in self.up.retransmitted
                      for f in self.image.get(r, []))

    def visible(self, wanted):
        """Of lost PSNs, those the downstream tap sees a hole for: a later
        PSN of the same flow passes before the first copy that arrives."""
        high, holes, seen = {}, set(), set()
        for p in self.down.packets:
            if p.src != self.src or not wanted(p):
                continue
            at = (p.qp, p.psn)
            if at not in seen and p.qp in high and \
                    wire.serial(p.psn, high[p.qp]) < 0:
                holes.add(at)
            seen.add(at)
            if p.qp not in high or wire.serial(p.psn, high[p.qp]) > 0:
                high[p.qp] = p.psn
        return holes & self.lost_psns()

    def retransmitted_visible_down(self):
        """Of retransmitted_down(), those a tap can know: the PSN had passed, or
        a later one had."""
        known, seen, high = set(), set(), {}
        for p in self.down.packets:
            if p.src != self.src or not is_request(p):
                continue
            at = (p.qp, p.psn)
            if at in seen or (p.qp in high and
                              wire.serial(p.psn, high[p.qp]) < 0):
                known.add(p.number)
            seen.add(at)
            if p.qp not in high or wire.serial(p.psn, high[p.qp]) > 0:
                high[p.qp] = p.psn
        return sorted(known & set(self.retransmitted_down()))


class Case:
    """One run: its JSON, its taps, the fates between them."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        with open(os.path.join(folder, name + ".json"),
                  encoding="utf-8") as file:
            self.told = json.load(file)
        self.pairs = self._pairs()
        match = re.search(r" -m (\d+)", " ".join(self.told.get("commands", [])))
        pmtu = int(match.group(1)) if match else 1024
        self.taps = {}
        for tap, told in self.told.get("tap", {}).items():
            path = capture_file(os.path.join(folder, name), tap)
            if path:
                pairs = self.pairs + cm_pairs(path)
                self.taps[tap] = Tap(path, told, pmtu, sorted(set(pairs)))
        self.fates = [Fates(told, self.taps[told["upstream_tap"]],
                            self.taps[told["downstream_tap"]])
                      for told in self.told.get("between_taps", [])
                      if told["upstream_tap"] in self.taps
                      and told["downstream_tap"] in self.taps]

    def _pairs(self):
        """(QP of host A, QP of host B) of every connection of the run."""
        pairs = []
        for run in self.told.get("runs", []):
            ends = {"local": [], "remote": []}
            for line in run["qps"]:
                side, number = re.match(r"(\w+) QPN (0x[0-9a-f]+)",
                                        line).groups()
                ends[side].append(int(number, 16))
            pairs += zip(ends["local"], ends["remote"])
        return pairs

    def counter(self, device, name):
        return self.told["hw_counters_delta"][device].get(name, 0)

    def complete(self):
        """False when a tap of the run is not in the folder."""
        return len(self.fates) == len(self.told.get("between_taps", []))

    def fate(self, src_tap):
        """What left towards the fault through |src_tap|."""
        return next((f for f in self.fates
                     if f.told["upstream_tap"] == src_tap), None)


def cm_pairs(path):
    """Connections made by CM in the capture itself: REQ and REP joined by
    communication id (reference 1.9)."""
    requests, pairs = {}, []
    for frame in wire.frames(path):
        p = wire.decode(frame)
        if p is None or p.opcode != 0x64 or p.qp != 1:
            continue
        mad = frame.data[14 + 20 + 8 + 20:]  # IPv4, no VLAN, BTH 12, DETH 8
        if len(mad) < 256 or mad[1] != 7:
            continue
        attribute, = struct.unpack_from(">H", mad, 16)
        data = mad[24:]
        local, remote = struct.unpack_from(">II", data)
        if attribute == 0x10:
            requests[local] = struct.unpack_from(">I", data, 32)[0] >> 8
        elif attribute == 0x13 and remote in requests:
            pairs.append((requests[remote],
                          struct.unpack_from(">I", data, 12)[0] >> 8))
    return pairs
