#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts that people see use the words of the InfiniBand, IEEE 802.1Q and UEC
specifications, Wireshark and tcpdump, American spelling, and one word a thing.

Looked at are string literals and comments of the program and the plugin,
titles of scenarios, string literals and opening comments of queries, comments of the schema, the
descriptions of JSON schemas, the documentation and the man pages.  A literal
without a space is an identifier (a column, a key, a
kind of event), one with underscores and nothing but names is a list of them,
and so is what stands in backticks or in a block of code: names are not checked
here."""
import pathlib
import re
import sys

# what is replaced, and by what
WORDS = [(re.compile(rf"\b(?:{old})\b", re.I), new) for old, new in (
    (r"sent again|re-?sen[dt](?:ing|s)?", "retransmitted, retransmission"),
    (r"packet numbers?", "PSN"),
    (r"overtaken|overtakes", "reordered, out of order"),
    (r"places? of capture", "capture point"),
    (r"pass(?:ed|es)? (?:by )?here", "seen here"),
    (r"c[ao]me(?:s)? by", "seen at this capture point"),
    (r"(?:re|un)?told", "reported"),
    (r"troubles?|troubled", "problem, recovery"),
    (r"vanish(?:es|ed)?", "unmatched, not seen"),
    (r"strangers?|ghosts?|episodes?", "the name of what is meant"),
    (r"(?:can|may) be marked", "ECN-capable (ECT)"),
    (r"congestion marks?", "ECN CE mark"),
    (r"ask(?:s|ed|ing)? for silence|silence[sd]", "PFC pause, XOFF frames"),
    (r"stands? still|stood still|h(?:e|o)ld(?:s|ing)? (?:(?:it|them) )?up\b(?! to)", "stalled"),
    (r"t(?:ell|old)(?:s|ing)? (?:\w+ )?apart", "ambiguous, distinguished"),
    (r"goes back to the first", "go-back-N"),
    (r"exonerat\w*", "ok, no fault found"),
    (r"not to be seen|could not be seen|cannot be seen", "not observable"),
    (r"known again", "matched"),
    (r"beyond noise", "statistically significant"),
    (r"snap length", "snaplen"),
    (r"times? went back", "out-of-order timestamps"),
    (r"damaged", "corrupted"),
    (r"peel(?:s|ed|ing)? off", "decapsulated"),
    (r"leave the house|in the house", "anonymized"),
    (r"octets?", "bytes"),
    (r"analys(?:e|es|ed|ing|er)", "analyze"),
    (r"colours?|coloured", "color"),
    (r"recognis\w+|behaviours?|licences?|cancelled|signalling",
     "American spelling"),
)]
# likewise, but not yet in comments of C
SHOWN = [(re.compile(rf"\b(?:{old})\b", re.I), new) for old, new in (
    (r"(?:never|had(?: not)?) passed(?! since)", "seen, not seen"),
    (r"c[ao]mes? (?:as )?late", "reordered, late"),
    (r"ask(?:s|ed)? for (?:it|them) again", "sent a NAK"),
    (r"no answer came|nobody (?:asked|is blamed)", "no ACK; no NAK"),
    (r"(?:one|two|these|those) places", "capture point"),
    (r"what is (?:said|told) of", "reported"),
    (r"(?:stream of|behind|before|reach(?:ed)?) th(?:e|is) tap\b", "capture point"),
)]
# Quotations: names and texts of fields as their specifications have them.
QUOTED = re.compile(r"src/wire/|docs/wire/")
# Generated from other files.
GENERATED = re.compile(r"docs/(?:schema|rules-recovery)\.md|queries/README\.md")
# "src dst lost_min": columns of a list, by name
NAMES = re.compile(r"[a-z0-9_?=. -]*_[a-z0-9_?=. -]*")
C_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\])*\'|"(?:\\.|[^"\\])*"'
                     r'|^[ \t]*#[ \t]*include[^\n]*', re.S | re.M)
SQL_TOKEN = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:''|[^'])*'", re.S)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`|\]\([^)]*\)|^    \S[^\n]*$",
                  re.S | re.M)
MACRO = re.compile(r"^\.(?:Fl|Cm|Ql|Li|Pa|Em|Dl|Xr|Ar)\b[^\n]*$", re.M)


def literals(text):
    """(position, words) of C strings; those that follow each other are one."""
    last, begun, said = None, 0, ""
    for m in C_TOKEN.finditer(text):
        if m[0][0] != '"':
            continue
        if last is None or text[last:m.start()].strip():
            yield begun, said
            begun, said = m.start(), ""
        said += m[0][1:-1]
        last = m.end()
    yield begun, said


def quoted(text):
    """(position, words) of JavaScript strings, each alone."""
    for m in C_TOKEN.finditer(text):
        if m[0][0] in "'\"":
            yield m.start(), m[0][1:-1]


def remarks(text):
    """(position, words) of C comments."""
    for m in C_TOKEN.finditer(text):
        if m[0][0] == "/":
            yield m.start(), CODE.sub("", m[0])


def descriptions(text):
    for m in re.finditer(r'"description": "([^"]*)"', text):
        yield m.start(), m[1]


def titles(text):
    for m in re.finditer(r"^(?:title|about) (.*)$", text, re.M):
        yield m.start(), m[1]


def statements(text):
    head = re.match(r"(?:--[^\n]*\n)*", text)[0]
    yield 0, re.sub(r"^-- (?:column|param) \S+ \S+", "", head, flags=re.M)
    for m in SQL_TOKEN.finditer(text, len(head)):
        if m[0][0] == "'":
            yield m.start(), m[0][1:-1]


def comments(text):
    for m in re.finditer(r"--([^\n]*)", text):
        yield m.start(), CODE.sub("", m[1])


def prose(text):
    yield 0, MACRO.sub("", CODE.sub(lambda m: re.sub(r"[^\n]", "", m[0]), text))


def texts(root):
    """(path, position, text) of what people see."""
    for folders, kinds, parts in (
            (("src", "dissectors"), ("*.c", "*.h", "*.def"), literals),
            (("src", "dissectors"), ("*.c", "*.h", "*.def"), remarks),
            (("src",), ("*.js",), quoted),
            (("src",), ("*.js",), remarks),
            (("captures",), ("*.fab",), titles),
            (("docs",), ("*.json",), descriptions),
            (("queries",), ("*.sql",), statements),
            (("src",), ("*.sql",), comments),
            (("docs", "queries"), ("*.md", "*.in"), prose)):
        for path in sorted(p for f in folders for k in kinds
                           for p in (root / f).rglob(k)):
            text = path.read_text()
            for at, said in parts(text):
                yield path, text, at, said
    text = (root / "README.md").read_text()
    for at, said in prose(text):
        yield root / "README.md", text, at, said


def offences(root):
    for path, text, at, said in texts(root):
        if " " not in said.strip() or NAMES.fullmatch(said):
            continue
        name = str(path.relative_to(root))
        if QUOTED.match(name) or GENERATED.match(name):
            continue
        for word, better in WORDS + SHOWN * (text[at:at + 2] != "/*"):
            for m in word.finditer(said):
                line = text.count("\n", 0, at) + 1
                if at == 0:
                    line += said.count("\n", 0, m.start())
                yield name, line, m[0], better


def main():
    wrong = [f"{name}:{line}: {word!r}: {better}" for name, line, word, better
             in offences(pathlib.Path(sys.argv[1]))]
    print("\n".join(wrong) or "the words of the field")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
