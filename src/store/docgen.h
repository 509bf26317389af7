/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pages that docgen makes. */
#ifndef FABSCOPE_STORE_DOCGEN_H
#define FABSCOPE_STORE_DOCGEN_H

void rules_page(void);

#endif
