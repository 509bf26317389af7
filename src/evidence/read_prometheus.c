/* SPDX-License-Identifier: GPL-2.0-or-later
 * Prometheus: text exposition format 0.0.4, and answers of /api/v1/query and
 * query_range.
 *	node_network_receive_drop_total{device="eth0",instance="h1:9100"} 3
 *	{"status":"success","data":{"resultType":"matrix","result":[
 *	 {"metric":{"__name__":"...","device":"eth0"},
 *	  "values":[[1700000000,"3"],...]}]}}
 * Which labels name device and port differs; the tables below say which are
 * tried, first to last. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

static const char *const device_labels[] = { "host",     "hostname", "nodename",
					     "source",   "target",   "switch",
					     "instance", NULL };
static const char *const port_labels[] = { "interface",      "ifName",
					   "interface_name", "ifname",
					   "rdma_device",    "device",
					   "port",           "cpu",
					   "chip",           NULL };
static const char *const priority_labels[] = { "queue", "priority", "prio",
					       "pg", NULL };

struct sample {
	char device[EVIDENCE_TEXT], port[EVIDENCE_TEXT];
	char mode[EVIDENCE_TEXT];      /* of a processor: idle, user, ... */
	size_t device_rank, port_rank; /* of the labels taken so far */
	int priority;
};

static const struct sample no_sample = { .device_rank = SIZE_MAX,
					 .port_rank = SIZE_MAX,
					 .priority = -1 };

static void take_label(const char *const *labels, const char *label,
		       const char *value, size_t *rank,
		       char to[static EVIDENCE_TEXT])
{
	for (size_t i = 0; labels[i] && i < *rank; i++)
		if (!strcmp(labels[i], label)) {
			*rank = i;
			text_keep(to, value);
		}
}

static void set_label(struct sample *s, const char *label, const char *value)
{
	char number[EVIDENCE_TEXT] = "";
	size_t rank = SIZE_MAX;

	take_label(device_labels, label, value, &s->device_rank, s->device);
	take_label(port_labels, label, value, &s->port_rank, s->port);
	take_label(priority_labels, label, value, &rank, number);
	if (!strcmp(label, "mode"))
		text_keep(s->mode, value);
	if (isdigit((unsigned char)*number) && strlen(number) < 4)
		s->priority = value_small(number);
}

/* node_exporter (collector/ethtool_linux.go) names what drivers call rx and tx
 * received and transmitted, and adds _total to a few. */
static void driver_name(const char *name, char to[static EVIDENCE_TEXT])
{
	static const struct {
		const char *long_word, *word;
	} words[] = { { "received", "rx" }, { "transmitted", "tx" } };
	static const char total[] = "_total";
	size_t n = 0;

	for (bool begins = true; *name && n + 1 < EVIDENCE_TEXT;) {
		size_t taken = 0;

		for (size_t i = 0; begins && i < 2 && !taken; i++) {
			size_t length = strlen(words[i].long_word);

			if (strncmp(name, words[i].long_word, length) != 0 ||
			    !strchr("_", name[length]) ||
			    n + 2 >= EVIDENCE_TEXT)
				continue;
			memcpy(to + n, words[i].word, 2);
			n += 2;
			taken = length;
		}
		if (!taken)
			to[n++] = name[taken++];
		begins = name[taken - 1] == '_';
		name += taken;
	}
	if (n > sizeof total - 1 &&
	    !memcmp(to + n - (sizeof total - 1), total, sizeof total - 1))
		n -= sizeof total - 1;
	to[n] = 0;
}

static void put_labeled(struct evidence_part *part, struct sample *s,
			const char *name, int64_t at_ns, const char *value)
{
	static const char ethtool[] = "node_ethtool_";
	struct evidence_of of = { .device = s->device,
				  .port = s->port,
				  .at_ns = at_ns,
				  .priority = s->priority };
	char *colon = strrchr(s->device, ':'), moded[2 * EVIDENCE_TEXT];
	char driver[EVIDENCE_TEXT];

	if (colon && isdigit((unsigned char)colon[1]))
		*colon = 0; /* the exporter's TCP port */
	if (!strncmp(name, ethtool, sizeof ethtool - 1)) {
		driver_name(name + sizeof ethtool - 1, driver);
		name = driver;
	}
	if (*s->mode) {
		snprintf(moded, sizeof moded, "%s %s", name, s->mode);
		name = moded;
	}
	put_text(part, &of, name, value);
}

/* ---- text ---- */

/* label="value",...}  Returns what is behind the brace, NULL: it is broken. */
static char *read_labels(char *at, struct sample *s)
{
	for (;;) {
		char *label, *value, *to;

		at += strspn(at, " ,");
		if (*at == '}')
			return at + 1;
		label = at;
		at = strstr(at, "=\"");
		if (!at)
			return NULL;
		*at = 0;
		value = to = at + 2;
		for (at = value; *at && *at != '"'; at++) {
			if (*at == '\\' && at[1])
				at++;
			*to++ = *at;
		}
		if (!*at)
			return NULL;
		*to = 0;
		at++;
		set_label(s, text_trim(label), value);
	}
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':';
}

/* False: it is no sample. */
static bool read_sample(struct evidence_part *part, char *line)
{
	struct sample s = no_sample;
	char name[EVIDENCE_TEXT], *at = line, *value, *stamp, *rest = NULL;
	int64_t at_ns = EVIDENCE_UNKNOWN, ms;
	char begins;

	while (is_name(*at))
		at++;
	begins = *at;
	if (at == line || (begins != '{' && begins != ' '))
		return false;
	*at++ = 0;
	text_keep(name, line);
	if (begins == '{')
		at = read_labels(at, &s);
	if (!at)
		return false;
	value = strtok_r(at, " \t", &rest);
	stamp = strtok_r(NULL, " \t", &rest);
	if (!value)
		return false;
	if (stamp && value_parse(stamp, 1, &ms) &&
	    !__builtin_mul_overflow(ms, INT64_C(1000000), &ms))
		at_ns = ms;
	put_labeled(part, &s, name, at_ns, value);
	return true;
}

/* What is left of a page when it went through grep: NAME{LABEL="VALUE". */
static bool is_sample(const char *at)
{
	size_t n = 0, label;

	while (is_name(at[n]))
		n++;
	if (!n || at[n] != '{')
		return false;
	at += n + 1;
	for (label = 0; is_name(at[label]);)
		label++;
	return label && at[label] == '=' && at[label + 1] == '"';
}

bool read_prometheus(struct evidence_part *part, char *text)
{
	char *line;

	text += strspn(text, " \t\r\n");
	if (strncmp(text, "# HELP ", 7) != 0 &&
	    strncmp(text, "# TYPE ", 7) != 0 && !is_sample(text))
		return false;
	while ((line = text_line(&text)))
		if (*line && *line != '#' && !read_sample(part, line))
			part->evidence->skipped++;
	return true;
}

/* ---- answers ---- */

static void read_point(struct evidence_part *part, const struct sample *labels,
		       const char *name, const json_t *point)
{
	struct sample s = *labels;
	const json_t *t = json_array_get(point, 0);
	const char *value = json_string_value(json_array_get(point, 1));

	if (json_is_number(t) && value)
		put_labeled(part, &s, name, value_seconds(json_number_value(t)),
			    value);
	else
		part->evidence->skipped++;
}

static void read_series(struct evidence_part *part, json_t *series)
{
	json_t *metric = json_object_get(series, "metric"), *v;
	json_t *values = json_object_get(series, "values");
	const json_t *value = json_object_get(series, "value");
	const char *label, *name;
	struct sample s = no_sample;
	size_t i;

	name = json_string_value(json_object_get(metric, "__name__"));
	if (!name)
		return;
	json_object_foreach(metric, label, v)
	{
		if (json_is_string(v))
			set_label(&s, label, json_string_value(v));
	}
	json_array_foreach(values, i, v) read_point(part, &s, name, v);
	if (value)
		read_point(part, &s, name, value);
}

bool read_prometheus_json(struct evidence_part *part, json_t *document)
{
	json_t *data = json_object_get(document, "data");
	json_t *result = json_object_get(data, "result"), *series;
	size_t i;

	if (!json_is_string(json_object_get(data, "resultType")))
		return false;
	json_array_foreach(result, i, series) read_series(part, series);
	return true;
}
