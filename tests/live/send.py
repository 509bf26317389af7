#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends the packets of a pcap file from an interface, with the times between
them as in the file, or as fast as it can: send.py IFACE FILE [--flat-out]

Where something else has the processor, times get longer and never shorter: a
timer that ran out in the file runs out here."""
import socket
import struct
import sys
import time

MAGIC = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}  # to nanoseconds


def packets(path):
    data = open(path, "rb").read()
    order = "<" if struct.unpack("<I", data[:4])[0] in MAGIC else ">"
    scale = MAGIC[struct.unpack(order + "I", data[:4])[0]]
    at = 24
    while at + 16 <= len(data):
        s, frac, n, _ = struct.unpack_from(order + "IIII", data, at)
        yield s * 10**9 + frac * scale, data[at + 16:at + 16 + n]
        at += 16 + n


def main():
    out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    out.bind((sys.argv[1], 0))
    flat_out = "--flat-out" in sys.argv
    sent = before = None
    for ns, frame in packets(sys.argv[2]):
        while not flat_out and before is not None and \
                time.monotonic_ns() - sent < ns - before:
            pass
        sent, before = time.monotonic_ns(), ns
        try:
            out.send(frame)
        except OSError as error:
            if error.errno != 105:  # no buffer space: the next one, then
                raise


if __name__ == "__main__":
    main()
