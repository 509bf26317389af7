/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pseudonyms inside of sentences.
 *
 * One walk from left to right.  Where a word begins, in this order:
 *
 *	1 the longest known name
 *	2 a MAC address, an IPv6 address, an IPv4 address
 *	3 a number behind the word that says of what: "QP 0x00003b", "job 7"
 *	4 a hexadecimal number of six digits, which is how a QP is printed
 *
 * What a sentence says beside that stays. */
#include "store/pseudonym_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "store/pseudonym.h"

struct known {
	char *name, *pseudonym;
	size_t n;
};

struct known_names {
	struct anonymous_key key;
	struct known *of; /* sorted: see order() */
	size_t n, room;
};

struct known_names *known_names_new(const struct anonymous_key *k)
{
	struct known_names *n = calloc(1, sizeof *n);

	if (n)
		n->key = *k;
	return n;
}

void known_names_free(struct known_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n; i++) {
		free(n->of[i].name);
		free(n->of[i].pseudonym);
	}
	free(n->of);
	free(n);
}

bool known_names_add(struct known_names *n, const char *name,
		     const char *pseudonym)
{
	struct known *k;

	if (!*name)
		return true;
	if (n->n == n->room) {
		size_t room = n->room ? 2 * n->room : 64;
		struct known *more = realloc(n->of, room * sizeof *more);

		if (!more)
			return false;
		n->of = more;
		n->room = room;
	}
	k = &n->of[n->n];
	*k = (struct known) { .name = strdup(name),
			      .pseudonym = strdup(pseudonym),
			      .n = strlen(name) };
	n->n++;
	return k->name && k->pseudonym;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* How much of |text| is looked up: its first word, or one byte. */
static size_t head_of(const char *text)
{
	size_t n = 0;

	while (in_word(text[n]))
		n++;
	return n ? n : 1;
}

static int order_heads(const char *a, size_t n, const char *b, size_t m)
{
	int by = memcmp(a, b, n < m ? n : m);

	return by ? by : (n > m) - (n < m);
}

/* By the head, and the longer name first. */
static int order(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int by = order_heads(x->name, head_of(x->name), y->name,
			     head_of(y->name));

	if (by)
		return by;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return strcmp(x->name, y->name);
}

void known_names_sort(struct known_names *n)
{
	if (n->n)
		qsort(n->of, n->n, sizeof *n->of, order);
}

/* Does |k| stand at |text| with its end at the end of a word? */
static bool stands(const struct known *k, const char *text)
{
	return !strncmp(k->name, text, k->n) &&
	       !(in_word(k->name[k->n - 1]) && in_word(text[k->n]));
}

static const struct known *known_at(const struct known_names *n,
				    const char *text)
{
	size_t head = head_of(text), low = 0, high = n->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *name = n->of[middle].name;

		if (order_heads(name, head_of(name), text, head) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n->n; low++) {
		const struct known *k = &n->of[low];

		if (order_heads(k->name, head_of(k->name), text, head))
			break;
		if (stands(k, text))
			return k;
	}
	return NULL;
}

/* ---- the walk ---- */

struct walk {
	const struct known_names *names;
	const char *text, *at;
	FILE *out;
};

static bool put(struct walk *w, size_t n, const char *instead)
{
	fputs(instead, w->out);
	w->at += n;
	return true;
}

static bool known_name(struct walk *w)
{
	const struct known *k = known_at(w->names, w->at);

	return k && put(w, k->n, k->pseudonym);
}

static bool mac(struct walk *w)
{
	enum { LENGTH = MAC_TEXT - 1 };
	char buf[MAC_TEXT];
	uint64_t v;

	if (!pseudonym_is_mac(w->at, &v) || in_word(w->at[LENGTH]) ||
	    w->at[LENGTH] == ':')
		return false;
	return put(w, LENGTH, mac_text(pseudonym_mac(&w->names->key, v), buf));
}

/* The longest beginning of |at|, made of |set|, that is an address. */
static bool address_of(struct walk *w, const char *set)
{
	char buf[ADDR_TEXT];
	size_t n = strspn(w->at, set);
	struct addr a;

	if (n >= sizeof buf)
		return false;
	for (; n > 1; n--) {
		memcpy(buf, w->at, n);
		buf[n] = 0;
		if (in_word(w->at[n]) && in_word(w->at[n - 1]))
			continue;
		if (addr_parse(buf, &a)) {
			a = pseudonym_addr(&w->names->key, a);
			return put(w, n, addr_text(a, buf));
		}
	}
	return false;
}

static bool address(struct walk *w)
{
	return address_of(w, "0123456789abcdefABCDEF:.") ||
	       address_of(w, "0123456789.");
}

/* The number at |at|, which is |n| bytes long, printed as it was. */
static bool number(struct walk *w, enum pseudonym_number kind)
{
	bool hex = !strncmp(w->at, "0x", 2);
	const char *digits = w->at + (hex ? 2 : 0);
	size_t n =
		strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
	char buf[32];
	int64_t v;

	if (!n || n > 10 || in_word(digits[n]))
		return false;
	v = pseudonym_of_number(&w->names->key, kind,
				strtoll(digits, NULL, hex ? 16 : 10));
	if (v < 0)
		return put(w, (size_t)(digits - w->at) + n, "?");
	if (hex)
		snprintf(buf, sizeof buf, "0x%0*" PRIx64, (int)n, v);
	else
		snprintf(buf, sizeof buf, "%" PRId64, v);
	return put(w, (size_t)(digits - w->at) + n, buf);
}

static bool labelled(struct walk *w)
{
	static const struct {
		const char *word;
		enum pseudonym_number kind;
	} labels[] = {
		{ "QP ", NUMBER_QP },         { "QPN ", NUMBER_QP },
		{ "QPs ", NUMBER_QP },        { "queue pair ", NUMBER_QP },
		{ "qp=", NUMBER_QP },         { "qpn=", NUMBER_QP },
		{ "dst_qp=", NUMBER_QP },     { "src_qp=", NUMBER_QP },
		{ "lid:", NUMBER_LID },       { "PDC ", NUMBER_PDC },
		{ "pdc=", NUMBER_PDC },       { "spdcid=", NUMBER_PDC },
		{ "dpdcid=", NUMBER_PDC },    { "JobID ", NUMBER_JOB },
		{ "job_id=", NUMBER_JOB },    { "switch ", NUMBER_DEVICE },
		{ "device ", NUMBER_DEVICE }, { "device_id=", NUMBER_DEVICE },
	};

	for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
		size_t n = strlen(labels[i].word);

		if (strncmp(w->at, labels[i].word, n) != 0 ||
		    !isdigit((unsigned char)w->at[n]))
			continue;
		w->at += n;
		fputs(labels[i].word, w->out);
		return number(w, labels[i].kind) || put(w, 0, "");
	}
	return false;
}

static bool printed_qp(struct walk *w)
{
	enum { LENGTH = 8 }; /* 0x00003b */

	return !strncmp(w->at, "0x", 2) &&
	       strspn(w->at + 2, "0123456789abcdef") == LENGTH - 2 &&
	       number(w, NUMBER_QP);
}

/* What follows is no part of what stands before it. */
static bool at_start(const struct walk *w)
{
	return w->at == w->text || !in_word(w->at[-1]) || !in_word(*w->at);
}

static void step(struct walk *w)
{
	bool word = in_word(*w->at);

	if (at_start(w) && (known_name(w) || mac(w) || address(w) ||
			    labelled(w) || printed_qp(w)))
		return;
	do
		putc(*w->at++, w->out);
	while (word && in_word(*w->at));
}

char *known_names_replace(const struct known_names *n, const char *text)
{
	struct walk w = { .names = n, .text = text, .at = text };
	char *done = NULL;
	size_t size;

	w.out = open_memstream(&done, &size);
	if (!w.out)
		return NULL;
	while (*w.at)
		step(&w);
	if (fclose(w.out)) {
		free(done);
		return NULL;
	}
	return done;
}

/* ---- JSON ---- */

static json_t *changed(const struct known_names *n, json_t *v, int depth);

static json_t *changed_text(const struct known_names *n, const char *text)
{
	char *to = known_names_replace(n, text);
	json_t *v = to ? json_string(to) : NULL;

	free(to);
	return v;
}

/* Members that are numbers and names at once. */
static json_t *changed_number(const struct known_names *n, const char *member,
			      json_t *v)
{
	static const struct {
		const char *member;
		enum pseudonym_number kind;
	} members[] = {
		{ "qp", NUMBER_QP },
		{ "dst_qp", NUMBER_QP },
		{ "src_qp", NUMBER_QP },
		{ "spdcid", NUMBER_PDC },
		{ "dpdcid", NUMBER_PDC },
		{ "job_id", NUMBER_JOB },
		{ "device_id", NUMBER_DEVICE },
	};

	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
		if (!strcmp(member, members[i].member))
			return json_integer(
				pseudonym_of_number(&n->key, members[i].kind,
						    json_integer_value(v)));
	return json_incref(v);
}

static json_t *changed_object(const struct known_names *n, json_t *from,
			      int depth)
{
	json_t *to = json_object(), *v;
	const char *member;

	json_object_foreach(from, member, v)
	{
		char *name =
			depth ? known_names_replace(n, member) : strdup(member);

		json_object_set_new(to, name ? name : "",
				    json_is_integer(v)
					    ? changed_number(n, member, v)
					    : changed(n, v, depth + 1));
		free(name);
	}
	return to;
}

/* jansson bounds the depth of what it reads. */
static json_t *changed(const struct known_names *n, json_t *v, int depth)
{
	json_t *to;
	size_t i;

	if (json_is_string(v))
		return changed_text(n, json_string_value(v));
	if (json_is_object(v))
		return changed_object(n, v, depth);
	if (!json_is_array(v))
		return json_incref(v);
	to = json_array();
	for (i = 0; i < json_array_size(v); i++)
		json_array_append_new(
			to, changed(n, json_array_get(v, i), depth + 1));
	return to;
}

char *known_names_replace_json(const struct known_names *n, const char *text)
{
	json_t *from = json_loads(text, JSON_DECODE_ANY, NULL), *to;
	char *done;

	if (!from)
		return known_names_replace(n, text);
	to = changed(n, from, 0);
	done = to ? json_dumps(to, JSON_COMPACT | JSON_ENCODE_ANY |
					   JSON_REAL_PRECISION(17))
		  : NULL;
	json_decref(from);
	json_decref(to);
	return done;
}
