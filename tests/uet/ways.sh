#!/bin/sh
# Simulated captures for ways.c:  ways.sh FABSCOPE WAYS SCENARIOS NAME...
set -eu
fabscope=$1 ways=$2 scenarios=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for name; do
	"$fabscope" simulate "$scenarios/$name.fab" -w "$dir/$name.pcapng" \
		>/dev/null
done
# Many contexts, and few; cut to the headers.
"$fabscope" simulate --bench 20000 --uet --loss 0.002 -w "$dir/few.pcap"
"$fabscope" simulate --bench 20000 --uet --pairs 2000 -w "$dir/many.pcap"
"$ways" "$dir"/*.pcap*
