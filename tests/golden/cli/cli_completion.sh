#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash offers, word by word.
# usage: cli_completion.sh FOLDER
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
captures=$here/../../../captures
bash -n "$folder/fabscope"
# shellcheck disable=SC1091
. "$folder/fabscope"
failed=0

# offers "EXPECTED WORDS" WORD...: the last one is being typed
offers()
{
	local expected=$1
	shift
	COMP_LINE="fabscope $*"
	# bash breaks words at these as well
	read -ra COMP_WORDS <<<"$(sed 's/[:=]/ & /g' <<<"$COMP_LINE")"
	[[ ${*: -1} ]] && [[ ${*: -1} != *[:=] ]] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_fabscope || true
	if [ "${COMPREPLY[*]}" != "$expected" ]; then
		echo "$*: \"${COMPREPLY[*]}\", not \"$expected\""
		failed=1
	fi
}

PATH=$folder/..:$PATH
cd "$(mktemp -d)"
touch one.pcap two.db
offers "analyze annotate" a
offers "--json" analyze --js
offers "csv" query --format c
offers "table csv json jsonl" query --format ""
offers "--describe" query x.db --d
offers "one.pcap" analyze o
offers "two.db" slice t
offers "two.db" report ""
offers "two.db" diff two.db ""
offers "two.db" report -o r.html ""
offers "losses" query two.db loss
offers "query" help q
offers "limit=" query two.db losses --param l
offers "tail_loss tail_loss_upstream" simulate tail_l
offers "lo" live -i lo
offers "critical" analyze --fail-on c
offers "" query --param x
offers "flow: matrix matrix:server matrix:host matrix:switch matrix:rail matrix:pod" plot two.db ""
offers "flow: time: frames:" slice two.db ""
fabscope analyze -o real.db "$captures/d12_drop_tail_timeout.pa.pcap" >log 2>&1
offers "finding:1" slice real.db find
offers "1" slice real.db finding:
offers "rail" plot two.db matrix:r
offers "dcqcn.fast=" whatif --set dcqcn.f
offers "flowlet,wred.kmin=" whatif two.db --set lb=flowlet,wred.kmi
if command -v zsh >/dev/null; then
	zsh -n "$folder/_fabscope" &&
		timeout 60 "$here/cli_completion.zsh" "$folder" || failed=1
fi
rm -r "$PWD"
exit $failed
