# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws what a NIC of Ultra Ethernet is like."""
US, MS = 1e3, 1e6
MORE_KINDS = ("incast-trim", "incast-trim", "thin-trim", "credit-slow")
PACKETS = (2500, 4500)
OPS = ("write", "write", "write", "send", "read", "defer", "rendezvous")


def nic(r, speed):
    rod, v6 = r.random() < 0.3, r.random() < 0.25
    mtu, native = r.choice((1024, 2048, 4096, 4096)), r.random() < 0.3
    # four hops forth and back at 2 us, and some packets
    bdp = int(max(speed * 18 * US / 8, 16 * mtu))
    ccc = r.choice(("none", "nscc", "nscc", "rccc", "rccc"))
    sack = not rod or r.random() < 0.5
    # sprayed packets overtake each other: what is lost is known by time
    spray = 1 if rod else r.choice((1, 16, 64, 256))
    return {
        "transport": "uet", "speed": speed, "mtu": mtu, "v6": v6,
        "native": native, "vlan": r.random() < 0.3,
        "subnet": 1 if v6 else 0x0a000001 + r.randrange(1, 200) * 256,
        "dscp": {"data": r.choice((0, 0, 10, 26)), "control": 46,
                 "trimmed": r.choice((12, 36)),
                 "lasthop": r.choice((14, 38))},
        "psn": r.choice(("same", "own", "wrap")), "rod": rod,
        "rod_holds": rod and r.random() < 0.4,
        "entropies": spray, "entropy": r.choice(("same", "own")),
        "pdcid": r.choice(("count", "random")), "ccc": ccc, "bdp": bdp,
        "grants_by_ack": sack and r.random() < 0.5, "sack": sack,
        "sack_base": r.choice((0, 0, 1)),
        "sack_after": 0 if rod or r.random() < 0.2 else 3,
        "sack_wait": 0 if spray == 1 else r.choice((10 * US, 30 * US)),
        "nack_after": 0 if rod or r.random() < 0.7 else 50 * US,
        "window": r.choice((64, 256, 1000)), "mpr": r.choice((0, 8)),
        "ack_bytes": r.choice((1, 16384, 16384, 32768)),
        "ack_after": r.choice((5 * US, 20 * US)), "ack_retx":
        r.random() < 0.5, "responds": r.random() < 0.7,
        "service": r.choice((0, 2)), "says_lasthop": r.random() < 0.7,
        "reaction": r.choice((0.5 * US, 2 * US)),
        "rto": r.choice((0.1, 1, 5)) * 1.05 * MS,
        "rto_grows": r.random() < 0.5,
        "probe_after": sack and r.choice((0, 0, 40 * US)), "reacts": True,
        "no_buffer": r.choice((7, 9)), "rnr_wait": 0.2 * MS, "turn": 600,
        "compact": r.random() < 0.5, "send_op": r.choice((5, 9, 9)),
        "eager": r.choice((0, mtu, 4 * mtu)),
        "close_after": r.choice((0, 0, 0, 50 * US)),
        "ip_id": r.choice(("zero", "zero", "port")),
        "xoff": 200_000, "xon": 100_000}


def can_have(spec):
    """Not: credit that is late where there is none."""
    return spec["kind"] != "credit-slow" or spec["nic"]["ccc"] == "rccc"


def kept(spec, r):
    """Bytes after the IP header that a trimmed packet keeps, 16 of PDS and SES
    at least."""
    least = 20 if spec["nic"]["native"] else 24
    return r.choice((least, 64, 108))
