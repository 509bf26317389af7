/* SPDX-License-Identifier: GPL-2.0-or-later
 * SONiC: /etc/sonic/config_db.json (sonic-buildimage,
 * src/sonic-yang-models/doc/Configuration.md): tables by name, in them objects
 * by key, "Ethernet0" or "Ethernet0|3-4"; names of profiles may stand in
 * brackets, "[BUFFER_PROFILE|name]". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

enum { QUEUES = 64, DSCPS = 64, KEY_MAX = 4096, HASH_OTHER = 7 };

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* A number in an object, -1: none. */
static int64_t number_of(const json_t *o, const char *key)
{
	const char *text = text_of(o, key);
	int64_t value;

	return text && value_parse(text, 1, &value) ? value : -1;
}

/* The object that |name|, with or without "[TABLE|...]", is of. */
static const json_t *referred(const json_t *db, const char *table,
			      const char *name)
{
	const char *bar = name ? strchr(name, '|') : NULL;
	char plain[EVIDENCE_TEXT];

	if (!name)
		return NULL;
	text_keep(plain, bar && *name == '[' ? bar + 1 : name);
	plain[strcspn(plain, "]")] = 0;
	return json_object_get(json_object_get(db, table), plain);
}

/* Calls |put| for each port and each number of "Ethernet0,Ethernet4|3-4". */
struct each {
	struct evidence_part *part;
	const json_t *db, *o;
};

static void each_of_key(const struct each *x, const char *key,
			void (*put)(const struct each *, const char *, int))
{
	char copy[KEY_MAX], *bar, *rest = NULL;
	int from, to;

	if (strlen(key) >= sizeof copy)
		return;
	strcpy(copy, key);
	bar = strchr(copy, '|');
	if (!bar)
		return;
	*bar = 0;
	switch (sscanf(bar + 1, "%d-%d", &from, &to)) {
	case 1:
		to = from;
		break;
	case 2:
		break;
	default:
		return;
	}
	if (from < 0 || to >= QUEUES)
		return;
	for (char *port = strtok_r(copy, ",", &rest); port;
	     port = strtok_r(NULL, ",", &rest))
		for (int i = from; i <= to; i++) {
			put(x, port, i);
			/* few bytes may say many */
			if (x->part->evidence->dropped)
				return;
		}
}

static void put_keys(struct evidence_part *part, const json_t *db,
		     const char *table,
		     void (*put)(const struct each *, const char *, int))
{
	const char *key;
	json_t *o;

	json_object_foreach(json_object_get(db, table), key, o)
	{
		struct each x = { part, db, o };

		each_of_key(&x, key, put);
	}
}

/* ---- queues: scheduler and thresholds of ECN ---- */

static void put_queue(const struct each *x, const char *port, int queue)
{
	const struct evidence_of of = OF_PORT(port);
	const json_t *s =
		referred(x->db, "SCHEDULER", text_of(x->o, "scheduler"));
	const json_t *w =
		referred(x->db, "WRED_PROFILE", text_of(x->o, "wred_profile"));
	const char *type = text_of(s, "type"), *ecn = text_of(w, "ecn");
	int64_t min = number_of(w, "green_min_threshold");
	int64_t max = number_of(w, "green_max_threshold");
	bool marks = ecn &&
		     (!strcmp(ecn, "ecn_all") || strstr(ecn, "green") != NULL);

	if (type)
		put_setting(x->part, &of, SETTING_STRICT, queue,
			    !strcmp(type, "STRICT"));
	put_setting(x->part, &of, SETTING_ECN, queue, marks);
	if (marks && min >= 0)
		put_setting(x->part, &of, SETTING_ECN_MIN, queue, min);
	if (marks && max >= 0)
		put_setting(x->part, &of, SETTING_ECN_MAX, queue, max);
}

/* ---- priority groups: when they send PFC pause ---- */

/* The share of the pool that one congested queue may have is a / (1 + a), a two
 * to the power of dynamic_th. */
static int64_t xoff_at(const json_t *db, const json_t *profile)
{
	const json_t *pool =
		referred(db, "BUFFER_POOL", text_of(profile, "pool"));
	const char *th = text_of(profile, "dynamic_th");
	int64_t fixed = number_of(profile, "static_th");
	int64_t size = number_of(pool, "size");
	double a;

	if (fixed >= 0)
		return fixed;
	if (!th || size < 0 || abs(value_small(th)) > 16)
		return -1;
	a = pow(2, value_small(th));
	return (int64_t)(a / (1 + a) * (double)size);
}

static void put_group(const struct each *x, const char *port, int group)
{
	const struct evidence_of of = OF_PORT(port);
	const json_t *p =
		referred(x->db, "BUFFER_PROFILE", text_of(x->o, "profile"));
	int64_t headroom = number_of(p, "xoff");
	const struct {
		enum evidence_setting_id id;
		int64_t value;
	} values[] = { { SETTING_XON, number_of(p, "xon") },
		       { SETTING_XOFF, xoff_at(x->db, p) },
		       { SETTING_HEADROOM, headroom } };

	/* Only lossless ones have a headroom. */
	for (size_t i = 0; headroom >= 0 && i < 3; i++)
		if (values[i].value >= 0)
			put_setting(x->part, &of, values[i].id, group,
				    values[i].value);
}

/* ---- ports ---- */

/* "3,4" */
static uint32_t bits_of(const char *text)
{
	uint32_t bits = 0;

	for (; text && *text; text++)
		if (*text >= '0' && *text <= '7')
			bits |= 1u << (*text - '0');
	return bits;
}

static void put_map(struct evidence_part *part, const struct evidence_of *of,
		    const json_t *db, const json_t *port)
{
	const json_t *tc =
		referred(db, "DSCP_TO_TC_MAP", text_of(port, "dscp_to_tc_map"));
	const json_t *queue = referred(db, "TC_TO_QUEUE_MAP",
				       text_of(port, "tc_to_queue_map"));
	char dscp[16];

	for (int i = 0; tc && i < DSCPS; i++) {
		const char *class, *q;

		snprintf(dscp, sizeof dscp, "%d", i);
		class = text_of(tc, dscp);
		if (!class)
			continue;
		q = text_of(queue, class);
		put_setting(part, of, SETTING_DSCP_PRIORITY, i,
			    value_small(class));
		if (q || !queue)
			put_setting(part, of, SETTING_DSCP_QUEUE, i,
				    value_small(q ? q : class));
	}
}

static void put_port(struct evidence_part *part, const json_t *db,
		     const char *name, const json_t *o)
{
	const struct evidence_of of = OF_PORT(name);
	const json_t *wd = json_object_get(json_object_get(db, "PFC_WD"), name);
	const char *wd_bits = text_of(o, "pfcwd_sw_enable");
	int64_t ms = number_of(wd, "detection_time");
	uint32_t bits = bits_of(text_of(o, "pfc_enable"));

	for (int i = 0; i < 8; i++)
		put_setting(part, &of, SETTING_PFC, i, bits >> i & 1);
	if (bits)
		put_setting(part, &of, SETTING_WATCHDOG, -1,
			    ms > 0 && ms < 1000000000 ? ms * 1000000
			    : wd_bits && *wd_bits     ? 1
						      : 0);
	put_map(part, &of, db, o);
}

/* Of all groups as one, so that ports need not be looked for in each: the first
 * that has a port counts.  NULL without memory. */
static json_t *cable_lengths(const json_t *db)
{
	json_t *all = json_object(), *lengths;
	const char *group;

	json_object_foreach(json_object_get(db, "CABLE_LENGTH"), group,
			    lengths) if (json_is_object(lengths))
		json_object_update_missing(all, lengths);
	return all;
}

static void put_link(struct evidence_part *part, const json_t *lengths,
		     const char *name, const json_t *o)
{
	const struct evidence_of of = OF_PORT(name);
	const char *length = text_of(lengths, name);
	int64_t mbps = number_of(o, "speed"), mtu = number_of(o, "mtu");

	if (mbps > 0 && mbps < 100000000)
		put_setting(part, &of, SETTING_SPEED, -1, mbps * 1000000);
	if (mtu > 0)
		put_setting(part, &of, SETTING_MTU, -1, mtu);
	if (length && value_small(length) > 0)
		put_setting(part, &of, SETTING_CABLE, -1, value_small(length));
}

/* ---- what equal-cost paths are chosen by ---- */

static int64_t hash_bits(const json_t *fields)
{
	static const struct {
		const char *name;
		int bit;
	} known[] = {
#define FIELD(name, bit, text) { name, bit },
#include "evidence/hash.def"
#undef FIELD
	};
	int64_t bits = 0;
	json_t *field;
	size_t i;

	json_array_foreach(fields, i, field)
	{
		const char *name = json_string_value(field);
		int bit = HASH_OTHER;

		for (size_t k = 0; name && k < sizeof known / sizeof *known;
		     k++)
			if (!strcmp(name, known[k].name))
				bit = known[k].bit;
		bits |= (int64_t)1 << bit;
	}
	return bits;
}

/* A list for RoCE goes before one for its IP version, and that before the one
 * for all. */
static void put_hash(struct evidence_part *part, const json_t *db)
{
	const struct evidence_of whole = OF_PORT(NULL);
	static const struct {
		int version;
		const char *lists[3];
	} order[] = {
		{ 4, { "ecmp_hash_ipv4_rdma", "ecmp_hash_ipv4", "ecmp_hash" } },
		{ 6, { "ecmp_hash_ipv6_rdma", "ecmp_hash_ipv6", "ecmp_hash" } },
	};
	const json_t *o =
		json_object_get(json_object_get(db, "SWITCH_HASH"), "GLOBAL");

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		const json_t *list = NULL;

		for (size_t k = 0; k < 3 && !list; k++)
			list = json_object_get(o, order[i].lists[k]);
		if (json_is_array(list))
			put_setting(part, &whole, SETTING_ECMP_HASH,
				    order[i].version, hash_bits(list));
	}
}

bool read_config_db(struct evidence_part *part, json_t *db)
{
	const json_t *ports = json_object_get(db, "PORT");
	const json_t *maps = json_object_get(db, "PORT_QOS_MAP");
	const char *host =
		text_of(json_object_get(json_object_get(db, "DEVICE_METADATA"),
					"localhost"),
			"hostname");
	const char *name;
	json_t *o, *lengths;

	if (!json_is_object(ports) ||
	    (!host && !maps && !json_object_get(db, "BUFFER_PG")))
		return false;
	if (host && part->device_by != DEVICE_GIVEN) {
		text_keep(part->device, host);
		part->device_by = DEVICE_CONTENT;
	}
	lengths = cable_lengths(db);
	json_object_foreach((json_t *)(uintptr_t)ports, name, o)
		put_link(part, lengths, name, o);
	json_decref(lengths);
	json_object_foreach((json_t *)(uintptr_t)maps, name,
			    o) if (strcmp(name, "global") != 0)
		put_port(part, db, name, o);
	put_keys(part, db, "QUEUE", put_queue);
	put_keys(part, db, "BUFFER_PG", put_group);
	put_hash(part, db);
	return true;
}
