/* SPDX-License-Identifier: GPL-2.0-or-later
 * ^C. */
#include "base/interrupt.h"

#include <stdatomic.h>

/* Any thread asks; ATOMIC_INT_LOCK_FREE, so that a handler may as well. */
static atomic_int kept, came;

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
