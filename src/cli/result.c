/* SPDX-License-Identifier: GPL-2.0-or-later
 * Opening a result database the way the options say. */
#include "cli/result.h"

#include "store/store.h"

int result_key(const struct args *a, struct anonymous_key *k, struct err *err)
{
	const char *path = args_value(a, "anonymize-key");

	if (!path && !args_has(a, "anonymize"))
		return 0;
	if (path ? anonymous_key_read(k, path, err)
		 : anonymous_key_random(k, err))
		return -1;
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

int result_refuse(const struct args *a, struct err *err)
{
	if (!args_has(a, "anonymize"))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--anonymize: packets hold the addresses themselves, in "
		       "headers, checksums and payload, and would not be "
		       "evidence any more if these were changed; hand over the "
		       "result instead: fabscope export DB --format db "
		       "--anonymize");
}
