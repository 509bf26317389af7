#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The plugin against the Wireshark of other Debian suites: builds it in a chroot
# of each, and runs its tests there.  As root; needs debootstrap and a mirror.
# usage: versions.sh SUITE...     e.g. trixie sid
# MIRROR: where packages come from, a frozen copy will do; KEEP: a folder whose chroots are kept.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
keep=${KEEP:-$(mktemp -d)}
# What the build needs is written in quickstart.
eval "$(sed -n '/^build_packages="/,/"$/p' "$source/quickstart")"
packages="$build_packages tshark python3 util-linux"
tests="ways uet_notes roce chain congestion settings statistics same_verdicts hostile install"

in_chroot()
{
	chroot "$keep/$suite" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
		sh -euc "$1"
}

make_chroot()
{
	[ -d "$keep/$suite/usr" ] ||
		debootstrap --variant=minbase "$suite" "$keep/$suite" \
			${MIRROR:+"$MIRROR"}
	in_chroot "echo wireshark-common wireshark-common/install-setuid \
		boolean false | debconf-set-selections
	apt-get -q -o Acquire::Check-Valid-Until=false update
	apt-get -q install -y --no-install-recommends $(echo $packages)"
}

run_tests()
{
	mkdir -p "$keep/$suite/src"
	mount --bind "$source" "$keep/$suite/src"
	mount -t proc proc "$keep/$suite/proc"
	in_chroot "
	cmake -S /src -B /build -G Ninja -DFABSCOPE_TESTS=OFF
	ninja -C /build fabscope fabscope_wireshark
	tshark -v | head -1
	export FABSCOPE=/build/fabscope PLUGINS=/build/wireshark
	bad=0
	for name in $tests; do
		echo == \$name
		python3 -B /src/tests/dissectors/\$name.py || bad=1
	done
	exit \$bad" || failed=1
	umount "$keep/$suite/src" "$keep/$suite/proc"
}

[ $# -gt 0 ] || { sed -n '3,7s/^# //p' "$0"; exit 2; }
failed=0
for suite; do
	make_chroot
	run_tests
done
[ -n "${KEEP:-}" ] || rm -r "$keep"
exit $failed
