#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Does every source have the format of .clang-format?  With --fix, makes it so.
# usage: format.sh CLANG_FORMAT [--fix]      (77: another version, skipped)
set -eu
tool=$1
"$tool" --version | grep -q 'version 14\.' || {
	echo "clang-format 14 is what .clang-format is written for"
	exit 77
}
how="--dry-run -Werror"
[ "${2:-}" = --fix ] && how=-i
cd "$(dirname "$0")/../.."
find include src tests dissectors -name '*.[ch]' -print0 2>/dev/null |
	xargs -0 "$tool" $how
