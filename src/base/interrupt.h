/* SPDX-License-Identifier: GPL-2.0-or-later
 * ^C while there is something to keep: the first one ends a part of the work,
 * the next one the program. */
#ifndef FABSCOPE_BASE_INTERRUPT_H
#define FABSCOPE_BASE_INTERRUPT_H

#include <stdbool.h>

/* From now on one ^C is kept for interrupt_came(). */
void interrupt_keep(void);

/* No longer; did one come since interrupt_keep()? */
bool interrupt_over(void);

/* Did one come? */
bool interrupt_came(void);

/* For the handler of the signal: false when it is to end the program. */
bool interrupt_take(void);

#endif
