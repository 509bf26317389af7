/* SPDX-License-Identifier: GPL-2.0-or-later
 * `fabscope simulate` without the rest of fabscope. */
#include "simulate/simulate.h"

int main(int argc, char **argv)
{
	return simulate_main(argc, argv);
}
