/* SPDX-License-Identifier: GPL-2.0-or-later
 * Questions for programs that know SQLite and not fabscope: without its SQL
 * functions, and with parameters that come as text from a form. */
#ifndef FABSCOPE_STORE_PLAIN_H
#define FABSCOPE_STORE_PLAIN_H

#include "base/err.h"

struct query;

/* The statement of |q| for free(): a parameter that is given as '' has its
 * default, and numbers are made of texts.  NULL and |err|: it needs what only
 * fabscope has (ERR_FORMAT), or no memory. */
char *plain_sql(const struct query *q, struct err *err);

#endif
