/* SPDX-License-Identifier: GPL-2.0-or-later
 * Counters of sysfs: a copy of the tree, in which each file holds a number, or
 * what  grep -H . FILE...  prints of it, PATH:VALUE in lines.
 *	infiniband/DEVICE/ports/N/counters/NAME (hw_counters, gids)
 *	infiniband/DEVICE/ports/N/gid_attrs/ndevs/N, the interface of a GID
 *	net/INTERFACE/statistics/NAME, net/INTERFACE/address
 *	net/INTERFACE/ecn/roce_np/NAME, roce_rp: DCQCN of mlx5 */
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

/* The next part of a path; it ends with it. */
static char *next_part(char **path)
{
	return strsep(path, "/");
}

static bool infiniband_value(struct evidence_part *part, char *path,
			     const char *value)
{
	struct evidence_of of = OF_PORT(next_part(&path));
	const char *ports = next_part(&path), *kind, *name;

	if (!ports || strcmp(ports, "ports") != 0 || !next_part(&path))
		return false;
	kind = next_part(&path);
	name = next_part(&path);
	if (kind && name && path && !strcmp(kind, "gid_attrs") &&
	    !strcmp(name, "ndevs") && !strchr(path, '/')) {
		put_gid(part, &of, path, NULL, value);
		return true;
	}
	if (!kind || !name || path)
		return false;
	if (!strcmp(kind, "counters") || !strcmp(kind, "hw_counters"))
		put_text(part, &of, name, value);
	else if (!strcmp(kind, "gids"))
		put_gid(part, &of, name, value, NULL);
	else
		return false;
	return true;
}

/* DCQCN of mlx5: times in us. */
static bool ecn_value(struct evidence_part *part, const struct evidence_of *of,
		      const char *name, const char *value)
{
	static const struct {
		const char *name;
		enum evidence_setting_id id;
	} known[] = {
		{ "min_time_between_cnps", SETTING_CNP_INTERVAL },
		{ "rate_reduce_monitor_period", SETTING_CUT_PERIOD },
	};
	int64_t us;

	for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name) &&
		    value_parse(value, 1, &us) && us < 1000000000) {
			put_setting(part, of, known[i].id, -1, us * 1000);
			return true;
		}
	return false;
}

static bool net_value(struct evidence_part *part, char *path, const char *value)
{
	struct evidence_of of = OF_PORT(next_part(&path));
	const char *kind = next_part(&path), *name = next_part(&path);

	if (kind && name && path && !strcmp(kind, "ecn"))
		return ecn_value(part, &of, next_part(&path), value);
	if (!kind || path)
		return false;
	if (!name && !strcmp(kind, "address"))
		put_address(part, &of, NULL, value);
	else if (name && !strcmp(kind, "statistics"))
		put_text(part, &of, name, value);
	else
		return false;
	return true;
}

bool sysfs_value(struct evidence_part *part, const char *path,
		 const char *value)
{
	static const struct {
		const char *folder;
		bool (*read)(struct evidence_part *, char *, const char *);
	} trees[] = { { "infiniband/", infiniband_value },
		      { "net/", net_value } };
	bool known = false;

	for (size_t i = 0; !known && i < sizeof trees / sizeof *trees; i++) {
		const char *at = strstr(path, trees[i].folder);
		char *copy;

		if (!at || (at > path && at[-1] != '/'))
			continue;
		copy = strdup(at + strlen(trees[i].folder));
		known = copy && trees[i].read(part, copy, value);
		free(copy);
	}
	return known;
}

/* A copy of the tree is in a folder, HOST/before/sys/class/infiniband/...,
 * whose name says what that of a file does. */
static void tree_device(struct evidence_part *part)
{
	static const char *const begins[] = { "/sys/class/", "/infiniband/",
					      "/net/" };
	const char *at = NULL;

	if (part->device_by != DEVICE_PATH)
		return;
	for (size_t i = 0; !at && i < sizeof begins / sizeof *begins; i++)
		at = strstr(part->path, begins[i]);
	if (at)
		name_of_path(part, (size_t)(at - part->path));
}

/* One file of a tree: its path says what its only line is. */
static bool read_leaf(struct evidence_part *part, const char *text)
{
	char value[EVIDENCE_TEXT];
	size_t n = strcspn(text, "\n");

	if (n >= sizeof value || text[n + strspn(text + n, "\r\n")])
		return false;
	memcpy(value, text, n);
	value[n] = 0;
	tree_device(part);
	return sysfs_value(part, part->path, text_trim(value));
}

/* Where the value begins: behind the last colon of counters, behind the first
 * behind the name of GIDs and MAC addresses. */
static char *value_in(char *line)
{
	char *slash = strrchr(line, '/');

	return slash ? strchr(slash, ':') : NULL;
}

bool read_sysfs(struct evidence_part *part, char *text)
{
	char *line;
	bool any = false;

	if (read_leaf(part, text))
		return true;
	if (!strstr(text, "infiniband/") && !strstr(text, "net/"))
		return false;
	while ((line = text_line(&text))) {
		char *colon = value_in(line);

		if (!colon)
			continue;
		*colon = 0;
		if (sysfs_value(part, line, text_trim(colon + 1)))
			any = true;
	}
	return any;
}
