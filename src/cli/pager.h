/* SPDX-License-Identifier: GPL-2.0-or-later
 * Long output on a terminal goes through a pager, as that of git does.
 *
 * $FABSCOPE_PAGER, else $PAGER, else less, which leaves at once what fits the
 * screen.  An empty name or "cat" means none. */
#ifndef FABSCOPE_CLI_PAGER_H
#define FABSCOPE_CLI_PAGER_H

/* Starts a process that becomes the pager when there is something to show: for
 * those who cannot start one later. */
void pager_prepare(void);

/* Standard output goes there from now on, if it is a terminal. */
void pager_start(void);

/* Until the reader has seen enough.  Also for handlers of signals, when what
 * is buffered does not matter any more. */
void pager_wait(void);

#endif
