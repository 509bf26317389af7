# SPDX-License-Identifier: GPL-2.0-or-later
"""A second decoder of Ultra Ethernet packets, written from the wire-format
reference alone, to hold fabscope against.  Slow, plain, and a bit at a time.

decode(frame, wirelen) takes an Ethernet frame and returns None when there is
no UET in it, else a dictionary:

    kind, status   as fabscope calls them
    values         what the packet says, computed (ACK_PSN, not its offset)
    flags          the set of what is true of it
    parts          (name, offset, length, fields) of each header
    payload, crc

Numbers in brackets are sections of the reference."""
import struct

UDP_PORT = 4793
IP_PROTOCOL = 253


class Cut(Exception):
    """The captured octets end."""


class Short(Exception):
    """The packet has no room for what it promises."""


# --- layouts: (field, bits), negative bits are signed ---

TYPE_NEXT = [("type", 5), ("next", 4)]
REQUEST = TYPE_NEXT + [("resv1", 2), ("retx", 1), ("ar", 1), ("syn", 1),
                       ("resv2", 2), ("clear_psn_offset", -16), ("psn", 32),
                       ("spdcid", 16)]
ACK_FLAGS = TYPE_NEXT + [("epsn", 1), ("m", 1), ("retx", 1), ("p", 1),
                         ("req", 2), ("resv", 1)]
ACK_REST = [("cack_psn", 32), ("spdcid", 16), ("dpdcid", 16)]
NACK_FLAGS = TYPE_NEXT + [("resv1", 1), ("m", 1), ("retx", 1), ("nt", 1),
                          ("resv2", 3), ("nack_code", 8), ("vendor_code", 8)]
NACK_REST = [("spdcid", 16), ("dpdcid", 16), ("payload", 32)]
CONTROL = [("type", 5), ("ctl_type", 4), ("resv1", 1), ("isrod", 1),
           ("retx", 1), ("ar", 1), ("syn", 1), ("resv2", 2),
           ("probe_opaque", 16), ("psn", 32), ("spdcid", 16)]
SYN_ID = [("pdc_info", 4), ("psn_offset", 12)]
SACK = [("mpr", 8), ("sack_psn_offset", -16), ("sack_bitmap", 64)]
SES = [("resv1", 2), ("opcode", 6), ("version", 2), ("dc", 1), ("ie", 1),
       ("rel", 1), ("hd", 1), ("eom", 1), ("som", 1)]
WHOM = [("ri_generation", 8), ("job_id", 24), ("resv3", 4),
        ("pid_on_fep", 12), ("resv4", 4), ("resource_index", 12)]
SHORT_LENGTH = [("resv2", 2), ("request_length", 14)]
RESPONSE = [("list", 2), ("opcode", 6), ("version", 2), ("return_code", 6)]
ATOMIC = [("amo_opcode", 8), ("amo_datatype", 8), ("resv1", 6),
          ("cpu_coherent", 1), ("cacheable", 1), ("resv2", 8)]
SYNC = [("group", 16), ("count", 16)]

LAYOUT = {
    "entropy": [("ev", 16), ("resv", 16)],
    "tss": [("type", 5), ("sp", 1), ("resv", 1), ("an", 1), ("sdi", 24)],
    "tss_tsc": [("epoch", 16), ("counter", 48)],
    "tss_ssi": [("ssi", 32), ("epoch", 16), ("counter", 48)],
    "pds_req": REQUEST + [("dpdcid", 16)],
    "pds_req syn": REQUEST + SYN_ID,
    "pds_req_cc": [("ccc_id", 8), ("credit_target", 24)],
    "pds_rudi": TYPE_NEXT + [("resv1", 1), ("resv4", 1), ("retx", 1),
                             ("resv2", 4), ("resv3", 16), ("pkt_id", 32)],
    "pds_rudi_resp": TYPE_NEXT + [("resv1", 1), ("m", 1), ("retx", 1),
                                  ("resv2", 4), ("resv3", 16),
                                  ("pkt_id", 32)],
    "pds_uud": TYPE_NEXT + [("resv1", 7), ("resv2", 16)],
    "pds_ack": ACK_FLAGS + [("ack_psn_offset", -16)] + ACK_REST,
    "pds_ack probe": ACK_FLAGS + [("probe_opaque", 16)] + ACK_REST,
    "pds_epsn": [("expected_psn", 32)],
    "pds_ack_cc": [("cc_type", 4), ("cc_flags", 4)] + SACK +
                  [("cc_state", 64)],
    "pds_ack_cc nscc": [("cc_type", 4), ("cc_flags", 4)] + SACK +
                       [("service_time", 16), ("rc", 1), ("rcv_cwnd_pend", 7),
                        ("rcvd_bytes", 24), ("ooo_count", 16)],
    "pds_ack_cc credit": [("cc_type", 4), ("cc_flags", 4)] + SACK +
                         [("credit", 24), ("resv", 24), ("ooo_count", 16)],
    "pds_ack_ccx": [("ccx_type", 4), ("ccx_flags", 4)] + SACK +
                   [("ccx_state", 128)],
    "pds_nack": NACK_FLAGS + [("nack_psn", 32)] + NACK_REST,
    "pds_nack rudi": NACK_FLAGS + [("pkt_id", 32)] + NACK_REST,
    "pds_nack_ccx": [("nccx_type", 4), ("nccx_state1", 4),
                     ("nccx_state2", 120)],
    "pds_cp": CONTROL + [("dpdcid", 16)],
    "pds_cp syn": CONTROL + SYN_ID,
    "cp_payload": [("payload", 32)],
    "cp_unknown": [("payload", 32)],
    "cp_ack_req": [("message_id", 32)],
    "cp_psn": [("psn", 32)],
    "cp_credit": [("credit", 24), ("resv", 8)],
    "ses_small": SES + SHORT_LENGTH + WHOM + [("buffer_offset", 64)],
    "ses_rsp": RESPONSE + [("message_id", 16), ("ri_generation", 8),
                           ("job_id", 24), ("modified_length", 32)],
    "ses_rsp_data": RESPONSE + [
        ("message_id", 16), ("resv1", 8), ("job_id", 24),
        ("read_message_id", 16), ("resv2", 2), ("payload_length", 14),
        ("modified_length", 32), ("message_offset", 32)],
    "ses_rsp_data_small": RESPONSE + [
        ("resv1", 2), ("payload_length", 14), ("resv2", 8), ("job_id", 24),
        ("original_psn", 32)],
    "ses_atomic": ATOMIC,
    "ses_sync": SYNC,
    "ses_sync_atomic": SYNC + ATOMIC,
    "ses_cswap": [("compare", 128), ("swap", 128)],
    "ses_rendezvous": [("eager_length", 32), ("ri_generation", 8),
                       ("pid_on_fep", 12), ("resource_index", 12),
                       ("buffer_offset", 64), ("memory_key", 64)],
}

TAGGED = {0x09, 0x0A, 0x0B, 0x0D, 0x0E}
DEFERRABLE = {0x08, 0x0B}


def medium(opcode, header_data):
    """[4.5]"""
    where = "header_data" if header_data else "buffer_offset"
    key = "match_bits" if opcode in TAGGED else "memory_key"
    return SES + SHORT_LENGTH + WHOM + [(where, 64), ("initiator", 32),
                                        (key, 64)]


def standard(opcode, som):
    """[4.4]"""
    fields = SES + [("message_id", 16)] + WHOM
    if opcode in DEFERRABLE:
        fields += [("initiator_token", 32), ("target_token", 32)]
    else:
        fields += [("buffer_offset", 64)]
    fields += [("initiator", 32)]
    if opcode == 0x0C:  # the restart token of RTR: conflict 26
        fields += [("sender_token", 32), ("receiver_token", 32)]
    else:
        fields += [("match_bits" if opcode in TAGGED else "memory_key", 64)]
    if som:
        fields += [("header_data", 64)]
    else:
        fields += [("resv5", 18), ("payload_length", 14),
                   ("message_offset", 32)]
    return fields + [("request_length", 32)]


# --- names ---

TYPES = {1: "TSS", 2: "RUD_REQ", 3: "ROD_REQ", 4: "RUDI_REQ", 5: "RUDI_RESP",
         6: "UUD_REQ", 7: "ACK", 8: "ACK_CC", 9: "ACK_CCX", 10: "NACK",
         11: "CP", 12: "NACK_CCX", 13: "RUD_CC_REQ", 14: "ROD_CC_REQ"}
CONTROLS = ["NOOP", "ACK_REQ", "CLEAR", "CLEAR_REQ", "CLOSE", "CLOSE_REQ",
            "PROBE", "CREDIT", "CREDIT_REQ", "NEGOTIATION"]
OPERATIONS = ["NO_OP", "WRITE", "READ", "ATOMIC", "FETCHING_ATOMIC", "SEND",
              "RENDEZVOUS_SEND", "DATAGRAM_SEND", "DEFERRABLE_SEND",
              "TAGGED_SEND", "RENDEZVOUS_TSEND", "DEFERRABLE_TSEND",
              "DEFERRABLE_RTR", "TSEND_ATOMIC", "TSEND_FETCH_ATOMIC",
              "MSG_ERROR", "SYNC_WRITE", "SYNC_ATOMIC"]
NACKS = {0x01: "TRIMMED", 0x02: "TRIMMED_LASTHOP", 0x03: "TRIMMED_ACK",
         0x04: "NO_PDC_AVAIL", 0x05: "NO_CCC_AVAIL", 0x06: "NO_BITMAP",
         0x07: "NO_PKT_BUFFER", 0x08: "NO_GTD_DEL_AVAIL",
         0x09: "NO_SES_MSG_AVAIL", 0x0A: "NO_RESOURCE",
         0x0B: "PSN_OOR_WINDOW", 0x0D: "ROD_OOO", 0x0E: "INV_DPDCID",
         0x0F: "PDC_HDR_MISMATCH", 0x10: "CLOSING", 0x11: "CLOSING_IN_ERR",
         0x12: "PKT_NOT_RCVD", 0x13: "GTD_RESP_UNAVAIL",
         0x14: "ACK_WITH_DATA", 0x15: "INVALID_SYN",
         0x16: "PDC_MODE_MISMATCH", 0x17: "NEW_START_PSN",
         0x18: "RCVD_SES_PROCG", 0x19: "UNEXP_EVENT",
         0x1A: "RCVR_INFER_LOSS", 0xFD: "EXP_NACK_NORMAL",
         0xFE: "EXP_NACK_ERR", 0xFF: "EXP_NACK_FATAL"}
RETURNS = ["NULL", "OK", "BAD_GENERATION", "DISABLED", "DISABLED_GEN",
           "NO_MATCH", "UNSUPPORTED_OP", "UNSUPPORTED_SIZE", "AT_INVALID",
           "AT_PERM", "AT_ATS_ERROR", "AT_NO_TRANS", "AT_OUT_OF_RANGE",
           "HOST_POISONED", "HOST_UNSUCCESS_CMPL", "AMO_UNSUPPORTED_OP",
           "AMO_UNSUPPORTED_DT", "AMO_UNSUPPORTED_SIZE", "AMO_UNALIGNED",
           "AMO_FP_NAN", "AMO_FP_UNDERFLOW", "AMO_FP_OVERFLOW",
           "AMO_FP_INEXACT", "PERM_VIOLATION", "OP_VIOLATION", "BAD_INDEX",
           "BAD_PID", "BAD_JOB_ID", "BAD_MKEY", "BAD_ADDR", "CANCELLED",
           "UNDELIVERABLE", "UNCOR", "UNCOR_TRNSNT", "TOO_LONG",
           "INITIATOR_ERR", "DROPPED"]
RESPONSES = ["DEFAULT_RESPONSE", "RESPONSE", "RESPONSE_W_DATA", "NO_RESPONSE"]
LISTS = ["expected", "overflow"]


def name(table, value):
    if isinstance(table, dict):
        return table.get(value, value)
    return table[value] if value < len(table) else value


# --- what follows what ---

PDS_SIZE = {2: 12, 3: 12, 4: 8, 5: 8, 6: 4, 7: 12, 8: 32, 9: 40, 10: 16,
            11: 16, 12: 32, 13: 16, 14: 16}  # [3.2]
RESERVED = {2: 0x63, 3: 0x63, 13: 0x63, 14: 0x63, 4: 0x6F, 5: 0x4F, 6: 0x7F,
            7: 0x01, 8: 0x41, 9: 0x41, 10: 0x47, 12: 0x47, 11: 0x43}  # [3.3]
REQUESTS = (2, 3, 13, 14)
ACKS = (7, 8, 9)
NACK_TYPES = (10, 12)
NO_PAYLOAD = {0x00, 0x02, 0x0C, 0x0F}  # [4.3]
EXTENSION = {0x03: "ses_atomic", 0x04: "ses_atomic", 0x0D: "ses_atomic",
             0x0E: "ses_atomic", 0x06: "ses_rendezvous",
             0x0A: "ses_rendezvous", 0x10: "ses_sync",
             0x11: "ses_sync_atomic"}  # [4.3, 4.6]
COMPARES = range(0x0D, 0x13)
KEPT_BY_TRIMMING = 16  # behind UDP or the entropy header [1.5]


def may_follow(kind, following):
    """[11, 6]: bad combinations."""
    if kind in NACK_TYPES:
        return following == 0
    if kind in (4, 6):
        return following <= 3
    if kind in ACKS or kind == 5:
        return following in (0, 4, 5, 6)
    return following <= 6


def known(opcode):
    return opcode < len(OPERATIONS) or opcode >= 0x30


def crc_of_octet(crc):
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


CRC = [crc_of_octet(octet) for octet in range(256)]


def crc32c(data):
    crc = 0xFFFFFFFF
    for octet in data:
        crc = crc >> 8 ^ CRC[(crc ^ octet) & 0xFF]
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283  # [5]


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


class Packet:
    """What stands behind UDP or the entropy header."""

    def __init__(self, data, start, have, claimed):
        self.data, self.at = data, start
        self.have, self.claimed = have, claimed  # from |at| on
        self.parts = []
        self.values = {}
        self.flags = set()
        self.payload = 0
        self.status = "ok"
        self.doubt = False
        self.kind = None

    def peek(self, n):
        """The next |n| octets as a number."""
        if self.have < n:
            if self.claimed < n:
                raise Short()
            raise Cut()
        return int.from_bytes(self.data[self.at:self.at + n], "big")

    def take(self, header, layout=None):
        layout = layout or LAYOUT[header]
        octets = sum(abs(bits) for _, bits in layout) // 8
        word = self.peek(octets)
        fields, left = {}, 8 * octets
        for field, bits in layout:
            left -= abs(bits)
            value = word >> left & (1 << abs(bits)) - 1
            fields[field] = signed(value, 16) if bits < 0 else value
        self.parts.append((header.split()[0], self.at, octets, fields))
        self.skip(octets)
        return fields

    def skip(self, n):
        self.at += n
        self.have -= n
        self.claimed -= n

    def flag(self, condition, *names):
        if condition:
            self.flags.update(names)

    def odd(self, condition):
        self.flag(condition, "odd")

    # --- TSS [2] ---

    def tss(self):
        size = 16 if self.peek(1) & 0x04 else 12
        self.peek(size)
        head = self.take("tss")
        rest = self.take("tss_ssi" if head["sp"] else "tss_tsc")
        v = self.values
        v.update(type="TSS", sdi=head["sdi"], an=head["an"],
                 epoch=rest["epoch"], counter=rest["counter"])
        if rest.get("ssi"):
            v["ssi"] = rest["ssi"]
        self.doubt |= bool(head["resv"])
        if self.claimed < 16:
            self.flags.add("trimmed")  # no room for the ICV
        else:
            self.payload = self.claimed - 16

    # --- PDS [3] ---

    def pds(self):
        prologue = self.peek(2)
        kind = prologue >> 11
        following = prologue >> 7 & 15
        flags = prologue & 0x7F
        self.kind, self.following = kind, following
        self.doubt |= bool(flags & RESERVED[kind])
        self.doubt |= following > (9 if kind == 11 else 6)
        self.values["type"] = name(TYPES, kind)
        if kind in (8, 9) and following in (0, 4) and \
                24 <= self.have < PDS_SIZE[kind] <= self.claimed:
            self.ack(flags)
            return
        self.peek(PDS_SIZE[kind])
        if kind in REQUESTS:
            self.request()
        elif kind in (4, 5):
            self.rudi()
        elif kind == 6:
            self.odd(self.take("pds_uud")["resv2"])
        elif kind in ACKS:
            self.ack(flags)
        elif kind in NACK_TYPES:
            self.nack()
        else:
            self.control()
        if kind == 11 or following == 0:
            self.doubt |= self.claimed > 4
        elif may_follow(kind, following):
            self.ses()
        else:
            self.status = "malformed"

    def ids(self, f):
        self.values["spdcid"] = f["spdcid"]
        if "dpdcid" in f:
            self.values["dpdcid"] = f["dpdcid"]

    def request(self):
        syn = self.peek(2) & 0x04
        f = self.take("pds_req syn" if syn else "pds_req")
        v = self.values
        v["psn"] = f["psn"]
        v["clear_psn"] = (f["psn"] + f["clear_psn_offset"]) % 2**32
        self.ids(f)
        if syn:
            v["start_psn"] = (f["psn"] - f["psn_offset"]) % 2**32
        else:
            self.odd(not f["dpdcid"])
        self.flag(f["retx"], "retx")
        self.flag(f["ar"], "ar")
        self.flag(syn, "syn")
        if self.kind in (13, 14):
            f = self.take("pds_req_cc")
            v.update(ccc_id=f["ccc_id"], credit_target=f["credit_target"])

    def rudi(self):
        f = self.take("pds_rudi" if self.kind == 4 else "pds_rudi_resp")
        self.values["pkt_id"] = f["pkt_id"]
        self.flag(f["retx"], "retx")
        self.flag(f.get("m") or f.get("resv4"), "m")
        self.odd(f["resv3"])

    def ack(self, flags):
        f = self.take("pds_ack probe" if flags & 0x08 else "pds_ack")
        v = self.values
        self.ids(f)
        v["cack_psn"] = f["cack_psn"]
        if f["p"]:
            v["probe"] = f["probe_opaque"]
        else:
            v["ack_psn"] = (f["cack_psn"] + f["ack_psn_offset"]) % 2**32
        self.flag(f["m"], "m")
        self.flag(f["retx"], "retx")
        self.flag(f["req"] == 1, "req-clear")
        self.flag(f["req"] == 2, "req-close")
        self.odd(f["req"] == 3 or not f["dpdcid"])
        if self.kind == 7:
            self.epsn(flags)
            return
        if self.have < PDS_SIZE[self.kind] - 12:
            # the snap length cut behind the bitmap
            _, mpr, offset, bitmap = struct.unpack_from(">BBhQ", self.data,
                                                        self.at)
            self.sack(mpr, offset, bitmap)
            return
        if self.kind == 8:
            state = {0: " nscc", 1: " credit"}.get(self.peek(1) >> 4, "")
            f = self.take("pds_ack_cc" + state)
        else:
            f = self.take("pds_ack_ccx")
        self.sack(f["mpr"], f["sack_psn_offset"], f["sack_bitmap"])
        if self.kind == 9:
            return
        self.odd(f["cc_flags"] or f["cc_type"] > 1)
        if f["cc_type"] == 0:
            v.update(service_time=f["service_time"],
                     penalty=f["rcv_cwnd_pend"], received=f["rcvd_bytes"],
                     ooo_count=f["ooo_count"])
            self.flag(f["rc"], "restore-cwnd")
        elif f["cc_type"] == 1:
            v.update(credit=f["credit"], ooo_count=f["ooo_count"])

    def sack(self, mpr, offset, bitmap):
        v = self.values
        v["mpr"] = mpr
        if mpr:  # [6.4]
            v["psn_max"] = (v["cack_psn"] + 128 * mpr) % 2**32
        v["sack_base"] = (v["cack_psn"] + offset) % 2**32
        v["sack"] = bitmap

    def epsn(self, flags):
        """Conflict 9: only type 7, and only if four more octets fit."""
        if not flags & 0x40:
            return
        if self.claimed < 8:
            self.doubt = True
            return
        self.values["expected_psn"] = self.take("pds_epsn")["expected_psn"]

    def nack(self):
        rudi = self.peek(2) & 0x08
        f = self.take("pds_nack rudi" if rudi else "pds_nack")
        v = self.values
        v["pkt_id" if rudi else "nack_psn"] = f.get("nack_psn",
                                                    f.get("pkt_id"))
        self.ids(f)
        v.update(code=name(NACKS, f["nack_code"]),
                 vendor_code=f["vendor_code"], nack_payload=f["payload"])
        self.flag(f["m"], "m")
        self.flag(f["retx"], "retx")
        if self.kind == 12:
            self.take("pds_nack_ccx")

    def control(self):
        syn = self.peek(2) & 0x04
        f = self.take("pds_cp syn" if syn else "pds_cp")
        v = self.values
        v["ctl"] = name(CONTROLS, self.following)
        v["psn"] = f["psn"]
        v["ctl_payload"] = self.peek(4)
        self.ids(f)
        if syn:
            v["start_psn"] = (f["psn"] - f["psn_offset"]) % 2**32
        else:
            self.odd(not f["dpdcid"])
        if self.following == 6:
            v["probe"] = f["probe_opaque"]
        else:
            self.odd(f["probe_opaque"])
        for flag in ("isrod", "retx", "ar", "syn"):
            self.flag(f[flag], flag)
        payload = {1: "cp_ack_req", 2: "cp_psn", 3: "cp_psn", 6: "cp_psn",
                   7: "cp_credit", 8: "pds_req_cc"}
        # conflict register, open: NEGOTIATION; reserved types
        other = "cp_unknown" if self.following >= 9 else "cp_payload"
        self.take(payload.get(self.following, other))

    # --- SES [4] ---

    def ses(self):
        sizes = {1: 20, 2: 32, 3: 44, 4: 12, 5: 20, 6: 12}
        if self.following <= 3:
            self.common()
        else:
            self.response_start()
        size = sizes[self.following]
        if self.following == 3 and self.claimed >= 4 and self.have >= 4:
            size += self.extension_size()
        used = self.at - self.start
        if self.claimed < size and used + self.claimed >= KEPT_BY_TRIMMING:
            self.flags.add("trimmed")
        if self.have < size <= self.claimed and self.says_enough():
            self.cut(size)
            return
        self.peek(size)
        if self.following <= 3:
            self.request_rest()
        else:
            self.response_rest()

    def says_enough(self):
        """Of packets with a PDC, without operands, which have a size of
        their own."""
        return self.kind not in (4, 5, 6) and (
            self.following > 3 or self.have < 2 or
            EXTENSION.get(self.data[self.at] & 0x3F) != "ses_atomic")

    def cut(self, size):
        """The length of the packet says how much it carries."""
        opcode = self.data[self.at] & 0x3F if self.have >= 2 else None
        if opcode not in NO_PAYLOAD if self.following <= 3 else \
                self.following != 4:
            self.payload = max(0, self.claimed - size - 4 * (
                "trimmed" not in self.flags))

    def extension_size(self):
        opcode = self.data[self.at] & 0x3F
        extension = EXTENSION.get(opcode)
        if not extension:
            return 0
        size = sum(bits for _, bits in LAYOUT[extension]) // 8
        if extension == "ses_atomic" and self.have >= 44 + size and \
                self.data[self.at + 44] in COMPARES:
            size += 32
        return size

    def common(self):
        """As much of the first twelve octets as is here [4.2]."""
        o = self.data[self.at:self.at + min(self.have, 12)]
        v = self.values
        if len(o) < 2:
            return
        v["op"] = name(OPERATIONS, o[0] & 0x3F)
        if o[0] & 0x3F == 0x3F:
            v["op"] = "opcode extension"
        for bit, flag in enumerate(("som", "eom", "hd", "rel", "ie", "dc")):
            self.flag(o[1] >> bit & 1, flag)
        self.doubt |= bool(o[1] >> 6) or not known(o[0] & 0x3F)
        self.odd(o[0] >> 6)
        if len(o) < 4:
            return
        if self.following == 3:
            v["msg"] = o[2] << 8 | o[3]
        else:
            self.odd(o[2] >> 6)
        if len(o) < 8:
            return
        v["job"] = int.from_bytes(o[5:8], "big")
        if len(o) < 12:
            return
        self.odd(o[8] >> 4 or o[10] >> 4)

    def response_start(self):
        o = self.data[self.at:self.at + min(self.have, 8)]
        v = self.values
        if len(o) < 2:
            return
        v["op"] = name(RESPONSES, o[0] & 0x3F)
        v["list"] = name(LISTS, o[0] >> 6)
        rc = o[1] & 0x3F
        v["rc"] = "extended" if rc == 0x3E else name(RETURNS, rc)
        self.odd(o[1] >> 6)
        if len(o) >= 4 and self.following != 6:
            v["msg"] = o[2] << 8 | o[3]
        if len(o) >= 8:
            v["job"] = int.from_bytes(o[5:8], "big")

    def request_rest(self):
        som = self.data[self.at + 1] & 1
        opcode = self.data[self.at] & 0x3F
        if self.following == 1:
            f = self.take("ses_small")
        elif self.following == 2:
            f = self.take("ses_medium",
                          medium(opcode, self.data[self.at + 1] & 4))
        else:
            f = self.take("ses_std", standard(opcode, som))
        v = self.values
        v.update(pid=f["pid_on_fep"], ri=f["resource_index"],
                 ri_gen=f["ri_generation"], msg_len=f["request_length"],
                 msg_off=f.get("message_offset", 0))
        if "initiator" in f:
            v["initiator"] = f["initiator"]
        extension = EXTENSION.get(opcode) if self.following == 3 else None
        e, compares = {}, False
        if extension:
            e = self.take(extension)
            compares = extension == "ses_atomic" and \
                e["amo_opcode"] in COMPARES
            if compares:
                self.take("ses_cswap")
        self.request_payload(f, opcode, e, compares)

    def request_payload(self, f, opcode, e, compares):
        """[6.8], [4.3], [11, 6]"""
        single = self.following != 3
        som, eom = f["som"], f["eom"]
        exact = eom
        length = f["request_length"]
        share = length
        if single and not (som and eom):
            self.status = "malformed"
        if not single and not som:
            share, exact = f["payload_length"], True
            self.odd(f["resv5"] or (not share and not eom))
            if f["message_offset"] + share > length:
                self.status = "malformed"
        elif not som and share > length:
            self.status = "malformed"
        if opcode in NO_PAYLOAD:
            said = 0
        elif opcode >= len(OPERATIONS) or (single and opcode in EXTENSION):
            said = None  # nobody knows
        else:
            said = share
            if "eager_length" in e and som:
                said = e["eager_length"]
            if compares:  # counted as payload by the reference provider
                said = max(0, said - 32)
            if not exact:
                said = min(said, self.behind())
            if "eager_length" not in e and not single and som and not eom \
                    and said >= length:
                self.status = "malformed"
        self.carry(said)

    def behind(self):
        """Octets for payload, by the IP length."""
        if "trimmed" in self.flags:
            return self.claimed
        return max(0, self.claimed - 4)

    def carry(self, said):
        """[1.5, rule 3]"""
        room = self.behind()
        if said is None:
            said = room
        if said > room and said == self.claimed:
            room = said  # fits without a CRC
        elif said > room:
            if "trimmed" not in self.flags:
                self.cut_by = said + 4 - self.claimed
            self.flags.add("trimmed")
            room = self.claimed
        self.payload = min(said, room)

    def response_rest(self):
        v = self.values
        if self.following == 4:
            f = self.take("ses_rsp")
            v.update(ri_gen=f["ri_generation"], msg_len=f["modified_length"])
            self.carry(0)
        elif self.following == 5:
            f = self.take("ses_rsp_data")
            v.update(read_msg=f["read_message_id"],
                     msg_len=f["modified_length"],
                     msg_off=f["message_offset"])
            self.odd(f["resv1"] or f["resv2"])
            self.carry(f["payload_length"])
        else:
            f = self.take("ses_rsp_data_small")
            v["original_psn"] = f["original_psn"]
            self.odd(f["resv1"] or f["resv2"])
            self.carry(f["payload_length"])


def read_packet(p, covered, promised):
    """Fills |p|; the CRC's verdict."""
    p.start, p.cut_by = p.at, 0
    whole = p.have == p.claimed
    end = p.at + p.claimed
    secured = False
    if promised > p.claimed:  # [1.5, rule 2]
        p.flags.update(("trimmed", "trim-sure"))
        p.cut_by = promised - p.claimed
    try:
        kind = p.peek(2) >> 11
        if kind:
            p.values["type"] = name(TYPES, kind)
        if kind == 1:
            secured, p.kind = True, kind
            p.tss()
        elif kind in PDS_SIZE:
            p.pds()
        else:
            p.doubt = True
            p.status = "foreign"
    except Cut:
        p.status = "truncated"
    except Short:
        if "trimmed" not in p.flags:
            p.status = "malformed"
    crc = "unchecked"
    trailer = p.claimed - p.payload >= 4 and "trimmed" not in p.flags
    if whole and trailer and not secured:
        crc = check(p.data, covered, end, p.flags)
    return crc


def check(data, covered, end, flags):
    """[5], conflict 25."""
    found = data[end - 4:end]
    sum_ = crc32c(data[covered:end - 4])
    if found == struct.pack(">I", sum_):
        return "good"
    if found == struct.pack("<I", sum_):
        flags.add("crc-little-endian")
        return "good"
    return "bad"


def ip_layer(data):
    """(protocol, header's end, IP packet's end, where the CRC begins)"""
    at = 12
    while data[at:at + 2] == b"\x81\x00":
        at += 4
    kind = data[at:at + 2]
    at += 2
    if kind == b"\x08\x00":
        total = struct.unpack_from(">H", data, at + 2)[0]
        return data[at + 9], at + 20, at + total, at + 12
    if kind == b"\x86\xdd":
        total = struct.unpack_from(">H", data, at + 4)[0]
        return data[at + 6], at + 40, at + 40 + total, at + 8
    return None


def decode(data):
    """An Ethernet frame as captured: none, one or two tags, IPv4 without
    options or IPv6 without extension headers."""
    found = ip_layer(data)
    if not found:
        return None
    protocol, at, end, covered = found
    promised, native = 0, protocol == IP_PROTOCOL
    values = {}
    if native:
        ev, reserved = struct.unpack_from(">HH", data, at)
        values["ev"] = ev
        inside = at + 4
    elif protocol == 17:
        sport, dport, length = struct.unpack_from(">HHH", data, at)
        if dport != UDP_PORT:
            return None
        values["ev"] = sport
        promised = length - 8
        inside = at + 8
    else:
        return None
    claimed = end - inside
    p = Packet(data, inside, min(len(data) - inside, claimed), claimed)
    p.values.update(values)
    p.doubt = native and reserved != 0
    crc = read_packet(p, covered, promised)
    if p.doubt and crc != "good":
        return {"kind": "not-uet", "status": "foreign"}
    p.odd(p.doubt)
    if p.cut_by and p.kind not in (1, 8, 9):
        p.values["cut"] = p.cut_by
    p.values["len"] = p.payload
    return {"kind": "uet", "status": p.status, "values": p.values,
            "flags": p.flags, "parts": p.parts, "crc": crc}
