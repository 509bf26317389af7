/* SPDX-License-Identifier: GPL-2.0-or-later
 * Opening a result database the way the options say. */
#include "cli/result.h"

#include <stdio.h>

#include "base/units.h"
#include "store/store.h"

bool result_is_anonymous(const struct args *a)
{
	return args_has(a, "anonymize") || args_has(a, "anonymize-key");
}

int result_key(const struct args *a, struct anonymous_key *k, struct err *err)
{
	static struct anonymous_key random;
	static bool made; /* two databases of one run have one key */
	const char *path = args_value(a, "anonymize-key");

	if (!result_is_anonymous(a))
		return 0;
	if (path)
		return anonymous_key_read(k, path, err) ? -1 : 1;
	if (!made && anonymous_key_random(&random, err))
		return -1;
	made = true;
	*k = random;
	return 1;
}

struct store *result_open(const struct args *a, const char *path,
			  struct err *err)
{
	struct anonymous_key key;
	int anonymous = result_key(a, &key, err);
	struct store *s, *other;

	if (anonymous < 0)
		return NULL;
	s = store_open(path, err);
	if (!s || !anonymous)
		return s;
	other = store_anonymous(s, &key, NULL, err);
	store_free(s);
	return other;
}

void result_say_unread(uint64_t unread, uint64_t packets)
{
	char some[UNITS_TEXT], all[UNITS_TEXT];

	if (unread)
		fprintf(stderr,
			"%s: of %s of %s packets only the headers that are "
			"known are there; the rest of them is zeros\n",
			command_program, units_count(unread, some),
			units_count(packets, all));
}
