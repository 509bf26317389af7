/* SPDX-License-Identifier: GPL-2.0-or-later
 * The program. */
#include "cli/command.h"
#include "cli/say.h"
#include "cli/signals.h"
#include "store/store.h"

int main(int argc, char **argv)
{
	say_opened();
	signals_catch();
	store_alone();
	command_confined = true;
	return command_main(argc, argv);
}
