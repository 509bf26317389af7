# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of tests that are written by hand here: Ethernet, IPv4, UDP or the
entropy header, and a capture of them; and what is said of it."""
import json
import struct
import subprocess

A, B, C, D = "0a010001", "0a010002", "0a010003", "0a010004"
UDP_UET = 4793


def ip(src, dst, proto, rest):
    return bytes.fromhex("02000000000b02000000000a0800") + struct.pack(
        ">BBHHHBBH4s4s", 0x45, 2, 20 + len(rest), 0, 0x4000, 64, proto, 0,
        bytes.fromhex(src), bytes.fromhex(dst)) + rest


def udp(src, dst, rest, port=UDP_UET):
    return ip(src, dst, 17, struct.pack(">HHHH", 0xC001, port,
                                        8 + len(rest), 0) + rest)


def native(src, dst, rest):
    return ip(src, dst, 253, struct.pack(">HH", 0xBEEF, 0) + rest)


def write(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, data in enumerate(frames):
            f.write(struct.pack("<IIII", 1000, i * 10, len(data), len(data)))
            f.write(data)


def ask(fabscope, db, name, **params):
    words = [w for k, v in params.items() for w in ("--param", f"{k}={v}")]
    out = subprocess.run([fabscope, "query", db, name, "--format", "json"] +
                         words,
                         check=True, capture_output=True, text=True).stdout
    found = json.loads(out)
    return found["rows"] if isinstance(found, dict) else found
