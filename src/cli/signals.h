/* SPDX-License-Identifier: GPL-2.0-or-later
 * Signals that end the program: nothing half-made stays behind. */
#ifndef FABSCOPE_CLI_SIGNALS_H
#define FABSCOPE_CLI_SIGNALS_H

/* From here on a signal that ends the program takes temporary files along. */
void signals_catch(void);

/* The next ^C is for the program at the other end of our standard input, a
 * tcpdump perhaps, whose last packets are still wanted; one more is for us. */
void signals_spare_one(void);

#endif
