#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks at every scenario's capture with eyes that are not fabscope's.

A pcapng reader, the IPv4 checksum, the ICRC (zlib.crc32) and UET's CRC-32C
and lengths are written here anew; tshark, where there is one, must find nothing malformed: it
starts once, for the beginnings of all captures behind each other.  The
truth must add up: sent = delivered + dropped + in flight, and as many packets
in the file as the taps say they copied.  Each of its keys is in
docs/truth-schema.md.

    outside.py --simulate PROGRAM --scenarios DIR [--tshark TSHARK] [NAME]...
"""
import argparse
import bisect
import collections
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zlib

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../../../docs/truth-schema.md")) as page:
    WORDS = set(re.findall(r"\w+", page.read()))
ONE_IN = 8  # checksums of Ultra Ethernet that are computed where none is damaged
HEADS = 3000  # packets of a capture of heads alone: all look alike
MOST = 10000  # packets that tshark reads where none is trimmed
ETH, VLAN, IPV4, IPV6 = 14, 0x8100, 0x0800, 0x86dd
ROCE, UET, IFA, CSIG, INT_PORT = 4791, 4793, 253, 0x9900, 5000
PDS_BYTES = {2: 12, 3: 12, 4: 8, 5: 8, 6: 4, 7: 12, 8: 32, 10: 16, 11: 16,
             13: 16, 14: 16}
SES_BYTES = {0: 0, 1: 20, 2: 32, 3: 44, 4: 12, 5: 20, 6: 12}
RENDEZVOUS, ATOMICS, CSWAPS = (6, 10), (3, 4, 13, 14), range(13, 19)
NO_PAYLOAD = (2, 12)  # READ, DEFERRABLE_RTR
CASTAGNOLI = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
    CASTAGNOLI.append(i)


def packets(path):
    """(time, captured octets, length on the wire) of each block."""
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 6:
            _, high, low, cap, wire = struct.unpack_from("<5I", data, at + 8)
            yield high << 32 | low, data[at + 28:at + 28 + cap], wire
        assert struct.unpack_from("<I", data, at + size - 4)[0] == size
        at += size
    assert at == len(data)


def peel(frame):
    """The mirrored frame out of ERSPAN or VXLAN, or the frame itself."""
    if frame[26:28] != b"\x0a\xff" or frame[12:14] != b"\x08\x00":
        return frame
    assert checksum_right(frame[14:34])
    if frame[23] == 47:
        proto = struct.unpack_from(">H", frame, 36)[0]
        return frame[34 + 8 + {0x88be: 8, 0x22eb: 12}[proto]:]
    assert struct.unpack_from(">H", frame, 36)[0] == 4789
    return frame[50:]


def checksum_right(header):
    total = sum(struct.unpack(">%dH" % (len(header) // 2), header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total == 0xffff


def icrc(ip, udp):
    """Of the packet with IP header |ip|, from UDP to before the ICRC."""
    ip, udp = bytearray(ip), bytearray(udp)
    if ip[0] >> 4 == 4:
        ip[1] = ip[8] = ip[10] = ip[11] = 0xff
    else:
        ip[0] |= 0x0f
        ip[1] = ip[2] = ip[3] = ip[7] = 0xff
    udp[6] = udp[7] = 0xff
    udp[12] = 0xff           # BTH octet 4
    return zlib.crc32(b"\xff" * 8 + ip + udp) & 0xffffffff


def crc32c(data):
    reg = 0xffffffff
    for octet in data:
        reg = reg >> 8 ^ CASTAGNOLI[(reg ^ octet) & 0xff]
    return reg ^ 0xffffffff


def check_tss(tss, cut, counts):
    """An encrypted one: the head, and an ICV at the end."""
    head, = struct.unpack_from(">I", tss)
    ssi = head >> 26 & 1
    tsc, = struct.unpack_from(">Q", tss, 4 + 4 * ssi)
    assert not head >> 25 & 1 and head & 0xffffff and not cut
    assert (tsc >> 48) & 1 == head >> 24 & 1  # our epochs take turns
    assert len(tss) >= 12 + 4 * ssi + 12 + 16
    counts["encrypted"] += 1


def extension(ses):
    """Octets behind the header of a standard request."""
    if ses[0] & 0x3f in RENDEZVOUS:
        return 24
    if ses[0] & 0x3f in ATOMICS:
        return 36 if ses[44] in CSWAPS else 4
    return 0


def check_request(ses, following, payload):
    length = struct.unpack_from(">I", ses, 40)[0] if following == 3 else \
        struct.unpack_from(">H", ses, 2)[0] & 0x3fff
    first, op = ses[1] & 1, ses[0] & 0x3f
    if op in NO_PAYLOAD:
        assert payload == 0
        return
    if not first:
        length = struct.unpack_from(">H", ses, 34)[0] & 0x3fff
    elif op in RENDEZVOUS:
        length = struct.unpack_from(">I", ses, 44)[0]
    elif op in ATOMICS and ses[44] in CSWAPS:
        length -= 32
    assert payload == length or (ses[1] & 3 == 1 and payload < length)


def check_uet(ip, rest, native, counts):
    """One UET packet, by the tables of the specification."""
    whole = len(rest) if native else struct.unpack_from(">H", rest, 4)[0]
    pds = rest[4 if native else 8:]
    kind = pds[0] >> 3
    following = struct.unpack_from(">H", pds)[0] >> 7 & 15
    if kind == 1:
        check_tss(pds, whole - len(rest), counts)
        return
    if whole > len(rest):
        counts["trimmed"] += 1
        assert len(pds) >= 16 and kind in (2, 3, 4, 6, 13, 14)
        return
    assert whole == len(rest), (whole, len(rest))
    headers = PDS_BYTES[kind] + (0 if kind == 11 else SES_BYTES[following])
    ses = pds[PDS_BYTES[kind]:]
    headers += extension(ses) if kind != 11 and following == 3 else 0
    payload = len(pds) - headers - 4
    assert payload >= 0
    if kind != 11 and following in (5, 6):
        assert payload == struct.unpack_from(
            ">H", ses, 10 if following == 5 else 2)[0] & 0x3fff
    elif kind in (2, 3, 4, 6, 13, 14):
        check_request(ses, following, payload)
    else:
        assert payload == 0, (kind, following, payload)
    addresses = ip[12:] if len(ip) == 20 else ip[8:]
    if counts["uet"] % counts["one_in"]:
        return
    good = crc32c(addresses + rest[:-4]) == \
        struct.unpack(">I", rest[-4:])[0]
    counts["good" if good else "bad"] += 1


def strip_ifa(ip, rest):
    """Back to the packet the sender made (draft-kumar-ippm-ifa)."""
    words = rest[4 + 8 + 3]
    assert rest[0] == 0x2f
    ip = bytearray(ip)
    ip[9] = rest[1]
    length = struct.unpack_from(">H", ip, 2)[0] - 8 - 4 * words
    struct.pack_into(">H", ip, 2, length)
    return bytes(ip), rest[4:12] + rest[16 + 4 * words:]


def strip_int(ip, rest):
    words = rest[8 + 1]
    cut = 4 + 4 * words
    assert rest[8] == 0x14
    ip, udp = bytearray(ip), bytearray(rest[:8])
    udp[2:4] = rest[10:12]
    struct.pack_into(">H", udp, 4, struct.unpack_from(">H", udp, 4)[0] - cut)
    struct.pack_into(">H", ip, 2, struct.unpack_from(">H", ip, 2)[0] - cut)
    return bytes(ip), bytes(udp) + rest[8 + cut:]


def check_frame(frame, counts):
    kind, at = struct.unpack_from(">H", frame, 12)[0], ETH
    while kind in (VLAN, CSIG):
        kind, at = struct.unpack_from(">H", frame, at + 2)[0], at + 4
    if kind == 0x8808:
        counts["pause"] += 1
        assert len(frame) == 60 and frame[:6] == b"\x01\x80\xc2\0\0\1"
        return
    if kind == IPV4:
        ip = frame[at:at + 20]
        assert checksum_right(ip), "IPv4 checksum"
        end = at + struct.unpack_from(">H", ip, 2)[0]
        rest, proto = frame[at + 20:end], ip[9]
    else:
        assert kind == IPV6, hex(kind)
        ip = frame[at:at + 40]
        end = at + 40 + struct.unpack_from(">H", ip, 4)[0]
        rest, proto = frame[at + 40:end], ip[6]
    if end > len(frame):
        counts["cut"] += 1
        return
    if proto == IFA and rest[0] != 0x2f:
        counts["uet"] += 1
        check_uet(ip, rest, True, counts)
        return
    if proto == IFA:
        counts["ifa"] += 1
        ip, rest = strip_ifa(ip, rest)
    elif struct.unpack_from(">H", rest, 2)[0] == UET:
        counts["uet"] += 1
        check_uet(ip, rest, False, counts)
        return
    elif struct.unpack_from(">H", rest, 2)[0] == INT_PORT:
        counts["int"] += 1
        ip, rest = strip_int(ip, rest)
    sport, dport, length, _ = struct.unpack_from(">4H", rest)
    assert dport == ROCE and length == len(rest), (dport, length, len(rest))
    good = icrc(ip, rest[:-4]) == struct.unpack("<I", rest[-4:])[0]
    counts["good" if good else "bad"] += 1


def check_held(path, truth):
    """As long as a target keeps a response its CACK stays before that one's
    packet.  What an ACK says was so when it was sent, which is before it is
    here."""
    flows = {f["id"]: (bytes(map(int, f["dst"].split("."))), f["spdcid"],
                       f["dpdcid"]) for f in truth["flows"]
             if f.get("held") and "." in f["dst"]}
    events = [e for e in truth["events"] if e["kind"] in ("hold", "release")
              and e["flow"] in flows]
    kept, n = collections.defaultdict(dict), 0
    for e in events:  # of each packet: from when to when
        of = kept[flows[e["flow"]]]
        if e["kind"] == "hold":
            of[e["psn"]] = [e["ns"], None]
            continue
        for psn, span in of.items():
            if not span[1] and (e["psn"] - psn) % 2**32 < 2**31:
                span[1] = e["ns"]
    for ns, frame, _ in packets(path) if events else ():
        pds = frame[ETH + 28:]
        if frame[ETH + 9] != 17 or pds[0] >> 3 not in (7, 8):
            continue
        cack, own, other = struct.unpack_from(">IHH", pds, 4)
        for psn, (since, to) in kept[frame[ETH + 12:ETH + 16], other,
                                     own].items():
            if since <= ns < (to or ns + 1):
                n += 1
                assert 0 < (psn - cack) % 2**32 < 2**31, psn
    return n


def check_truth(truth, n):
    for f in truth["flows"]:
        for name, c in f["classes"].items():
            assert c["sent"] == c["delivered"] + c["dropped"] + \
                c["in_flight"], (f["id"], name)
            assert c["in_flight"] >= 0
    assert n == sum(t["captured"] + t["mirror_duplicates"] for t in truth["taps"])
    for t in truth["taps"]:
        assert t["passed"] == t["captured"] + t["missed"], t["name"]
    # a link delivers what it got, less what was dropped on it or is on it
    for link in truth["links"]:
        rest = link["packets"] - link["delivered"] - link["dropped"]
        assert 0 <= rest <= 100, link
    drops = sum(c["dropped"] for f in truth["flows"]
                for c in f["classes"].values())
    assert drops == sum(d["packets"] for d in truth["drops"])
    assert drops == sum(e["kind"] == "drop" for e in truth["events"])


def keys_of(value):
    """Names in a truth; codes of NACKs are none."""
    if isinstance(value, dict):
        yield from (k for k in value if not k.isdigit())
        value = list(value.values())
    if isinstance(value, list):
        for v in value:
            yield from keys_of(v)


def check_words(truth):
    unknown = set(keys_of(truth)) - WORDS
    assert not unknown, f"not in docs/truth-schema.md: {unknown}"


class ForTshark:
    """The beginnings of captures, and how many packets of each are malformed:
    pcapng lets sections follow each other."""

    def __init__(self, path):
        self.path, self.frames, self.parts = path, 0, []

    def add(self, name, capture, most, want):
        """The first |most| packets of |capture|."""
        with open(capture, "rb") as f:
            data = f.read()
        at = n = 0
        while at < len(data) and n < most:
            kind, size = struct.unpack_from("<II", data, at)
            n += kind == 6
            at += size
        with open(self.path, "ab") as f:
            f.write(data[:at])
        self.parts.append((self.frames + 1, name, want))
        self.frames += n

    def differing(self, tshark):
        """Captures of which tshark says something else."""
        done = subprocess.run([tshark, "-r", self.path, "-Y", "_ws.malformed",
                               "-T", "fields", "-e", "frame.number"],
                              capture_output=True, text=True, check=True)
        firsts = [first for first, _, _ in self.parts]
        found = collections.Counter(bisect.bisect(firsts, int(frame)) - 1
                                    for frame in done.stdout.split())
        return [f"{name}: {found[i]} malformed, not {want}"
                for i, (_, name, want) in enumerate(self.parts)
                if found[i] != want]


def look_at(args, name, folder, others):
    base = os.path.join(folder, name)
    subprocess.run(shlex.split(args.simulate) + [
        os.path.join(args.scenarios, name + ".fab"), "-w", base + ".pcapng",
        "--seed", "4"], check=True)
    with open(base + ".truth.json") as f:
        truth = json.load(f)
    counts = check(base, truth, others)
    for end in (".pcapng", ".truth.json"):
        os.unlink(base + end)
    return counts


def check(base, truth, others):
    damaged = sum(t.get(c, {}).get("icrc_bad", 0) for f in truth["flows"]
                  for t in f["taps"] for c in ("request", "response"))
    counts, n = collections.Counter(one_in=1 if damaged else ONE_IN), 0
    for _, frame, wire in packets(base + ".pcapng"):
        assert len(frame) <= wire
        check_frame(peel(frame), counts)
        n += 1
    check_truth(truth, n)
    counts["held"] += check_held(base + ".pcapng", truth)
    assert counts["bad"] == damaged, (counts, damaged)
    check_words(truth)
    if not (counts["cut"] and counts["trimmed"]):
        # of a trimmed packet tshark says that UDP is longer than IP
        most = HEADS if counts["cut"] else MOST
        most = n + 1 if counts["trimmed"] else most
        others.add(os.path.basename(base), base + ".pcapng", most,
                   counts["trimmed"])
    return counts | {"packets": n}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--simulate", required=True)
    p.add_argument("--scenarios", required=True)
    p.add_argument("--tshark", default="")
    p.add_argument("names", nargs="*")
    args = p.parse_args()
    if not os.path.exists(args.tshark):
        args.tshark = ""
    names = args.names or sorted(f[:-4] for f in os.listdir(args.scenarios)
                                 if f.endswith(".fab"))
    assert len(names) >= 1
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        others = ForTshark(os.path.join(folder, "all"))
        for name in names:
            try:
                print(f"{name}: {dict(look_at(args, name, folder, others))}")
            except (AssertionError, subprocess.CalledProcessError) as e:
                bad += 1
                print(f"{name}: {type(e).__name__} {e}")
        if args.tshark and others.frames:
            differing = others.differing(args.tshark)
            print("\n".join(differing))
            bad += len(differing)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
