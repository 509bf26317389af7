/* SPDX-License-Identifier: GPL-2.0-or-later
 * ^C. */
#include "base/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t kept, came;

void interrupt_keep(void)
{
	came = 0;
	kept = 1;
}

bool interrupt_over(void)
{
	kept = 0;
	return came;
}

bool interrupt_came(void)
{
	return came;
}

bool interrupt_take(void)
{
	if (!kept || came)
		return false;
	came = 1;
	return true;
}
