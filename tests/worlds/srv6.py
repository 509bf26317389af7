#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A fabric with SRv6: the flows must be what they are without it, and paths
what was written into the packets.

    srv6.py FABSCOPE

Captures of a simulated fabric are turned into IPv6, four times: as they are;
with a list of segments as destination (RFC 9800, another one at each capture
point and for each of four spines); and with such a header around the packet,
once more as MRC, with SACKs and NACKs in the place of ACKs and with another
source port for each path: what they say is counted.
What fabscope says of flows and losses may not differ.  How many packets went
over each path was counted here, when they were written; the marks that only
the outer header has are counted as well."""
import collections
import os
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "softroce"))
import wire  # noqa: E402

BLOCK = struct.pack("!HH", 0xfcbb, 0xbb00)
SPINES = 4
FLOW = ("src", "dst", "dst_qp", "transport", "packets", "payload_bytes",
        "messages", "peer_flow_id", "expected", "lost_upstream",
        "lost_downstream_min", "lost_downstream_max", "unresolved",
        "retransmitted", "reordered", "nak_seq", "timeouts", "ect", "ce")


def host_address(ip):
    """A plain address of the host, and its 16 bits in a list."""
    number = (ip[2] << 8 | ip[3]) + 1
    return number, BLOCK + struct.pack("!H", number) + bytes(10)


def segments(number, spine, passed):
    words = [0x4000 + spine * 2, 0x5000 + spine][passed:] + [number]
    return (BLOCK + b"".join(struct.pack("!H", w) for w in words)).ljust(
        16, b"\0")


def header(traffic, length, following, hops, src, dst, label=0):
    return struct.pack("!IHBB", 6 << 28 | traffic << 20 | label, length,
                       following, hops) + src + dst


def with_icrc(ip, udp, packet):
    """|packet| with the ICRC of the BTH behind |ip|: IBTA annex A17."""
    head = bytearray(ip)
    head[0] |= 0x0f
    head[1:4] = b"\xff" * 3
    head[7] = 0xff
    shown = bytearray(udp)
    shown[6:8] = b"\xff\xff"
    body = bytearray(packet[:-4])
    body[4] = 0xff
    crc = zlib.crc32(b"\xff" * 8 + bytes(head) + bytes(shown) + bytes(body))
    return ip + udp + packet[:-4] + struct.pack("<I", crc & 0xffffffff)


# What is no more than counted: column of table mrc by reason.
REASONS = {1: "trimmed", 2: "trimmed_lasthop", 6: "no_bitmap", 7: "no_buffer",
           10: "no_resource", 11: "out_of_window", 25: "unexpected",
           99: "other_reasons"}
MRC = ("data", "retransmitted", "sacks", "skip_once", "always_skip",
       "probe_replies", "nacks", *REASONS.values(), "most_penalty",
       "entropies")


class Mrc:
    """Packets of RC as those of MRC, and what they say."""

    def __init__(self):
        self.said = collections.defaultdict(collections.Counter)
        self.seen = set()
        self.entropies = collections.defaultdict(set)

    def data(self, said, packet, key):
        at = 28 if packet[0] in (0x06, 0x0a, 0x0b) else 12
        psn = packet[9:12]
        again = (key, psn) in self.seen
        self.seen.add((key, psn))
        stamped = psn[2] % 2
        said["data"] += 1
        said["retransmitted"] += again
        bth = bytearray(packet[:12])
        bth[0] = 0xc6 + packet[0] % 6
        bth[8] |= 0x20 * again | 0x10 * stamped
        return bytes(bth) + b"\0\1\0\2" + b"\1\2\0\1" * stamped + \
            struct.pack("!QII", 1 << 40, 7, 4096) + packet[at:]

    def answer(self, said, packet):
        psn = int.from_bytes(packet[9:12], "big")
        bth = packet[1:12]
        if packet[12] & 0x60 == 0x60 or psn % 5 == 0:
            reason = list(REASONS)[psn % len(REASONS)]
            said["nacks"] += 1
            said[REASONS[reason]] += 1
            return b"\xdd" + bth + struct.pack(
                "!HBBIHHIBBH", 0, reason, 0, 0x12345678, 0, 0, psn, 0x20, 0,
                9) + packet[-4:]
        path, probe, penalty = psn % 3, psn % 7 == 0, psn % 128
        said["sacks"] += 1
        said["skip_once"] += path == 1
        said["always_skip"] += path == 2
        said["probe_replies"] += probe
        said["most_penalty"] = max(said["most_penalty"], penalty)
        return b"\xdc" + bth + struct.pack(
            "!HhIHHIBBhQHHI", path << 5 | probe << 1, -3, 0x12345678, 0, 0,
            psn, 0, 4, 1, 0xff00ff, 77, 5, penalty << 24 | 1000) + packet[-4:]

    def packet(self, key, packet):
        said = self.said[key]
        if packet[0] <= 0x0b:
            return self.data(said, packet, key)
        return self.answer(said, packet) if packet[0] == 0x11 else None


class Writer:
    def __init__(self, way):
        self.way = way
        self.mrc = Mrc()
        # (capture point, sender, receiver, QP, list): packets
        self.sent = collections.Counter()
        self.marked = collections.Counter()

    def frame(self, at, data):
        """The frame in this way; None: it is no RoCE over IPv4."""
        if data[12:14] != b"\x08\x00" or data[14] != 0x45 or data[23] != 17:
            return None
        udp, packet = data[34:42], data[42:]
        if struct.unpack_from("!H", udp, 2)[0] != 4791:
            return None
        traffic, hops = data[15], data[22]
        number, src = host_address(data[26:30])
        to, dst = host_address(data[30:34])
        qp = int.from_bytes(packet[5:8], "big")
        spine = (int.from_bytes(packet[9:12], "big") + qp) % SPINES
        way = segments(to, spine, at)
        label = 0
        if self.way == "mrc":
            key = (at, *(socket.inet_ntop(socket.AF_INET6, a)
                         for a in (src, dst)), qp)
            label = 0x54321 + int.from_bytes(packet[9:12], "big") % 90
            packet = self.mrc.packet(key, packet)
            if not packet:
                return None
            values = self.mrc.entropies[key]
            values.add((label, spine))
            self.mrc.said[key]["entropies"] = len(values)
            udp = struct.pack("!HHHH", 0xc000 + spine, 4791,
                              len(udp) + len(packet), 0)
        # the sender writes it inside, outside or in both headers
        inside, outside = ((label, 0), (0, label), (label, label))[qp % 3]
        inner = header(traffic, len(udp) + len(packet), 17, hops, src, dst,
                       inside)
        out = with_icrc(inner, udp, packet)
        if self.way == "bare":
            # an address of the host that its segment leads to
            own = src[:15] + b"\x01"
            out = header(traffic, len(udp) + len(packet), 17, hops, own,
                         way) + out[40:]
        elif self.way in ("around", "mrc"):
            # switches mark outside
            if traffic & 3 == 3:
                out = bytearray(out)
                out[1] = out[1] & 0xcf | 0x20
            out = header(traffic, len(out), 41, hops, src, way,
                         outside) + bytes(out)
        key = (at, socket.inet_ntop(socket.AF_INET6, src),
               socket.inet_ntop(socket.AF_INET6, dst), qp,
               socket.inet_ntop(socket.AF_INET6, way))
        self.sent[key] += 1
        self.marked[key] += traffic & 3 == 3
        return data[:12] + b"\x86\xdd" + out


    def packets_of_flows(self):
        sums = collections.Counter()
        for (*flow, _), n in self.sent.items():
            sums[tuple(flow) + ("MRC",)] += n
        return sorted(key + (n,) + tuple(self.mrc.said[key[:4]][c] for c in MRC)
                      for key, n in sums.items())


def convert(way, files, folder):
    writer, out = Writer(way), []
    for at, file in enumerate(files):
        out.append(os.path.join(folder, f"{way}{at}.pcap"))
        with open(out[-1], "wb") as to:
            to.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
            for frame in wire.frames(file):
                data = writer.frame(at, frame.data)
                if data:
                    to.write(struct.pack("<IIII", frame.ns // 10**9,
                                         frame.ns % 10**9, len(data),
                                         len(data)) + data)
    return writer, out


def analyse(fabscope, name, files):
    db = os.path.join(os.path.dirname(files[0]), name + ".db")
    named = [w for i, f in enumerate(files) for w in ("--tap", f"t{i}={f}")]
    done = subprocess.run([fabscope, "analyze", "-o", db] + named,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name}: {done.stdout}{done.stderr}")
    return sqlite3.connect(db)


def flows(db):
    return sorted(db.execute(
        f"SELECT tap_id, {', '.join(FLOW)} FROM flow").fetchall(), key=str)


def counted(db):
    return sorted(db.execute(
        "SELECT f.tap_id - 1, f.src, f.dst, f.dst_qp, f.transport, f.packets, "
        f"{', '.join('m.' + c for c in MRC)} FROM flow f "
        "LEFT JOIN mrc m ON m.flow_id = f.id"))


def paths(db):
    return {tuple(row[:5]): tuple(row[5:]) for row in db.execute(
        "SELECT f.tap_id - 1, f.src, f.dst, f.dst_qp, p.segments, p.packets, "
        "p.ce FROM srv6_path p JOIN flow f ON f.id = p.flow_id")}


def expect(what, have, want):
    if have == want:
        return 0
    both = set(map(str, have)) & set(map(str, want))
    print(f"{what}: differ")
    for sign, rows in (("-", want), ("+", have)):
        for row in [r for r in map(str, rows) if r not in both][:5]:
            print(f"  {sign} {row}")
    return 1


def one(fabscope, scenario, seed, folder):
    base = os.path.join(folder, "made.pcapng")
    subprocess.run([fabscope, "simulate", "-f", "--seed", str(seed), "--each-tap",
                    "-w", base, scenario], check=True, capture_output=True)
    files = sorted(os.path.join(folder, f) for f in os.listdir(folder)
                   if f.startswith("made") and f.endswith(".pcapng"))
    files = [f for f in files if f != base] or files
    _, plain = convert("plain", files, folder)
    want = flows(analyse(fabscope, "plain", plain))
    wrong = 0
    if not want:
        print(f"{scenario}: no flows")
        wrong += 1
    for way in ("bare", "around", "mrc"):
        writer, made = convert(way, files, folder)
        db = analyse(fabscope, way, made)
        name = f"{scenario}, {way}"
        if way == "mrc":
            wrong += expect(f"{name}: flows", counted(db),
                            writer.packets_of_flows())
        else:
            wrong += expect(f"{name}: flows", flows(db), want)
        wrong += expect(f"{name}: paths", sorted(paths(db).items()),
                        sorted((key, (n, writer.marked[key]))
                               for key, n in writer.sent.items()))
        print(f"{name}: {len(want)} flows, {len(writer.sent)} paths, "
              f"{sum(writer.marked.values())} marks")
    return wrong


def main():
    fabscope = os.path.abspath(sys.argv[1])
    wrong = 0
    made = sys.argv[2:] or ("two_taps", "incast_dcqcn", "superspine")
    for seed, scenario in enumerate(made, 3):
        with tempfile.TemporaryDirectory() as folder:
            wrong += one(fabscope, scenario, seed, folder)
    sys.exit(1 if wrong else 0)


main()
