# SPDX-License-Identifier: GPL-2.0-or-later
"""The octets of Ultra Ethernet, as the reference has them; no behaviour."""
import struct

PORT, IP_PROTOCOL = 4793, 253
RUD, ROD, RUDI, UUD = "RUD", "ROD", "RUDI", "UUD"
REQUEST = {RUD: 2, ROD: 3}
REQUEST_CC = {RUD: 13, ROD: 14}
ACK, ACK_CC, ACK_CCX = 7, 8, 9
NONE, SMALL, MEDIUM, STD, RESPONSE, DATA, DATA_SMALL = range(7)
# Flags: of requests and control packets, of ACKs, of NACKs
RETX, ASKS, SYN, ISROD = 0x10, 0x08, 0x04, 0x20
MARKED, PROBED, REQ_CLOSE, REQ_CLEAR, NT = 0x20, 0x08, 0x04, 0x02, 0x08
(NOOP, ACK_REQ, CLEAR, CLEAR_REQ, CLOSE, CLOSE_REQ, PROBE, CREDIT, CREDIT_REQ,
 NEGOTIATION) = range(10)
TRIMMED, TRIMMED_LASTHOP, NO_PDC_AVAIL = 1, 2, 4
BUSY = (0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b)
ROD_OOO, PKT_NOT_RCVD, NEW_START_PSN, INFER_LOSS = 0x0d, 0x12, 0x17, 0x1a
WRITE, READ, SEND, TAGGED = 1, 2, 5, 9
MASK = 0xffffffff


def _table():
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
        yield i


CASTAGNOLI = tuple(_table())


def crc32c(data):
    crc = MASK
    for octet in data:
        crc = crc >> 8 ^ CASTAGNOLI[(crc ^ octet) & 255]
    return crc ^ MASK


def prologue(kind, following, flags):
    return kind << 11 | following << 7 | flags


def request(kind, following, flags, clear, psn, own, other, cc=b""):
    return struct.pack("!HhIHH", prologue(kind, following, flags), clear,
                       psn & MASK, own, other) + cc


def cc_request(context, target):
    return struct.pack("!I", context << 24 | target & 0xffffff)


def ack(kind, following, flags, second, cack, own, other, rest=b""):
    """|second|: the offset of ACK_PSN, or what a PROBE had."""
    return struct.pack("!HHIHH", prologue(kind, following, flags),
                       second & 0xffff, cack & MASK, own, other) + rest


def nscc(service, received, disorder):
    return struct.pack("!HB", service, 0) + received.to_bytes(3, "big") + \
        struct.pack("!H", disorder)


def credit_state(credit, disorder):
    return (credit & 0xffffff).to_bytes(3, "big") + bytes(3) + \
        struct.pack("!H", disorder)


def ack_cc(cc_type, mpr, base_offset, bitmap, state):
    return struct.pack("!BBhQ", cc_type << 4, mpr, base_offset, bitmap) + state


def nack(code, flags, psn, own, other, payload=0):
    return struct.pack("!HBBIHHI", prologue(10, 0, flags), code, 0, psn & MASK,
                       own, other, payload & MASK)


def control(what, flags, psn, own, other, payload=0, opaque=0):
    return struct.pack("!HHIHHI", prologue(11, what, flags), opaque, psn & MASK,
                       own, other, payload & MASK)


def rudi(answers, following, flags, number):
    return struct.pack("!HHI", prologue(5 if answers else 4, following, flags),
                       0, number)


def uud(following):
    return struct.pack("!HH", prologue(6, following, 0), 0)


# ---- SES ----

def standard(op, flags, message, job, offset, length, whole, first, last):
    head = struct.pack("!BBHIIQIQ", op, flags | last << 1 | first, message, job,
                       0x00050003, 0x2000, 1, 0xabcdef)
    middle = bytes(8) if first else struct.pack("!II", length, offset)
    return head + middle + struct.pack("!I", whole)


def small(op, flags, job, length):
    return struct.pack("!BBHIIQ", op, flags | 3, length, job, 0x00050003, 0x100)


def medium(op, flags, job, length):
    return small(op, flags, job, length) + struct.pack("!IQ", 1, 0xabcdef)


def response(opcode, code, message, job, length):
    return struct.pack("!BBHII", opcode, code, message, job, length)


def response_data(message, job, asked, length, whole, offset):
    return struct.pack("!BBHIHHII", 2, 1, message, job, asked, length, whole,
                       offset)


def response_data_small(job, length, psn):
    return struct.pack("!BBHII", 2, 1, length, job, psn & MASK)
