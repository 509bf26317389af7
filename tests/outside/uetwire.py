# SPDX-License-Identifier: GPL-2.0-or-later
"""Headers of Ultra Ethernet (PDS, SES) as bytes."""
import struct

RUD, ROD, ACK, ACK_CC, NACK, CP, RUD_CC, ROD_CC = 2, 3, 7, 8, 10, 11, 13, 14
PDS_SIZE = {RUD: 12, ROD: 12, ACK: 12, ACK_CC: 32, NACK: 16, CP: 16,
            RUD_CC: 16, ROD_CC: 16}
NONE, SMALL, MEDIUM, STANDARD, RESPONSE, DATA, DATA_SMALL = range(7)
SES_SIZE = (0, 20, 32, 44, 12, 20, 12)
RENDEZVOUS_SIZE = 24
MARKED, RETX, ASKS, PROBED, SYN = 0x20, 0x10, 0x08, 0x08, 0x04  # flags of PDS
IS_ROD = 0x20                                                   # of a CP
WRITE, READ, SEND, TAGGED = 0x01, 0x02, 0x05, 0x09
RENDEZVOUS, DEFERRABLE, RTR = 0x0a, 0x0b, 0x0c
ANSWER, CLOSING = 0x100, 0x101      # no opcodes: data of a READ, a CLOSE
RELATIVE, HEADER_DATA, EOM, SOM = 0x08, 0x04, 0x02, 0x01
(TRIMMED, LASTHOP, NO_BUFFER, NO_MESSAGE, ROD_OOO, INFERRED) = (
    0x01, 0x02, 0x07, 0x09, 0x0d, 0x1a)
CLOSE, PROBE, CREDIT, CREDIT_REQ = 4, 6, 7, 8
CREDIT_UNIT = 256
MASK = 0xffffffff


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
        table.append(value)
    return table


TABLE = crc32c_table()
ZEROS = {}      # length: the four bytes of a state to those after so many 0s


def feed(state, data):
    for byte in data:
        state = state >> 8 ^ TABLE[(state ^ byte) & 0xff]
    return state


def feed_zeros(state, count):
    """The same as feed(state, bytes(count)), which is linear in the state."""
    if count not in ZEROS:
        ZEROS[count] = [feed(1 << bit, bytes(count)) for bit in range(32)]
    out = 0
    for bit, effect in enumerate(ZEROS[count]):
        if state >> bit & 1:
            out ^= effect
    return out


def crc(ends, head, zeros):
    """Of both addresses, of the headers and of so many zeros."""
    return feed_zeros(feed(MASK, ends + head), zeros) ^ MASK


def prologue(kind, following, flags):
    return kind << 11 | following << 7 | flags


def request(f):
    """|f|: kind, flags, psn, clear, spdcid, dpdcid (or psn_offset)."""
    head = struct.pack(">HHIHH", prologue(f["kind"], f["next"], f["flags"]),
                       f["clear"] - f["psn"] & 0xffff, f["psn"], f["spdcid"],
                       f["dpdcid"])
    if f["kind"] in (RUD_CC, ROD_CC):
        head += struct.pack(">I", f["ccc_id"] << 24 |
                            f["target"] // CREDIT_UNIT & 0xffffff)
    return head


def ack(f):
    """|f|: kind, flags, cack, psn or opaque, base, bitmap, state."""
    offset = f["opaque"] if f["flags"] & PROBED else f["psn"] - f["cack"]
    head = struct.pack(">HHIHH", prologue(f["kind"], f["next"], f["flags"]),
                       offset & 0xffff, f["cack"], f["spdcid"], f["dpdcid"])
    if f["kind"] == ACK_CC:
        is_credit = "credit" in f
        head += struct.pack(">BBHQ", is_credit << 4, f["mpr"],
                            f["base"] - f["cack"] & 0xffff, f["bitmap"])
        if is_credit:
            head += struct.pack(">IHH", (f["credit"] // CREDIT_UNIT &
                                         0xffffff) << 8, 0, f["ooo"])
        else:
            units = -(-f["received"] // CREDIT_UNIT) & 0xffffff
            head += struct.pack(">HIH", f["service"], f["pend"] << 24 | units,
                                f["ooo"])
    return head


def nack(f):
    return struct.pack(">HBBIHHI", prologue(NACK, 0, f["flags"]), f["code"], 0,
                       f["psn"], f["spdcid"], f["dpdcid"], f["payload"])


def control(f):
    return struct.pack(">HHIHHI", prologue(CP, f["type"], f["flags"]),
                       f.get("opaque", 0), f["psn"], f["spdcid"], f["dpdcid"],
                       f["payload"])


def credit_payload(credit, ccc_id=None):
    units = credit // CREDIT_UNIT & 0xffffff
    return units << 8 if ccc_id is None else ccc_id << 24 | units


def ses_request(s):
    """|s|: next, op, flags, id, job, pid, index, offset (of the buffer or a
    restart token), initiator, key, header_data, payload, at (offset in the
    message), size (of the message), for rendezvous eager and address."""
    form, is_first = s["next"], s["flags"] & SOM
    head = struct.pack(">BBHIHH", s["op"], s["flags"],
                       s["id"] if form == STANDARD else s["size"],
                       s["job"], s["pid"], s["index"])
    if form == SMALL:
        return head + struct.pack(">Q", s["offset"])
    has_data = s["flags"] & HEADER_DATA
    if form == MEDIUM:
        return head + struct.pack(">QIQ", s["header_data"] if has_data else
                                  s["offset"], s["initiator"], s["key"])
    head += struct.pack(">QIQ", s["offset"], s["initiator"], s["key"])
    if is_first:
        head += struct.pack(">QI", s["header_data"] if has_data else 0,
                            s["size"])
    else:
        head += struct.pack(">III", s["payload"], s["at"], s["size"])
    if s["op"] == RENDEZVOUS:
        head += struct.pack(">IIQQ", s["eager"], s["pid"] << 12 | s["index"],
                            s["address"], s["key"])
    return head


def ses_response(op, job, message, length, is_overflow=False):
    return struct.pack(">BBHII", is_overflow << 6 | op, 1, message, job,
                       length)


def ses_data(s):
    """|s|: next, id, job, read (message id), psn (of the READ), payload, at,
    size."""
    if s["next"] == DATA_SMALL:
        return struct.pack(">BBHII", 2, 1, s["payload"], s["job"], s["psn"])
    return struct.pack(">BBHIHHII", 2, 1, s["id"], s["job"], s["read"],
                       s["payload"], s["size"], s["at"])
