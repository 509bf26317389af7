#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The man pages are clean mdoc and say what --help says.
# usage: cli_man.sh FABSCOPE FOLDER
set -eu
program=$1
folder=$2
command -v mandoc >/dev/null || exit 77

for page in "$folder"/*.1; do
	# "referenced manual not found" is of level style: nothing is installed
	mandoc -T lint -W warning "$page"
done
for command in $("$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	grep -q "^\.It Cm $command\$" "$folder/fabscope.1"
	page=$folder/fabscope-$command.1
	if ! [ -f "$page" ]; then
		# help and version have no options to speak of
		! "$program" "$command" --help | grep -q '^More: man'
		continue
	fi
	for option in $("$program" "$command" --help |
			sed -n 's/^  .*--\([a-z]*\) .*/\1/p'); do
		mandoc -T ascii "$page" | sed 's/.\x08//g' |
			grep -q -e "--$option"
	done
done
