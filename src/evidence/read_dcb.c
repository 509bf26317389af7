/* SPDX-License-Identifier: GPL-2.0-or-later
 * How a NIC treats priorities.  Neither says which interface it is: the header
 * line or the name of the file does.
 *	mlnx_qos -i INTERFACE (Mellanox/mlnx-tools, python/mlnx_qos):
 *		Priority trust state: dscp
 *		dscp2prio mapping:
 *			prio:3 dscp:31,30,29,28,27,26,25,24,
 *		Cable len: 7
 *		PFC configuration:
 *			priority    0   1   2   3   4   5   6   7
 *			enabled     0   0   0   1   0   0   0   0
 *		tc: 3 ratelimit: unlimited, tsa: strict
 *			 priority:  3
 *	dcb pfc|ets|app show dev INTERFACE (iproute2, dcb/):
 *		prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
 *		tc-tsa 0:strict 1:ets ...
 *		dscp-prio 26:3 48:6
 *	the same with -j: {"prio_pfc":[false,...]}, {"tc_tsa":["strict",...]},
 *		{"dscp_prio":[[26,3," "],[48,6," "]]} */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

static const struct evidence_of whole = { .at_ns = EVIDENCE_UNKNOWN,
					  .priority = -1 };

static const char *behind(const char *line, const char *before)
{
	size_t n = strlen(before);

	return strncmp(line, before, n) ? NULL : line + n;
}

static void put_pfc_row(struct evidence_part *part, const char *at)
{
	char *end;

	at += strspn(at, ": \t");
	for (int i = 0; i < 8; i++, at = end) {
		long on = strtol(at, &end, 10);

		if (end == at)
			return;
		put_setting(part, &whole, SETTING_PFC, i, on == 1);
	}
}

static void put_dscps(struct evidence_part *part, const char *at)
{
	int priority, n = 0;

	if (sscanf(at, "%d dscp:%n", &priority, &n) != 1 || !n)
		return;
	for (at += n; *at >= '0' && *at <= '9';) {
		char *end;
		long dscp = strtol(at, &end, 10);

		if (dscp < 64)
			put_setting(part, &whole, SETTING_DSCP_PRIORITY,
				    (int)dscp, priority);
		at = end + (*end == ',');
	}
}

bool read_mlnx_qos(struct evidence_part *part, char *text)
{
	bool pfc = false;
	char *line;

	if (!strstr(text, "Priority trust state:") ||
	    !strstr(text, "PFC configuration:"))
		return false;
	while ((line = text_line(&text))) {
		const char *at;
		int tc;
		char tsa[16];

		if (behind(line, "PFC configuration:"))
			pfc = true;
		else if (pfc && (at = behind(line, "enabled")))
			put_pfc_row(part, at);
		else if ((at = behind(line, "prio:")))
			put_dscps(part, at);
		else if ((at = behind(line, "Cable len: ")))
			put_setting(part, &whole, SETTING_CABLE, -1,
				    value_small(at));
		else if (sscanf(line, "tc: %d ratelimit: %*[^,], tsa: %15[a-z]",
				&tc, tsa) == 2 &&
			 tc >= 0 && tc < 8)
			put_setting(part, &whole, SETTING_STRICT, tc,
				    !strcmp(tsa, "strict"));
	}
	return true;
}

/* ---- dcb ---- */

static int pfc_word(const char *word)
{
	return !strcmp(word, "on");
}

static int tsa_word(const char *word)
{
	return !strcmp(word, "strict");
}

static const struct {
	const char *name, *json;
	enum evidence_setting_id id;
	int (*value)(const char *word); /* NULL: a number */
	int most;
} lists[] = {
	{ "prio-pfc", "prio_pfc", SETTING_PFC, pfc_word, 8 },
	{ "tc-tsa", "tc_tsa", SETTING_STRICT, tsa_word, 8 },
	{ "dscp-prio", "dscp_prio", SETTING_DSCP_PRIORITY, NULL, 64 },
};

/* iproute2, etc/iproute2/rt_dsfield: dcb prints DSCPs by name; AFxy is 8x + 2y.
 */
static int dscp_of(const char *name)
{
	if (!strcmp(name, "default"))
		return 0;
	if (!strncmp(name, "AF", 2) && name[2] && name[3])
		return 8 * (name[2] - '0') + 2 * (name[3] - '0');
	if (!strncmp(name, "CS", 2))
		return 8 * value_small(name + 2);
	if (!strcmp(name, "EF"))
		return 46;
	return *name >= '0' && *name <= '9' ? value_small(name) : -1;
}

static void put_list(struct evidence_part *part, size_t which, char *at)
{
	char *rest = NULL;

	for (char *item = strtok_r(at, " \t", &rest); item;
	     item = strtok_r(NULL, " \t", &rest)) {
		char *colon = strchr(item, ':');
		int number;

		if (!colon)
			return; /* the next list, on one line */
		*colon = 0;
		number = dscp_of(item);
		if (number < 0 || number >= lists[which].most)
			continue;
		put_setting(part, &whole, lists[which].id, number,
			    lists[which].value ? lists[which].value(colon + 1)
					       : value_small(colon + 1));
	}
}

bool read_dcb(struct evidence_part *part, char *text)
{
	const size_t n = sizeof lists / sizeof *lists;
	bool known = false;
	char *line;

	for (size_t i = 0; !known && i < n; i++) {
		const char *at = strstr(text, lists[i].name);

		known = at && at[strlen(lists[i].name)] == ' ' &&
			strchr("0123456789ACEd", at[strlen(lists[i].name) + 1]);
	}
	if (!known)
		return false;
	while ((line = text_line(&text)))
		for (size_t i = 0; i < n; i++) {
			char *at = strstr(line, lists[i].name);
			char copy[1024];

			if (!at)
				continue;
			snprintf(copy, sizeof copy, "%s",
				 at + strlen(lists[i].name));
			put_list(part, i, copy);
		}
	return true;
}

static void put_item(struct evidence_part *part, size_t which, int64_t number,
		     int64_t value)
{
	if (number >= 0 && number < lists[which].most && value >= 0 &&
	    value <= NUMBER_MOST)
		put_setting(part, &whole, lists[which].id, (int)number, value);
}

static void put_json_list(struct evidence_part *part, size_t which,
			  const json_t *list)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		const json_t *number = json_array_get(v, 0);
		const json_t *value = json_array_get(v, 1);

		if (json_is_boolean(v))
			put_item(part, which, (int64_t)i, json_is_true(v));
		else if (json_is_string(v) && lists[which].value)
			put_item(part, which, (int64_t)i,
				 lists[which].value(json_string_value(v)));
		else if (json_is_integer(number) && json_is_integer(value))
			put_item(part, which, json_integer_value(number),
				 json_integer_value(value));
	}
}

bool read_dcb_json(struct evidence_part *part, json_t *document)
{
	bool known = false;

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const json_t *list = json_object_get(document, lists[i].json);

		known |= json_is_array(list);
		put_json_list(part, i, list);
	}
	return known;
}
