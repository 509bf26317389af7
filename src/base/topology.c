/* SPDX-License-Identifier: GPL-2.0-or-later
 * Topology files: sections and keys as one table. */
#include "base/topology.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/topology_bond.h"

enum {
	LINE_MAX_BYTES = 190, /* what the library takes, to be sure */
	NAME_MAX_BYTES = 48,  /* the library cuts at 49 */
	THINGS_MAX = 1 << 20,
};

enum index {
	NODES,
	LINKS,
	TAPS,
	GROUPS,
	MEMBERS, /* by number of the group and name */
	GROUPED, /* members to the first group that has them */
	ENDS,    /* of links */
	INDEXES
};

struct topology_index {
	struct names of[INDEXES];
};

const char *const topology_arrows[TOPOLOGY_ARROWS] = { "->", "--" };

struct reading {
	struct topology *t;
	const char *name; /* of the file */
	const char *text, *end;
	int line;
	char why[160]; /* the first error, "" none */
	int why_line;
	const char *section, *key; /* being read */
};

static bool wrong(struct reading *r, const char *what)
{
	if (r->why_line)
		return false;
	r->why_line = r->line;
	snprintf(r->why, sizeof r->why, "[%.60s]%s%.40s: %s", r->section,
		 *r->key ? " " : "", r->key, what);
	return false;
}

/* One more zeroed element behind |n| of them; NULL: no room. */
static void *grow(struct reading *r, void *array, size_t *n, size_t size)
{
	void **at = array;
	char *more = NULL;

	if (*n < THINGS_MAX && !(*n & (*n - 1)))
		more = reallocarray(*at, *n ? 2 * *n : 1, size);
	else if (*n < THINGS_MAX)
		more = *at;
	if (!more) {
		wrong(r, "out of memory");
		return NULL;
	}
	*at = more;
	return memset(more + size * (*n)++, 0, size);
}

static bool set_text(struct reading *r, char **to, const char *from, size_t n)
{
	char *copy = strndup(from, n);

	if (!copy)
		return wrong(r, "out of memory");
	free(*to);
	*to = copy;
	return true;
}

/* --- values --- */

static bool read_number(struct reading *r, const char *v, uint64_t most,
			uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(v, &end, 0);
	if (!isdigit((unsigned char)*v) || *end || errno || *out > most)
		return wrong(r, "not a number, or out of range");
	return true;
}

/* 100G, 400 Gbit/s, 25000000000. */
static bool read_speed(struct reading *r, const char *v, uint64_t *out)
{
	static const char units[] = " KMGT";
	const char *unit, *end;
	char *behind;
	double n = strtod(v, &behind);
	uint64_t by = 1;

	end = behind;
	while (*end == ' ')
		end++;
	unit = *end ? strchr(units + 1, toupper((unsigned char)*end)) : NULL;
	for (const char *u = units; unit && u < unit; u++)
		by *= 1000;
	if (unit)
		end++;
	if (!strcasecmp(end, "bit/s") || !strcasecmp(end, "bps") ||
	    !strcasecmp(end, "b/s"))
		end = "";
	if (*end || !(n > 0) || n * (double)by > 1e15)
		return wrong(r, "not a speed like 400G");
	*out = (uint64_t)(n * (double)by);
	return true;
}

/* The next word of a list by commas or blanks; NULL at its end. */
static const char *next_word(const char **v, size_t *n)
{
	const char *p = *v + strspn(*v, ", \t");

	*n = strcspn(p, ", \t");
	*v = p + *n;
	return *n ? p : NULL;
}

/* --- things by name --- */

static struct topology_node *node_of(struct reading *r, const char *name,
				     bool is_switch)
{
	struct topology *t = r->t;
	size_t known = names_find(&t->by->of[NODES], name);
	struct topology_node *n;

	if (known != NAMES_NONE) {
		if (t->nodes[known].is_switch == is_switch)
			return &t->nodes[known];
		wrong(r, "is a switch and a host");
		return NULL;
	}
	n = grow(r, &t->nodes, &t->n_nodes, sizeof *n);
	if (!n)
		return NULL;
	n->is_switch = is_switch;
	n->device = n->unit = n->rail = n->storage = TOPOLOGY_UNKNOWN;
	n->name = strdup(name);
	if (n->name && names_add(&t->by->of[NODES], name, t->n_nodes - 1))
		return n;
	free(n->name);
	t->n_nodes--;
	wrong(r, "out of memory");
	return NULL;
}

/* "A->B", "A--B": false when it is neither. */
static bool split_link(const char *v, size_t *from, const char **to, bool *both)
{
	const char *one = strstr(v, "->"), *two = strstr(v, "--");
	const char *at = one ? one : two;

	if (!at || at == v)
		return false;
	*both = !one;
	*from = (size_t)(at - v);
	while (*from && v[*from - 1] == ' ')
		--*from;
	*to = at + 2 + strspn(at + 2, " ");
	return *from && **to;
}

/* How links are found. */
static void link_key(char key[static TOPOLOGY_LINK_TEXT], const char *a,
		     size_t n, const char *b)
{
	snprintf(key, TOPOLOGY_LINK_TEXT, "%.*s\n%s", (int)n, a, b);
}

static struct topology_link *link_of(struct reading *r, const char *name)
{
	struct topology *t = r->t;
	struct topology_link *l;
	char key[TOPOLOGY_LINK_TEXT];
	size_t n, known;
	const char *b;
	bool both;

	if (!split_link(name, &n, &b, &both) || !both) {
		wrong(r, "a link is written [link A--B]");
		return NULL;
	}
	link_key(key, name, n, b);
	known = names_find(&t->by->of[LINKS], key);
	if (known != NAMES_NONE)
		return &t->links[known];
	l = grow(r, &t->links, &t->n_links, sizeof *l);
	if (!l || !set_text(r, &l->a, name, n) ||
	    !set_text(r, &l->b, b, strlen(b)))
		return NULL;
	if (names_add(&t->by->of[LINKS], key, t->n_links - 1) &&
	    names_add(&t->by->of[ENDS], l->a, 0) &&
	    names_add(&t->by->of[ENDS], l->b, 0))
		return l;
	wrong(r, "out of memory");
	return NULL;
}

static struct topology_tap *tap_of(struct reading *r, const char *name)
{
	struct topology *t = r->t;
	size_t known = names_find(&t->by->of[TAPS], name);
	struct topology_tap *p;

	if (known != NAMES_NONE)
		return &t->taps[known];
	p = grow(r, &t->taps, &t->n_taps, sizeof *p);
	if (!p)
		return NULL;
	if (set_text(r, &p->name, name, strlen(name)) &&
	    names_add(&t->by->of[TAPS], name, t->n_taps - 1))
		return p;
	free(p->name);
	t->n_taps--;
	wrong(r, "out of memory");
	return NULL;
}

static struct topology_group *group_of(struct reading *r, const char *name)
{
	struct topology *t = r->t;
	size_t known = names_find(&t->by->of[GROUPS], name);
	struct topology_group *g;

	if (known != NAMES_NONE)
		return &t->groups[known];
	g = grow(r, &t->groups, &t->n_groups, sizeof *g);
	if (!g)
		return NULL;
	if (set_text(r, &g->name, name, strlen(name)) &&
	    names_add(&t->by->of[GROUPS], name, t->n_groups - 1))
		return g;
	free(g->name);
	t->n_groups--;
	wrong(r, "out of memory");
	return NULL;
}

/* --- keys --- */

/* A number of a switch or host, into its |member|. */
static bool node_number(struct reading *r, struct topology_node *n,
			const char *v, uint64_t most, int64_t *member)
{
	uint64_t number;
	bool ok = n && read_number(r, v, most, &number);

	if (ok)
		*member = (int64_t)number;
	return ok;
}

static bool switch_unit(struct reading *r, const char *name, const char *v)
{
	struct topology_node *n = node_of(r, name, true);

	return node_number(r, n, v, UINT16_MAX, n ? &n->unit : NULL) &&
	       (n->unit || wrong(r, "0 is none"));
}

static bool switch_port(struct reading *r, const char *name, const char *v)
{
	struct topology_node *n = node_of(r, name, true);
	struct topology_port *p;
	uint64_t number;

	if (!n ||
	    !read_number(r, r->key + strlen("port "), UINT32_MAX, &number))
		return false;
	p = grow(r, &r->t->ports, &r->t->n_ports, sizeof *p);
	if (!p)
		return false;
	p->node = n->name;
	p->number = (uint32_t)number;
	return set_text(r, &p->name, v, strlen(v));
}

static bool host_address(struct reading *r, const char *name, const char *v)
{
	struct topology_node *n = node_of(r, name, false);
	char text[ADDR_TEXT];
	const char *word;
	size_t len;

	while (n && (word = next_word(&v, &len))) {
		struct addr a, *to;

		snprintf(text, sizeof text, "%.*s", (int)len, word);
		if (len >= sizeof text || !addr_parse(text, &a))
			return wrong(r, "not an address");
		to = grow(r, &n->addr, &n->n_addr, sizeof *to);
		if (!to)
			return false;
		*to = a;
	}
	return n;
}

static bool link_speed(struct reading *r, const char *name, const char *v)
{
	struct topology_link *l = link_of(r, name);

	return l && read_speed(r, v, &l->speed_bps);
}

/* What counters call the ports at its two ends, in its order. */
static bool two_ports(struct reading *r, const char *v, char **first,
		      char **second)
{
	size_t n = strcspn(v, ","), blanks;

	if (!v[n])
		return wrong(r, "a link has two ports, with a comma between");
	blanks = 1 + strspn(v + n + 1, " \t");
	return set_text(r, first, v, n) &&
	       set_text(r, second, v + n + blanks, strlen(v + n + blanks));
}

static bool link_ports(struct reading *r, const char *name, const char *v)
{
	struct topology_link *l = link_of(r, name);

	return l && two_ports(r, v, &l->a_port, &l->b_port);
}

static bool tap_ports(struct reading *r, const char *name, const char *v)
{
	struct topology_tap *t = tap_of(r, name);

	return t && two_ports(r, v, &t->from_port, &t->to_port);
}

static bool tap_link(struct reading *r, const char *name, const char *v)
{
	struct topology_tap *t = tap_of(r, name);
	const char *to;
	size_t from;

	if (!t)
		return false;
	if (!split_link(v, &from, &to, &t->both))
		return wrong(r, "a link is A->B, or A--B for both directions");
	return set_text(r, &t->from, v, from) &&
	       set_text(r, &t->to, to, strlen(to));
}

static bool tap_role(struct reading *r, const char *name, const char *v)
{
	static const char *const roles[] = {
		[ROLE_INGRESS] = "ingress-mirror",
		[ROLE_EGRESS] = "egress-mirror",
		[ROLE_TAP] = "tap",
	};
	struct topology_tap *t = tap_of(r, name);

	for (int i = ROLE_INGRESS; t && i <= ROLE_TAP; i++)
		if (!strcmp(roles[i], v)) {
			t->role = (enum topology_role)i;
			return true;
		}
	return wrong(r, "is ingress-mirror, egress-mirror or tap");
}

static bool tap_speed(struct reading *r, const char *name, const char *v)
{
	struct topology_tap *t = tap_of(r, name);

	return t && read_speed(r, v, &t->speed_bps);
}

static bool group_member(struct reading *r, const char *name, const char *word,
			 size_t len)
{
	struct topology_group *g = group_of(r, name);
	struct topology_index *by = r->t->by;
	size_t number = g ? (size_t)(g - r->t->groups) : 0;
	char key[TOPOLOGY_LINK_TEXT];
	char **to;

	if (!g)
		return false;
	snprintf(key, sizeof key, "%zu\n%.*s", number, (int)len, word);
	if (names_find(&by->of[MEMBERS], key) != NAMES_NONE)
		return wrong(r, "a member stands here twice");
	to = grow(r, &g->members, &g->n_members, sizeof *to);
	if (!to || !set_text(r, to, word, len))
		return false;
	return (names_add(&by->of[MEMBERS], key, 0) &&
		names_add(&by->of[GROUPED], *to, number)) ||
	       wrong(r, "out of memory");
}

static bool group_members(struct reading *r, const char *name, const char *v)
{
	const char *word;
	size_t len;

	if (!group_of(r, name))
		return false;
	while ((word = next_word(&v, &len)))
		if (!group_member(r, name, word, len))
			return false;
	return true;
}

static bool bond_member(void *ctx, const char *group, const char *member)
{
	return group_member(ctx, group, member, strlen(member));
}

/* --- numbers of protocols --- */

#define LIST(key, m, most)                                      \
	{                                                       \
		key, offsetof(struct topology_numbers, m), most \
	}
static const struct {
	const char *key;
	size_t offset;
	uint16_t most;
} lists[] = {
	LIST("roce-port", roce_ports, UINT16_MAX),
	LIST("vxlan-port", vxlan_ports, UINT16_MAX),
	LIST("int-port", int_ports, UINT16_MAX),
	LIST("int-gre-type", int_gre, UINT16_MAX),
	LIST("csig-tpid", csig_tpids, UINT16_MAX),
	LIST("csig-wide-tpid", csig_wide_tpids, UINT16_MAX),
	LIST("ifa-protocol", ifa_protocols, UINT8_MAX),
	LIST("ifa-dnx", ifa_dnx, 15),
	LIST("uet-port", uet_ports, UINT16_MAX),
	LIST("uet-protocol", uet_protocols, UINT8_MAX),
	LIST("uet-trimmed-dscp", uet_trimmed_dscps, 0x3f),
};
#undef LIST

static bool number_list(struct reading *r, const char *v, uint16_t *to,
			uint16_t most, bool zero)
{
	char text[16];
	const char *word;
	uint64_t number;
	size_t len, n = 0;

	while (n < TOPOLOGY_NUMBERS && to[n])
		n++;
	while ((word = next_word(&v, &len))) {
		snprintf(text, sizeof text, "%.*s", (int)len, word);
		if (!read_number(r, text, most, &number))
			return false;
		if ((!number && !zero) || n == TOPOLOGY_NUMBERS)
			return wrong(r, number ? "at most four of them"
					       : "0 is none");
		to[n++] = (uint16_t)(number + zero);
	}
	return true;
}

static bool protocol_number(struct reading *r, const char *name, const char *v)
{
	char *base = (char *)&r->t->numbers;

	(void)name;
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		if (!strcmp(lists[i].key, r->key))
			return number_list(
				r, v,
				(uint16_t *)(void *)(base + lists[i].offset),
				lists[i].most,
				!strcmp(lists[i].key, "ifa-dnx"));
	return wrong(r, "unknown key");
}

/* "0x17" or "0x10/0x30": value and mask. */
static bool int_dscp(struct reading *r, const char *name, const char *v)
{
	char value[16];
	const char *slash = strchr(v, '/');
	uint64_t dscp, mask = 0x3f;

	(void)name;
	snprintf(value, sizeof value, "%.*s",
		 (int)(slash ? slash - v : (long)strlen(v)), v);
	if (!read_number(r, value, 0x3f, &dscp) ||
	    (slash && !read_number(r, slash + 1, 0x3f, &mask)))
		return false;
	r->t->numbers.int_dscp = (uint16_t)(dscp & mask);
	r->t->numbers.int_dscp_mask = (uint16_t)mask;
	return true;
}

static bool small_number(struct reading *r, const char *v, uint64_t most,
			 uint16_t *to)
{
	uint64_t number;

	if (!read_number(r, v, most, &number))
		return false;
	*to = (uint16_t)number;
	return true;
}

static bool csig_port_bits(struct reading *r, const char *name, const char *v)
{
	(void)name;
	return small_number(r, v, 14, &r->t->numbers.csig_port_bits);
}

static bool uet_clear(struct reading *r, const char *name, const char *v)
{
	(void)name;
	return small_number(r, v, UINT8_MAX, &r->t->numbers.uet_clear);
}

/* "5f00::/16", or several. */
static bool srv6_blocks(struct reading *r, const char *name, const char *v)
{
	const char *word, *slash;
	char text[ADDR_TEXT];
	uint64_t bits;
	size_t len, n = 0;

	(void)name;
	while (n < TOPOLOGY_NUMBERS && r->t->numbers.srv6_blocks[n].bits)
		n++;
	while ((word = next_word(&v, &len))) {
		char size[8];

		slash = memchr(word, '/', len);
		if (!slash || slash - word >= ADDR_TEXT)
			return wrong(r, "is not a network such as 5f00::/16");
		if (n == TOPOLOGY_NUMBERS)
			return wrong(r, "at most four of them");
		snprintf(text, sizeof text, "%.*s", (int)(slash - word), word);
		snprintf(size, sizeof size, "%.*s",
			 (int)(len - (size_t)(slash + 1 - word)), slash + 1);
		if (!read_number(r, size, 64, &bits))
			return false;
		if (!bits || bits % 16 ||
		    !addr_parse(text, &r->t->numbers.srv6_blocks[n].address) ||
		    !r->t->numbers.srv6_blocks[n].address.w[0])
			return wrong(r, "is not an IPv6 network of 16, 32, 48 "
					"or 64 bits");
		r->t->numbers.srv6_blocks[n++].bits = (uint16_t)bits;
	}
	return true;
}

/* Of switches ([dut]) and hosts ([host] without a name). */
static bool sheet_key(struct reading *r, const char *name, const char *v)
{
	const char *why = sheet_add(&r->t->sheet, name, r->key, v);

	return !why || wrong(r, why);
}

/* --- sections --- */
#define KEY(s, k, f)                             \
	{                                        \
		.section = s, .key = k, .set = f \
	}
#define TEXT(s, k, m) NUMBER(s, k, m, 0)
#define NUMBER(s, k, m, n)                                             \
	{                                                              \
		.section = s, .key = k,                                \
		.member = offsetof(struct topology_node, m), .most = n \
	}
static const struct key {
	const char *section, *key; /* key: ends with a blank, or NULL: any */
	bool (*set)(struct reading *r, const char *name, const char *value);
	/* without |set|: a text of struct topology_node, or a number */
	size_t member;
	uint64_t most;
} keys[] = {
	NUMBER("switch ", "device", device, UINT32_MAX),
	KEY("switch ", "queue-unit", switch_unit),
	KEY("switch ", "port ", switch_port),
	TEXT("switch ", "agent", agent),
	KEY("host ", "address", host_address),
	TEXT("host ", "switch", attached),
	NUMBER("host ", "rail", rail, 1 << 16),
	TEXT("host ", "server", server),
	TEXT("host ", "pod", pod),
	NUMBER("host ", "storage", storage, 1),
	KEY("link ", "speed", link_speed),
	KEY("link ", "ports", link_ports),
	KEY("tap ", "link", tap_link),
	KEY("tap ", "ports", tap_ports),
	KEY("tap ", "role", tap_role),
	KEY("tap ", "speed", tap_speed),
	KEY("group ", "members", group_members),
	KEY("protocols", "int-dscp", int_dscp),
	KEY("protocols", "csig-port-bits", csig_port_bits),
	KEY("protocols", "uet-clear", uet_clear),
	KEY("protocols", "srv6-block", srv6_blocks),
	KEY("protocols", NULL, protocol_number),
	KEY("dut", NULL, sheet_key),
	KEY("dut ", NULL, sheet_key),
	KEY("host", NULL, sheet_key),
};

static bool set_key(struct reading *r, const struct key *k, const char *name,
		    const char *value)
{
	struct topology_node *n =
		k->set ? NULL : node_of(r, name, *k->section == 's');
	void *at = n ? (char *)n + k->member : NULL;

	if (k->set)
		return k->set(r, name, value);
	return k->most ? node_number(r, n, value, k->most, at)
		       : n && set_text(r, at, value, strlen(value));
}

/* A prefix when it ends with a blank, else the whole. */
static bool matches(const char *pattern, const char *text)
{
	size_t n = strlen(pattern);

	return pattern[n - 1] == ' ' ? !strncmp(text, pattern, n) && text[n]
				     : !strcmp(text, pattern);
}

static const char long_name[] = "a name of more than 40 characters";

static bool known_section(const char *name)
{
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (matches(keys[i].section, name))
			return true;
	return false;
}

/* The library reports keys only: a section without any would be passed over. */
static void look_at_section(struct reading *r, const char *line)
{
	char name[LINE_MAX_BYTES + 1];
	const char *end = strchr(line, ']');

	if (line[0] != '[' || !end)
		return;
	snprintf(name, sizeof name, "%.*s", (int)(end - line - 1), line + 1);
	r->section = name;
	if (strlen(name) > NAME_MAX_BYTES)
		wrong(r, long_name);
	else if (!known_section(name))
		wrong(r, "unknown section");
	r->section = "";
}

static int on_key(void *ctx, const char *section, const char *key,
		  const char *value)
{
	struct reading *r = ctx;
	bool known = false;

	if (r->why_line)
		return 0;
	r->section = section;
	r->key = key;
	if (strlen(section) > NAME_MAX_BYTES || strlen(key) > NAME_MAX_BYTES)
		return wrong(r, long_name);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		const struct key *k = &keys[i];

		if (!matches(k->section, section))
			continue;
		known = true;
		if (!k->key || matches(k->key, key))
			return set_key(r, k, section + strlen(k->section),
				       value);
	}
	return wrong(r, known ? "unknown key" : "unknown section");
}

/* fgets() over memory, which counts lines. */
static char *next_line(char *to, int room, void *ctx)
{
	struct reading *r = ctx;
	const char *end;
	size_t n;

	if (r->text == r->end)
		return NULL;
	end = memchr(r->text, '\n', (size_t)(r->end - r->text));
	n = (size_t)((end ? end + 1 : r->end) - r->text);
	r->line++;
	r->section = r->key = "";
	if (n > LINE_MAX_BYTES || (int)n >= room || memchr(r->text, 0, n)) {
		if (!r->why_line) {
			r->why_line = r->line;
			snprintf(r->why, sizeof r->why, "%s",
				 n > LINE_MAX_BYTES
					 ? "a line of more than 190 characters"
					 : "not text");
		}
		return NULL;
	}
	memcpy(to, r->text, n);
	to[n] = 0;
	look_at_section(r, to);
	r->text += n;
	return to;
}

/* --- the whole --- */

/* Names that are used and nobody knows would only be found by their absence. */
static bool hosts_attached(struct reading *r)
{
	const struct topology *t = r->t;

	for (size_t i = 0; i < t->n_nodes; i++) {
		const char *to = t->nodes[i].attached;

		if (!to || !t->n_links ||
		    names_find(&t->by->of[NODES], to) != NAMES_NONE ||
		    names_find(&t->by->of[ENDS], to) != NAMES_NONE)
			continue;
		snprintf(r->why, sizeof r->why,
			 "[host %.60s] switch: there is no \"%.60s\"",
			 t->nodes[i].name, to);
		return false;
	}
	return true;
}

static uint64_t speed_of(const struct topology *t, const char *a, const char *b)
{
	char key[TOPOLOGY_LINK_TEXT];
	size_t link;

	link_key(key, a, strlen(a), b);
	link = names_find(&t->by->of[LINKS], key);
	return link != NAMES_NONE ? t->links[link].speed_bps : 0;
}

static void inherit_speeds(struct topology *t)
{
	for (size_t i = 0; i < t->n_taps; i++) {
		struct topology_tap *p = &t->taps[i];

		if (p->from && !p->speed_bps)
			p->speed_bps = speed_of(t, p->from, p->to);
		if (p->from && !p->speed_bps)
			p->speed_bps = speed_of(t, p->to, p->from);
	}
}

struct topology *topology_parse(const char *name, const char *text, size_t n,
				struct err *err)
{
	struct reading r = { .name = name, .text = text, .end = text + n };
	int line;

	r.t = calloc(1, sizeof *r.t);
	if (r.t)
		r.t->by = calloc(1, sizeof *r.t->by);
	if (!r.t || !r.t->by) {
		topology_free(r.t);
		err_set(err, ERR_MEMORY, "out of memory");
		return NULL;
	}
	line = ini_parse_stream(next_line, &r, on_key, &r);
	if (r.why_line)
		err_set(err, ERR_FORMAT, "%s:%d: %s", name, r.why_line, r.why);
	else if (line)
		err_set(err, ERR_FORMAT,
			"%s:%d: neither [section] nor "
			"key = value",
			name, line);
	else if (!hosts_attached(&r))
		err_set(err, ERR_FORMAT, "%s: %s", name, r.why);
	else if (!topology_bonds(r.t, bond_member, &r))
		err_set(err, ERR_MEMORY, "out of memory");
	else {
		inherit_speeds(r.t);
		return r.t;
	}
	topology_free(r.t);
	return NULL;
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_nodes; i++) {
		free(t->nodes[i].name);
		free(t->nodes[i].attached);
		free(t->nodes[i].server);
		free(t->nodes[i].pod);
		free(t->nodes[i].agent);
		free(t->nodes[i].addr);
	}
	for (size_t i = 0; i < t->n_ports; i++)
		free(t->ports[i].name);
	for (size_t i = 0; i < t->n_links; i++) {
		free(t->links[i].a);
		free(t->links[i].b);
		free(t->links[i].a_port);
		free(t->links[i].b_port);
	}
	for (size_t i = 0; i < t->n_taps; i++) {
		free(t->taps[i].name);
		free(t->taps[i].from);
		free(t->taps[i].to);
		free(t->taps[i].from_port);
		free(t->taps[i].to_port);
	}
	for (size_t i = 0; i < t->n_groups; i++) {
		for (size_t k = 0; k < t->groups[i].n_members; k++)
			free(t->groups[i].members[k]);
		free(t->groups[i].members);
		free(t->groups[i].name);
	}
	free(t->nodes);
	free(t->ports);
	free(t->links);
	free(t->taps);
	free(t->groups);
	sheet_fini(&t->sheet);
	for (size_t i = 0; t->by && i < INDEXES; i++)
		names_fini(&t->by->of[i]);
	free(t->by);
	free(t);
}

uint64_t topology_steps(const struct topology *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < INDEXES; i++)
		n += t->by->of[i].steps;
	return n;
}

const struct topology_tap *topology_tap(const struct topology *t,
					const char *name)
{
	size_t i = t ? names_find(&t->by->of[TAPS], name) : NAMES_NONE;

	return i != NAMES_NONE ? &t->taps[i] : NULL;
}

bool topology_link_text(const struct topology_tap *tap, const char *arrow,
			char text[static TOPOLOGY_LINK_TEXT])
{
	if (!tap || !tap->from)
		return false;
	snprintf(text, TOPOLOGY_LINK_TEXT, "%s%s%s", tap->from, arrow, tap->to);
	return true;
}

const struct topology_group *topology_group_of(const struct topology *t,
					       const char *name)
{
	const struct topology_tap *tap = topology_tap(t, name);
	size_t first = names_find(&t->by->of[GROUPED], name);
	char text[TOPOLOGY_LINK_TEXT];

	for (int i = 0; i < TOPOLOGY_ARROWS; i++) {
		size_t group;

		if (!topology_link_text(tap, topology_arrows[i], text))
			break;
		group = names_find(&t->by->of[GROUPED], text);
		first = group < first ? group : first;
	}
	return first != NAMES_NONE ? &t->groups[first] : NULL;
}
