#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# clang-tidy over the sources of a build folder.
# usage: tidy.sh CLANG_TIDY BUILD [FILE...]
set -eu
tool=$1
build=$2
shift 2
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- $(find src -name '*.c' | sort)
printf '%s\n' "$@" |
	xargs -P "$(nproc)" -n 4 "$tool" --quiet --warnings-as-errors='*' \
		-p "$build" 2>/dev/null
