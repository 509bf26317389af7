#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Mistakes in a .def file, and in the use of one, stop the compiler and point
# at the mistake.  Each is made in a copy of src/wire.
# usage: misuse.sh CC SOURCE_DIR
set -u
cc=$1
src=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# compile FILE: with the copy in front of the real sources
compile() {
	"$cc" -std=gnu11 -fsyntax-only -I "$dir" -I "$src/src" "$1" 2>&1
}

# refused NAME WORDS PLACE: the copy as it is now does not compile, and the
# messages have WORDS and name PLACE.
refused() {
	if messages=$(compile "$dir/use.c"); then
		echo "$1: compiled"
		failed=1
	elif ! echo "$messages" | grep -q "$2"; then
		echo "$1: nobody says \"$2\":"
		echo "$messages"
		failed=1
	elif ! echo "$messages" | grep -q "$3:[0-9]"; then
		echo "$1: nobody points at $3:"
		echo "$messages"
		failed=1
	fi
	rm -rf "$dir/wire"
	cp -R "$src/src/wire" "$dir"
}

# change FILE SED-SCRIPT: and make sure that something did change
change() {
	sed "$2" "$src/src/wire/$1" >"$dir/wire/$1"
	if cmp -s "$src/src/wire/$1" "$dir/wire/$1"; then
		echo "$1: \"$2\" changes nothing"
		failed=1
	fi
}

use() {
	printf '#include "wire/wire.h"\nuint64_t use(uint8_t *p);\n' >"$dir/use.c"
	printf 'uint64_t use(uint8_t *p)\n{\n\treturn %s;\n}\n' "$1" \
		>>"$dir/use.c"
}

cp -R "$src/src/wire" "$dir"
use 'WIRE_GET(bth, psn, p)'
if ! compile "$dir/use.c" || ! compile "$dir/wire/table.c"; then
	echo "unchanged: does not compile"
	failed=1
fi

change roce.def 's/FIELD(psn,        24/FIELD(psn,        23/'
refused 'psn of 23 bits' 'bth is not 12 bytes' roce.def
change net.def 's/END(eth, 14)/END(eth, 16)/'
refused 'Ethernet of 16 bytes' 'eth is not 16 bytes' net.def
change roce.def 's/FIELD(destqp, /FIELD(psn, /'
refused 'two fields of a name' 'psn' roce.def
use 'WIRE_GET(ipv6, src, p)'
refused 'an IPv6 address as a number' 'ipv6.src is too wide' use.c
use '*WIRE_PTR(ipv4, ihl, p)'
refused 'a pointer into a byte' 'ipv4.ihl is not on a byte' use.c
use 'WIRE_GET(bth, msn, p)'
refused 'a field of another header' 'msn' use.c

printf '#include "wire/table.c"\n' >"$dir/use.c"
change roce.def '/NAME(NAK_INVALID,/s/1/0/'
refused 'a value named twice' 'duplicate case' roce.def
change roce.def '/RELIABLE(FETCH_ADD,/s/0x14/0x13/'
refused 'an opcode named twice' 'duplicate case' roce.def
change roce.def 's/NUMBER(30, 32768)/NUMBER(29, 32768)/'
refused 'a code with two numbers' 'duplicate case' roce.def
change tunnel.def '/VARIANT(erspan3_sub, platform, 7/s/erspan3_sub7/erspan3/'
refused 'a form of another size' 'erspan3' tunnel.def

exit $failed
