#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# WIRE_GET and WIRE_SET fold at -O2: reading every field of every header takes
# no jump and no call.
# usage: fold.sh CC SOURCE_DIR                (77: not x86-64, skipped)
set -eu
[ "$(uname -m)" = x86_64 ] || exit 77
asm=$("$1" -std=gnu11 -O2 -S -o - -I "$2/src" "$(dirname "$0")/fold.c")
functions=$(echo "$asm" | grep -c '^[gs]et_[a-z0-9_]*:') || true
if [ "$functions" -lt 100 ]; then
	echo "only $functions functions found"
	exit 1
fi
if echo "$asm" | grep -E '^.(j[a-z]+.\.L|callq?.)'; then
	echo "the accessors did not fold"
	exit 1
fi
