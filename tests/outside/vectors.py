#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of Ultra Ethernet whose bytes were composed by hand from the fields,
against what uetwire.py writes: PDS, SES and CRC."""
import sys

sys.dont_write_bytecode = True
import uetwire as wire  # noqa: E402

A, B = bytes((10, 1, 0, 1)), bytes((10, 1, 0, 2))
FORTH = {"spdcid": 0x12, "dpdcid": 0x34, "next": wire.STANDARD}
BACK = {"spdcid": 0x34, "dpdcid": 0x12, "flags": 0}
SES = {"next": wire.STANDARD, "job": 200, "pid": 5, "index": 3, "offset": 0,
       "initiator": 1, "key": 0, "header_data": 0, "payload": 0, "at": 0}


def request(psn, clear, flags, **more):
    return wire.request(dict(FORTH, kind=wire.RUD, psn=psn, clear=clear,
                             flags=flags, **more))


def ses(op, flags, number, **more):
    return wire.ses_request({**SES, "op": op, "flags": flags, "id": number,
                             **more})


WRITES = {"offset": 0x2000, "key": 0xabcdef, "size": 8192, "payload": 4096}
CASES = (
    ("RUD_REQ with SYN, first of a WRITE",
     wire.request(dict(FORTH, kind=wire.RUD, psn=0x10000, clear=0xffff,
                       flags=wire.SYN, dpdcid=0)) +
     ses(wire.WRITE, wire.RELATIVE | wire.SOM, 7, **WRITES),
     "1184ffff000100000012000001090007000000c80005000300000000000020000000"
     "00010000000000abcdef000000000000000000002000"),
    ("RUD_REQ, last of a WRITE",
     request(0x10001, 0xffff, wire.ASKS) +
     ses(wire.WRITE, wire.RELATIVE | wire.EOM, 7, at=4096, **WRITES),
     "1188fffe0001000100120034010a0007000000c80005000300000000000020000000"
     "00010000000000abcdef000010000000100000002000"),
    ("RUD_REQ retransmitted, TAGGED_SEND with header data",
     request(0x10002, 0xffff, wire.RETX | wire.ASKS) +
     ses(wire.TAGGED, wire.RELATIVE | wire.HEADER_DATA | wire.EOM | wire.SOM,
         8, key=0xdeadbeef, header_data=0x1122334455667788, size=64),
     "1198fffd0001000200120034090f0008000000c80005000300000000000000000000"
     "000100000000deadbeef112233445566778800000040"),
    ("ACK_CC with a hole, and a response",
     wire.ack(dict(BACK, kind=wire.ACK_CC, next=wire.RESPONSE,
                   flags=wire.MARKED, cack=0x10001, psn=0x10004, mpr=4,
                   base=0x10002, bitmap=6, service=100, pend=5,
                   received=8448, ooo=2)) +
     wire.ses_response(1, 200, 10, 8192),
     "422000030001000100340012000400010000000000000006006405000021000201"
     "01000a000000c800002000"),
    ("NACK of a trimmed packet",
     wire.nack(dict(BACK, code=wire.TRIMMED, psn=0x10006, payload=0)),
     "50000100000100060034001200000000"),
    ("CLOSE",
     wire.control(dict(FORTH, type=wire.CLOSE, psn=0x10007, payload=0,
                       flags=wire.ASKS)),
     "5a080000000100070012003400000000"),
    ("ACK of a CLOSE",
     wire.ack(dict(BACK, kind=wire.ACK, next=wire.NONE, cack=0x10007,
                   psn=0x10007)),
     "380000000001000700340012"),
    ("ROD_CC_REQ, SEND",
     wire.request(dict(FORTH, kind=wire.ROD_CC, psn=0x20010, clear=0x2000f,
                       flags=wire.ASKS, spdcid=0x15, dpdcid=0x36, ccc_id=1,
                       target=0x100 * wire.CREDIT_UNIT)) +
     ses(wire.SEND, wire.RELATIVE | wire.EOM | wire.SOM, 11, size=256),
     "7188ffff000200100015003601000100050b000b000000c800050003000000000000"
     "0000000000010000000000000000000000000000000000000100"),
    ("RUD_REQ, small WRITE",
     wire.request(dict(kind=wire.RUD, next=wire.SMALL, psn=0x30000,
                       clear=0x2ffff, flags=0, spdcid=0x16, dpdcid=0x37)) +
     ses(wire.WRITE, wire.RELATIVE | wire.EOM | wire.SOM, 0, size=64,
         offset=0x100, next=wire.SMALL),
     "1080ffff0003000000160037010b0040000000c8000500030000000000000100"),
    ("data of a READ",
     wire.request(dict(BACK, kind=wire.RUD, next=wire.DATA, psn=0x54321,
                       clear=0x54320)) +
     wire.ses_data({"next": wire.DATA, "id": 0x21, "job": 200, "read": 12,
                    "payload": 1024, "size": 1024, "at": 0}),
     "1280ffff000543210034001202010021000000c8000c04000000040000000000"),
    ("CREDIT",
     wire.control(dict(BACK, type=wire.CREDIT, psn=0, payload=wire.
                       credit_payload(0x400 * wire.CREDIT_UNIT))),
     "5b800000000000000034001200040000"),
)
# UDP header and PDS of the CLOSE, from A to B, and its CRC; the check value
CLOSE = bytes.fromhex("c00512b9001c00005a080000000100070012003400000000")


def main():
    wrong = 0
    for name, got, expected in CASES:
        if got.hex() != expected:
            wrong += 1
            print(f"{name}: {got.hex()}, not {expected}")
    for name, got, expected in (
            ("CRC of a CLOSE", wire.crc(A + B, CLOSE, 0), 0x4eea7e1c),
            ("CRC-32C", wire.crc(b"", b"123456789", 0), 0xe3069283),
            ("CRC-32C of zeros", wire.crc(A, B, 999),
             wire.crc(A, B + bytes(999), 0))):
        if got != expected:
            wrong += 1
            print(f"{name}: {got:08x}, not {expected:08x}")
    print(f"{len(CASES) + 3} vectors, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
