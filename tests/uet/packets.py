# SPDX-License-Identifier: GPL-2.0-or-later
"""Ultra Ethernet frames for tests: the worked examples of the reference, and
packets of every type made up at random, right ones and damaged ones."""
import random
import struct

import reference as ref

HEAD = "02000000000b02000000000a0800"  # A to B
BACK = "02000000000a02000000000b0800"

# Section 8 of the reference, as printed there.
EXAMPLES = {
    "E1": HEAD + """45021058 00004000 4011168f 0a010001 0a010002
        c00112b9 10440000 1184ffff 00010000 00120000
        01090007 000000c8 00050003 00000000 00002000 00000001 00000000 00abcdef
        00000000 00000000 00002000""",
    "E2": HEAD + """45021058 00004000 4011168f 0a010001 0a010002
        c00212b9 10440000 1188fffe 00010001 00120034
        010a0007 000000c8 00050003 00000000 00002000 00000001 00000000 00abcdef
        00001000 00001000 00002000""",
    "E3": HEAD + """45020098 00004000 4011264f 0a010001 0a010002
        c00312b9 00840000 1198fffd 00010002 00120034
        090f0008 000000c8 00050003 00000000 00000000 00000001 00000000 deadbeef
        11223344 55667788 00000040""",
    "E4": BACK + """45b8004c 00004000 401125e5 0a010002 0a010001
        c00a12b9 00380000 42200003 00010001 00340012
        00040001 00000000 00000006 00640500 00210002
        0101000a 000000c8 00002000 25055205""",
    "E5": HEAD + """452a002c 00004000 40112693 0a010001 0a010002
        c00412b9 10440000 1180ffff 00010006 00120034 0109000b""",
    "E6": BACK + """45b80030 00004000 40112601 0a010002 0a010001
        c00412b9 001c0000 50000100 00010006 00340012 00000000 6dfd8061""",
    "E7": HEAD + """45b80030 00004000 40112601 0a010001 0a010002
        c00512b9 001c0000 5a080000 00010007 00120034 00000000 4eea7e1c""",
    "E8": BACK + """45b8002c 00004000 40112605 0a010002 0a010001
        c00512b9 00180000 38000000 00010007 00340012 dcf0caf6""",
    "E9": HEAD + """450200d4 00004000 40112613 0a010001 0a010002
        c00612b9 00c00000 21800000 a1b2c3d4
        010b000a 000000c8 00050003 00000000 00004000 00000001 00000000 00abcdef
        00000000 00000000 00000080""",
    "E10": HEAD + """45020090 00004000 40112657 0a010001 0a010002
        c00712b9 007c0000 31800000
        07030000 000000c8 00050003 00000000 00000000 00000001 00000000 00000000
        00000000 00000000 00000040""",
    "E11": HEAD[:24] + """86dd 60200000 01481140
        fd000000 00000000 00000000 0000000a
        fd000000 00000000 00000000 0000000b
        c00812b9 01480000 7188ffff 00020010 00150036 01000100
        050b000b 000000c8 00050003 00000000 00000000 00000001 00000000 00000000
        00000000 00000000 00000100""",
    "E12": HEAD + """4502007c 00004000 40fd257f 0a010001 0a010002
        beef0000 1080ffff 00030000 00160037
        010b0040 000000c8 00050003 00000000 00000100""",
    "E13": HEAD + """450200b0 00004000 40fd254b 0a010001 0a010002
        bef00000 0c000102 0a010001 00030000 00001234 5f1c9a77 40e2""",
    "E13 without SSI": HEAD + """450200b0 00004000 40fd254b 0a010001 0a010002
        bef00000 08000102 00030000 00001234 5f1c9a77 40e2""",
    "E14": BACK + """45020440 00004000 401122a7 0a010002 0a010001
        c00912b9 042c0000 1280ffff 00054321 00340012
        02010021 000000c8 000c0400 00000400 00000000""",
    "E15": BACK + """45b80030 00004000 40112601 0a010002 0a010001
        c00112b9 001c0000 5b800000 00000000 00340012 00040000 14653df0""",
}


def encode(layout, values):
    """Octets of one header; fields that |values| does not name are 0."""
    word = bits = 0
    for field, width in layout:
        word = word << abs(width) | values.get(field, 0) & (1 << abs(width)) - 1
        bits += abs(width)
    return word.to_bytes(bits // 8, "big")


def scatter(rng, layout, **fixed):
    """One header with random values where nothing is fixed, zeros in what is
    reserved."""
    values = {}
    for field, width in layout:
        if field in fixed:
            values[field] = fixed[field]
        elif not field.startswith("resv"):
            values[field] = rng.getrandbits(abs(width))
    return encode(layout, values)


def example(key):
    """(frame, octets on the wire)"""
    data = bytes.fromhex("".join(EXAMPLES[key].split()))
    if data[12:14] == b"\x08\x00":
        return data, 14 + struct.unpack_from(">H", data, 16)[0]
    return data, 54 + struct.unpack_from(">H", data, 18)[0]


# --- packets made up ---

def header(rng, layout, **fixed):
    return scatter(rng, ref.LAYOUT[layout] if isinstance(layout, str)
                   else layout, **fixed)


def request_ses(rng):
    """(SES octets, payload octets, next header)"""
    form = rng.choice((1, 2, 3, 3, 3, 3))
    opcode = rng.choice([*range(0x12), 1, 1, 2, 5, 0x30, 0x3E, 0x3F])
    if form < 3:
        n = rng.choice((0, 1, 64, 700))
        hd = rng.getrandbits(1) if form == 2 else 0
        layout = ref.LAYOUT["ses_small"] if form == 1 else \
            ref.medium(opcode, hd)
        ses = header(rng, layout, opcode=opcode, version=0, som=1, eom=1,
                     hd=hd, request_length=n)
        carries = 0 if opcode in ref.NO_PAYLOAD else n
        return ses, carries, form
    som, eom = rng.choice(((1, 0), (0, 0), (0, 1), (1, 1), (1, 1)))
    n = rng.choice((8, 64, 512))
    length = n if som and eom else 4 * n
    layout = ref.standard(opcode, som)
    ses = header(rng, layout, opcode=opcode, version=0, som=som, eom=eom,
                 payload_length=n, message_offset=rng.choice((n, 2 * n)),
                 request_length=length)
    extension = ref.EXTENSION.get(opcode)
    if extension:
        amo = rng.choice((0, 2, 0x0B, 0x0D, 0x12, 0x13, 0xE5))
        ses += header(rng, extension, amo_opcode=amo, eager_length=n // 2)
        if extension == "ses_atomic" and amo in ref.COMPARES:
            ses += rng.randbytes(32)
            n = max(0, n - 32)
        if extension == "ses_rendezvous" and som:
            n //= 2
    return ses, 0 if opcode in ref.NO_PAYLOAD else n, 3


def response_ses(rng):
    form = rng.choice((4, 4, 5, 6))
    n = rng.choice((1, 64, 512))
    kind = {4: "ses_rsp", 5: "ses_rsp_data", 6: "ses_rsp_data_small"}[form]
    return header(rng, kind, version=0, payload_length=n), \
        n if form > 4 else 0, form


def any_ses(rng, kind):
    if kind in ref.NACK_TYPES or kind == 11:
        return b"", 0, 0
    if kind in ref.ACKS or kind == 5:
        return rng.choice((response_ses, response_ses, no_ses))(rng)
    if kind in (4, 6):
        return request_ses(rng)
    return rng.choice((request_ses, request_ses, request_ses, response_ses,
                       no_ses))(rng)


def no_ses(_):
    return b"", 0, 0


def pds(rng, kind, following):
    f = {"type": kind, "next": following, "epsn": 0}
    syn = int(rng.random() < 0.3)
    if kind in ref.REQUESTS:
        out = header(rng, "pds_req syn" if syn else "pds_req", syn=syn, **f)
        return out + (header(rng, "pds_req_cc") if kind > 12 else b"")
    if kind in (4, 5):
        return header(rng, "pds_rudi" if kind == 4 else "pds_rudi_resp", **f)
    if kind == 6:
        return header(rng, "pds_uud", **f)
    if kind == 7 and rng.random() < 0.2:
        f["epsn"] = 1
        return header(rng, "pds_ack", **f) + header(rng, "pds_epsn")
    if kind == 7:
        return header(rng, "pds_ack", **f)
    if kind == 8:
        cc = rng.choice((" nscc", " credit", ""))
        return header(rng, "pds_ack", **f) + header(
            rng, "pds_ack_cc" + cc, cc_flags=0,
            cc_type={" nscc": 0, " credit": 1, "": rng.randrange(2, 16)}[cc])
    if kind == 9:
        return header(rng, "pds_ack", **f) + header(rng, "pds_ack_ccx")
    if kind == 10:
        return header(rng, "pds_nack", nack_code=rng.randrange(1, 0x1C), **f)
    if kind == 12:
        return header(rng, "pds_nack", **f) + header(rng, "pds_nack_ccx")
    return header(rng, "pds_cp syn" if syn else "pds_cp", syn=syn, type=11,
                  ctl_type=rng.randrange(16)) + header(rng, "cp_payload")


def secured(rng):
    sp = rng.getrandbits(1)
    return header(rng, "tss", type=1, sp=sp) + \
        header(rng, "tss_ssi" if sp else "tss_tsc") + \
        rng.randbytes(rng.choice((0, 1, 30, 300))) + rng.randbytes(16)


def body(rng, kind):
    """(octets from the PDS on without CRC, octets of headers)"""
    ses, payload, following = any_ses(rng, kind)
    head = pds(rng, kind, following) + ses
    return head + rng.randbytes(payload), len(head)


def enclose(rng, inside, version, native, tag, crc=True):
    """A frame around |inside|; |crc|: with the four octets, right ones."""
    if native:
        l4 = struct.pack(">HH", rng.getrandbits(16), 0)
    else:
        l4 = struct.pack(">HHHH", rng.getrandbits(16), ref.UDP_PORT,
                         8 + len(inside) + 4 * crc, 0)
    l3 = rng.randbytes(8) if version == 4 else rng.randbytes(32)
    summed = l3 + l4 + inside
    if crc:
        summed += struct.pack(rng.choice((">I", ">I", "<I")),
                              ref.crc32c(summed))
    protocol = ref.IP_PROTOCOL if native else 17
    ecn = rng.randrange(4)
    if version == 4:
        ip = struct.pack(">BBHHHBBH", 0x45, ecn, 12 + len(summed), 0, 0x4000,
                         64, protocol, 0)
    else:
        ip = struct.pack(">IHBB", 6 << 28 | ecn << 20,
                         len(summed) - len(l3), protocol, 64)
    eth = bytes.fromhex("02000000000202000000000 1".replace(" ", ""))
    eth += b"\x81\x00\x60\x07" if tag else b""
    eth += b"\x08\x00" if version == 4 else b"\x86\xdd"
    return eth + ip + summed


def whole(rng):
    kind = rng.randrange(1, 15)
    inside = secured(rng) if kind == 1 else body(rng, kind)[0]
    return enclose(rng, inside, rng.choice((4, 4, 6)), rng.random() < 0.4,
                   rng.random() < 0.2, crc=kind != 1)


def ip_lengths(data):
    """Where the IP length and the UDP length stand, and IP's own octets."""
    at = 14 + (4 if data[12:14] == b"\x81\x00" else 0)
    if data[at] >> 4 == 4:
        return at + 2, at, at + 20, data[at + 9]
    return at + 4, at + 40, at + 40, data[at + 6]


def resize(data, octets):
    """The frame with |octets| behind the IP header, the IP length right and
    nothing else: what a switch that trims leaves."""
    length, counted_from, inside, _ = ip_lengths(data)
    data = bytearray(data[:inside + octets])
    struct.pack_into(">H", data, length, inside + octets - counted_from)
    return bytes(data)


def trimmed(rng, data):
    _, _, inside, protocol = ip_lengths(data)
    head = 4 if protocol == ref.IP_PROTOCOL else 8
    most = len(data) - inside
    return resize(data, min(most, rng.choice((
        head + 16, head + rng.randrange(0, 110), most - rng.randrange(1, 9)))))


def redone(data):
    """With the CRC made right again: damage that the sender did."""
    at = 14 + (4 if data[12:14] == b"\x81\x00" else 0)
    start = at + 12 if data[at] >> 4 == 4 else at + 8
    return data[:-4] + struct.pack(">I", ref.crc32c(data[start:-4]))


def flipped(rng, data):
    """A few bits of what is behind the IP header."""
    _, _, inside, protocol = ip_lengths(data)
    first = inside + (4 if protocol == ref.IP_PROTOCOL else 8)
    data = bytearray(data)
    last = min(len(data), first + 70)
    for _ in range(rng.choice((1, 1, 2, 8))):
        bit = rng.randrange(8 * first, 8 * last)
        data[bit // 8] ^= 1 << bit % 8
    return bytes(data)


def frames(seed, n):
    """(octets captured, octets on the wire), n of each sort."""
    rng = random.Random(seed)
    for key in EXAMPLES:
        yield example(key)
    for _ in range(n):
        data = whole(rng)
        yield data, len(data)
        cut = data[:rng.randrange(ip_lengths(data)[2] + 8, len(data) + 1)]
        yield cut, len(data)
        yield (lambda d: (d, len(d)))(trimmed(rng, data))
        bad = flipped(rng, data)
        yield bad, len(bad)
        good = redone(bad)
        yield good, len(good)
