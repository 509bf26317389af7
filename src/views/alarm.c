/* SPDX-License-Identifier: GPL-2.0-or-later
 * Alarms: queries/export/verdict/alarms.sql decides. */
#include "views/alarm.h"

#include "store/query.h"
#include "views/rows.h"

const char alarm_levels[] = "critical warning network";

int alarm_raised(struct store *s, const char *level, struct err *err)
{
	struct catalogue *c = catalogue_builtin();
	struct rows r = { 0 };
	int rc = -1;

	if (!c)
		return err_set(err, ERR_MEMORY, "out of memory");
	if (!rows_ask(&r, s, c, "verdict/alarms", NULL, err))
		rc = rows_int(&r, 0, level, 0) > 0;
	rows_fini(&r);
	catalogue_free(c);
	return rc;
}
