#!/usr/bin/env zsh
# SPDX-License-Identifier: GPL-2.0-or-later
# What zsh makes of a line when TAB is pressed, in a terminal of its own.
# usage: cli_completion.zsh FOLDER, where real.db and two.db are
zmodload zsh/zpty
zpty typist zsh -f -i
zpty -w typist "PS1= RPS1= TERM=dumb; fpath=($1 \$fpath);" \
	"autoload -U compinit; compinit -u -D; print rea''dy"
zpty -r typist shown '*ready*'

# becomes TYPED REST: what TAB adds
becomes()
{
	zpty -w -n typist $'\C-u'"$1"$'\t'
	zpty -r typist shown "*${(b)2}*" || exit 1
}

becomes "fabscope ann" "otate"
becomes "fabscope slice tw" "o.db"
becomes "fabscope slice real.db fin" "ding:1"
becomes "fabscope plot two.db matrix:r" "ail"
becomes "fabscope query two.db losses --param li" "mit="
becomes "fabscope whatif two.db --set lb=flowlet,dcqcn.f" "ast="
zpty -d typist
