#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Field by field against Wireshark's own dissectors, on every capture at hand.

usage: decode_tshark.py DECODE_PRINT CHECKOUT     (77: nothing to compare with)

decode_print gives both what the engine gets (struct packet) and what people
are shown (every header and field); tshark gives what Wireshark reads."""
import ipaddress
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "cli"))
import program  # noqa: E402
import cli_wrapped  # noqa: E402: other links around the same packets

ROCE_KINDS = (1, 2)                              # enum packet_kind
ICRC = ("not_checkable_cut", "valid", "invalid")  # enum icrc_status
MIRROR_SEQ = 1 << 12                             # enum packet_flag

# tshark's field, our header, our field.  A header that one of the two sees
# and the other does not is a difference like any other.
HEADER_FIELDS = [
    ("infiniband.bth.opcode", "bth", "opcode"),
    ("infiniband.bth.se", "bth", "se"),
    ("infiniband.bth.m", "bth", "migreq"),
    ("infiniband.bth.padcnt", "bth", "padcnt"),
    ("infiniband.bth.tver", "bth", "tver"),
    ("infiniband.bth.p_key", "bth", "pkey"),
    ("infiniband.bth.destqp", "bth", "destqp"),
    ("infiniband.bth.a", "bth", "ackreq"),
    ("infiniband.bth.psn", "bth", "psn"),
    ("infiniband.reth.va", "reth", "va"),
    ("infiniband.reth.r_key", "reth", "rkey"),
    ("infiniband.reth.dmalen", "reth", "dmalen"),
    ("infiniband.aeth.msn", "aeth", "msn"),
    ("infiniband.deth.q_key", "deth", "qkey"),
    ("infiniband.deth.srcqp", "deth", "srcqp"),
    ("infiniband.atomiceth.swapdt", "atomiceth", "swap"),
    ("infiniband.atomiceth.cmpdt", "atomiceth", "compare"),
    ("infiniband.atomicacketh.origremdt", "atomicacketh", "original"),
    ("infiniband.immdt", "immdt", "imm"),
    ("infiniband.mad.transactionid", "mad_cm", "tid"),
    ("infiniband.mad.attributeid", "mad_cm", "attr"),
    ("infiniband.cm.req.localqpn", "cm_req", "qpn"),
    ("infiniband.cm.req.startpsn", "cm_req", "psn"),
    ("infiniband.cm.rep.localqpn", "cm_rep", "qpn"),
    ("infiniband.cm.rep.startpsn", "cm_rep", "psn"),
    ("infiniband.ieth", "ieth", "rkey"),
    ("infiniband.lrh.vl", "lrh", "vl"),
    ("infiniband.lrh.lver", "lrh", "lver"),
    ("infiniband.lrh.sl", "lrh", "sl"),
    ("infiniband.lrh.lnh", "lrh", "lnh"),
    ("infiniband.lrh.dlid", "lrh", "dlid"),
    ("infiniband.lrh.slid", "lrh", "slid"),
    ("infiniband.lrh.pktlen", "lrh", "len"),
    ("infiniband.grh.hoplmt", "grh", "hop"),
    ("erf.types.type", "erf", "type"),
    ("erf.types.ext_header", "erf", "ext"),
    ("erf.rlen", "erf", "rlen"),
    ("erf.wlen", "erf", "wlen"),
]
# tshark's field, and the same out of struct packet; last of a nest.
PACKET_FIELDS = [
    ("infiniband.bth.opcode", lambda p: p["opcode"]),
    ("infiniband.bth.psn", lambda p: p["psn"]),
    ("infiniband.bth.destqp", lambda p: p["dst_qp"]),
    ("infiniband.bth.se", lambda p: p["flags"] >> 2 & 1),
    ("infiniband.bth.m", lambda p: p["flags"] >> 3 & 1),
    ("infiniband.bth.a", lambda p: p["flags"] >> 4 & 1),
    ("infiniband.aeth.syndrome", lambda p: p["syndrome"]),
    ("infiniband.aeth.msn", lambda p: p["msn"]),
    ("infiniband.reth.dmalen", lambda p: p["dma_len"]),
    ("infiniband.deth.srcqp", lambda p: p["src_qp"]),
    ("udp.srcport", lambda p: p["sport"]),
]
IP_FIELDS = [
    ("ip.src", lambda p: p["src"]),
    ("ip.dst", lambda p: p["dst"]),
    ("ip.dsfield.dscp", lambda p: p["tos"] >> 2),
    ("ip.dsfield.ecn", lambda p: p["tos"] & 3),
    ("ip.ttl", lambda p: p["ttl"]),
    ("ip.id", lambda p: p["ip_id"]),
    ("ipv6.src", lambda p: p["src"]),
    ("ipv6.dst", lambda p: p["dst"]),
    ("ipv6.tclass.dscp", lambda p: p["tos"] >> 2),
    ("ipv6.tclass.ecn", lambda p: p["tos"] & 3),
    ("ipv6.hlim", lambda p: p["ttl"]),
    ("eth.src", lambda p: p["src_mac"]),
    ("vlan.id", lambda p: p["vlan"]),
    ("vlan.priority", lambda p: p["pcp"]),
]
MIRROR_FIELDS = [
    ("erspan.spanid", lambda p: p["mirror_session"]),
    ("gre.sequence_number", lambda p: p["mirror_seq"]),
]
ALL = list(dict.fromkeys(["frame.number"] + [
    row[0] for row in HEADER_FIELDS + PACKET_FIELDS + IP_FIELDS +
    MIRROR_FIELDS]))
OCTETS = ("infiniband.immdt", "infiniband.ieth")


def value(text):
    """A number out of whatever form tshark gives it, else the text."""
    if text in ("True", "False"):
        return int(text == "True")
    try:
        if "." in text or text.count(":") > 5 and len(text) != 17:
            return str(ipaddress.ip_address(text))
        if text.count(":") in (5, 7):
            return int(text.replace(":", ""), 16)
        if ":" in text:
            return str(ipaddress.ip_address(text))
        return int(text, 0)
    except ValueError:
        return text


def tshark(path):
    """Frame number -> field -> value, of the fields that are there."""
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E",
               "occurrence=l", "-E", "separator=/t"]
    for field in ALL:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True)
    if "aren't valid" in done.stderr:
        sys.exit(done.stderr)
    frames = {}
    for line in done.stdout.splitlines():
        cells = dict(zip(ALL, line.split("\t")))
        frames[int(cells["frame.number"])] = {
            key: int(cell, 16) if key in OCTETS else value(cell)
            for key, cell in cells.items() if cell}
    return frames


def ours(tool, path):
    done = subprocess.run([tool, str(path)], capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(packet, theirs):
    """Names of the fields that differ, with both values."""
    headers = {part[0]: part[3] for part in packet["parts"] if len(part) > 3}
    # Wireshark has no names of their own for these two of AtomicETH.
    for field in ("va", "rkey"):
        if "atomiceth" in headers:
            headers.setdefault("reth", {})[field] = headers["atomiceth"][field]
    for name, header, field in HEADER_FIELDS:
        mine = headers.get(header, {}).get(field)
        if mine != theirs.get(name):
            yield name, mine, theirs.get(name)
    for name, get in PACKET_FIELDS + IP_FIELDS:
        if name in theirs and get(packet) != theirs[name]:
            yield name, get(packet), theirs[name]


def check_roce(tool, path):
    """How many frames were compared, what was wrong, verdicts on ICRCs."""
    theirs, wrong, compared = tshark(path), [], 0
    icrc = dict.fromkeys(ICRC, 0)
    for packet in ours(tool, path):
        frame = theirs.get(packet["frame"], {})
        roce = packet["kind"] in ROCE_KINDS
        if roce != ("infiniband.bth.opcode" in frame):
            wrong.append((packet["frame"], "RoCE", roce, not roce))
        elif roce:
            compared += 1
            icrc[ICRC[packet["icrc_status"]]] += 1
            wrong += [(packet["frame"],) + d for d in compare(packet, frame)]
    return compared, wrong, icrc


def check_mirror(tool, path):
    """Mirrored frames of any kind: what is inside, and what the mirror says."""
    theirs, wrong, compared = tshark(path), [], 0
    for packet in ours(tool, path):
        frame = theirs.get(packet["frame"], {})
        names = [part[0] for part in packet["parts"]]
        if "gre" not in names or not frame:
            continue
        compared += 1
        fields = MIRROR_FIELDS if packet["flags"] & MIRROR_SEQ else []
        if names[-1] in ("ipv4", "ipv6", "udp", "vlan"):
            fields = fields + IP_FIELDS
        wrong += [(packet["frame"], name, get(packet), frame[name])
                  for name, get in fields
                  if name in frame and get(packet) != frame[name]]
    return compared, wrong, None


def recorded_icrc(path):
    """What the lab's own parser said of this file's ICRCs, if recorded."""
    truth = path.with_name(path.name.split(".")[0] + ".json")
    tap = path.name.split(".")[1]
    if not truth.exists():
        return None
    counts = json.loads(truth.read_text()).get("tap", {}).get(tap, {})
    counts = counts.get("icrc")
    return counts and {key: counts.get(key, 0) for key in ICRC}


def captures(checkout):
    shared = checkout.parent / "shared" / "captures"
    for check, folder in ((check_roce, checkout / "captures"),
                          (check_roce, shared / "softroce"),
                          (check_roce, shared / "public" / "rdma-tutorial"),
                          (check_mirror, shared / "public" / "lldp-erspan")):
        for path in sorted(folder.glob("*.pcap*")):
            yield check, path


def wrapped(folder):
    """Records of Endace, InfiniBand among them, made of a capture that has
    none.  Wireshark 4.0 does not read InfiniBand without such a record."""
    for name, (link, wrap) in cli_wrapped.WRAPPINGS.items():
        if link == cli_wrapped.ERF:
            path = folder / (name.replace(", ", "_") + ".pcap")
            path.write_bytes(cli_wrapped.capture(link, wrap))
            yield check_roce, path


def check_file(tool, check, path):
    compared, wrong, icrc = check(tool, path)
    expected = recorded_icrc(path)
    if icrc and expected and icrc != expected:
        wrong.append((0, "ICRC verdicts", icrc, expected))
    known = ", ICRCs as recorded" if icrc and expected else ""
    print(f"{path.name}: {compared} frames, {len(wrong)} differences{known}",
          flush=True)
    for frame, name, mine, theirs in wrong[:5]:
        print(f"  frame {frame}: {name} {mine!r}, expected {theirs!r}")
    return compared, len(wrong)


def main():
    tool, checkout = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which("tshark"):
        print("no tshark to compare with")
        return 77
    done, total, bad = set(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for check, path in program.some(itertools.chain(
                wrapped(pathlib.Path(folder)), captures(checkout))):
            if path.name in done: # captures/ holds copies of some
                continue
            done.add(path.name)
            compared, wrong = check_file(tool, check, path)
            total += compared
            bad += wrong
    print(f"{total} frames compared, {bad} differences")
    return bool(bad) or not total


if __name__ == "__main__":
    sys.exit(main())
