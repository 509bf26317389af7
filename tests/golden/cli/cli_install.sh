#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `cmake --install` puts where, and that a program of somebody else can
# be built against it with pkg-config, shared and static.
# usage: cli_install.sh CMAKE BUILD CC SANITIZERS
set -eu
cmake=$1 build=$2 cc=$3 sanitizers=$4
here=$(cd "$(dirname "$0")" && pwd)
capture=$here/../../../captures/d11_drop_every_400.pa.pcap
root=$(mktemp -d)
trap 'rm -r "$root"' EXIT

"$cmake" --install "$build" --prefix "$root" >"$root/log"
lib=$(dirname "$(find "$root" -name libfabscope.so)")
for file in bin/fabscope include/fabscope/fabscope.h \
	share/man/man1/fabscope.1 share/man/man1/fabscope-analyze.1 \
	share/bash-completion/completions/fabscope \
	share/zsh/site-functions/_fabscope \
	share/fabscope/queries/export/verdict/findings.sql; do
	[ -f "$root/$file" ] || { echo "$file is not there"; exit 1; }
done

# Nothing visible but the public API.
for names in "nm -D --defined-only $lib/libfabscope.so" \
	"nm -g --defined-only $lib/libfabscope.a"; do
	if $names | awk 'NF == 3 { print $3 }' |
			grep -v -e '^fabscope_' -e '^__odr_asan'; then
		echo "visible: $names"
		exit 1
	fi
done

# The installed header alone, also as C++ and as old C.
flags="-Wall -Wextra -Werror ${sanitizers:+-fsanitize=$sanitizers}"
export PKG_CONFIG_PATH=$lib/pkgconfig
# shellcheck disable=SC2046,SC2086
"$cc" $flags -o "$root/shared" "$here/example.c" \
	$(pkg-config --cflags --libs fabscope)
# The archive, and the libraries of the system as they are.
mkdir "$root/archive"
ln -s "$lib/libfabscope.a" "$root/archive"
wanted=$(pkg-config --static --libs fabscope)
case $wanted in *systemd*|*dbus*) echo "it wants $wanted"; exit 1;; esac
# shellcheck disable=SC2046,SC2086
"$cc" $flags -o "$root/static" "$here/example.c" \
	$(pkg-config --cflags fabscope) -L"$root/archive" $wanted
if ldd "$root/static" | grep libfabscope; then
	echo "it is not static"
	exit 1
fi

"$root/bin/fabscope" analyze -o "$root/program.db" "$capture" >/dev/null
LD_LIBRARY_PATH=$lib "$root/shared" "$capture" "$root/shared.db" \
	>"$root/shared.out"
"$root/static" "$capture" "$root/static.db" >"$root/static.out"
cmp "$root/shared.out" "$root/static.out"
for sql in "SELECT count(*), sum(packets) FROM flow" \
	"SELECT count(*) FROM event" "SELECT title FROM finding"; do
	want=$(sqlite3 "$root/program.db" "$sql")
	for kind in shared static; do
		got=$(sqlite3 "$root/$kind.db" "$sql")
		[ "$got" = "$want" ] || { echo "$sql: $got, not $want"; exit 1; }
	done
done
# By hand the engine finds the same flows.
want=$(sqlite3 -separator ' ' "$root/program.db" \
	"SELECT 'total flows', count(*), 'packets', sum(packets) FROM flow")
grep -qx "$want" "$root/shared.out"
grep -q '^event ' "$root/shared.out"
# With a topology file that has RoCE on another port there are none.
grep -qx 'total flows 0 packets 0' "$root/shared.out"
for kind in shared static; do
	got=$(sqlite3 "$root/$kind.db.elsewhere" "SELECT count(*) FROM flow")
	[ "$got" = 0 ] || { echo "$got flows on another port"; exit 1; }
done
