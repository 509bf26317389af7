/* SPDX-License-Identifier: GPL-2.0-or-later
 * Drops that a switch or a host prints:
 *	NVIDIA What Just Happened, what-just-happened poll (Cumulus Linux,
 *	Monitoring and Troubleshooting, WJH; SONiC by NVIDIA), a table:
 *	 #  Timestamp  sPort  dPort  VLAN  sMAC  dMAC  EthType  Src IP:Port
 *	 Dst IP:Port  IP Proto  Drop Group  Severity  Drop reason - action
 *	Linux drop monitor, as dropwatch prints single packets (dropwatch,
 *	src/main.c): "drop at:", "origin:", "input port name:", "timestamp:",
 *	"drop reason:" and an empty line; it names no addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/addr.h"
#include "evidence/evidence_int.h"

#define ROCE_PORT ":4791"

/* ---- What Just Happened ---- */

/* "10.0.0.1:4791" or "[fd00::1]:4791" without its port. */
static bool address_of(char *text, char to[static EVIDENCE_TEXT])
{
	char *colon = strrchr(text, ':'), plain[ADDR_TEXT];
	struct addr a;
	size_t n;

	if (!colon)
		return false;
	*colon = 0;
	n = strlen(text);
	if (*text == '[' && n > 2) {
		text[n - 1] = 0;
		text++;
	}
	if (!addr_parse(text, &a))
		return false;
	text_keep(to, addr_text(a, plain));
	return true;
}

/* "21/06/16" "12:02:42.052" */
static int64_t moment_of(const char *date, const char *time)
{
	char text[EVIDENCE_TEXT];
	int year, month, day;

	if (sscanf(date, "%d/%d/%d", &year, &month, &day) != 3 || year < 0 ||
	    year > 9999)
		return EVIDENCE_UNKNOWN;
	snprintf(text, sizeof text, "%04d-%02d-%02d %.20s",
		 year < 100 ? year + 2000 : year, month, day, time);
	return value_log_time(text);
}

static void read_row(struct evidence_part *part, char *line)
{
	enum {
		NUMBER,
		DATE,
		TIME,
		IN,
		OUT,
		VLAN,
		SMAC,
		DMAC,
		TYPE,
		SRC,
		DST,
		PROTOCOL,
		GROUP,
		SEVERITY,
		WORDS
	};
	struct evidence_sample s = { .dropped = true,
				     .samples = 1,
				     .estimated = 1,
				     .dst_qp = -1,
				     .psn = -1 };
	char *word[WORDS], *rest = NULL, *end;
	struct evidence_of of;
	size_t n = 0;

	for (; n < WORDS; n++) {
		word[n] = strtok_r(n ? NULL : line, " \t", &rest);
		if (!word[n])
			return;
	}
	n = strlen(word[DST]);
	if (n < sizeof ROCE_PORT ||
	    strcmp(word[DST] + n - (sizeof ROCE_PORT - 1), ROCE_PORT) != 0 ||
	    !address_of(word[SRC], s.src) || !address_of(word[DST], s.dst))
		return;
	end = strstr(rest, " - ");
	if (end)
		*end = 0;
	snprintf(s.reason, sizeof s.reason, "%s: %.48s", word[GROUP],
		 text_trim(rest));
	s.first_ns = s.last_ns = moment_of(word[DATE], word[TIME]);
	if (s.first_ns == EVIDENCE_UNKNOWN)
		s.first_ns = s.last_ns = 0;
	of = OF_PORT(strcmp(word[OUT], "N/A") != 0 ? word[OUT] : word[IN]);
	put_sample(part, &of, &s);
}

bool read_wjh(struct evidence_part *part, char *text)
{
	char *line;

	if (!strstr(text, "sPort") || !strstr(text, "Src IP:Port") ||
	    !strstr(text, "Drop"))
		return false;
	while ((line = text_line(&text)))
		if (*line >= '0' && *line <= '9')
			read_row(part, line);
	return true;
}

/* ---- drop monitor ---- */

/* "Wed Oct 30 11:28:43 2019 123456789 nsec", local time: TZ=UTC. */
static int64_t stamp_of(char *text)
{
	char *ns = strstr(text, " nsec"), *space;
	int64_t at;

	if (!ns)
		return EVIDENCE_UNKNOWN;
	*ns = 0;
	space = strrchr(text, ' ');
	if (!space)
		return EVIDENCE_UNKNOWN;
	*space = 0;
	at = value_log_time(text);
	return at == EVIDENCE_UNKNOWN ? at : at + atoll(space + 1) % 1000000000;
}

struct drop {
	struct evidence_sample s;
	char port[EVIDENCE_TEXT];
};

static void put_drop(struct evidence_part *part, struct drop *d)
{
	struct evidence_of of = OF_PORT(d->port);

	if (*d->s.reason)
		put_sample(part, &of, &d->s);
	*d = (struct drop) { .s = { .dropped = true,
				    .samples = 1,
				    .estimated = 1,
				    .dst_qp = -1,
				    .psn = -1 } };
}

static void read_member(struct drop *d, const char *key, char *value)
{
	int64_t at;

	if (!strcmp(key, "drop at") || !strcmp(key, "drop reason")) {
		text_keep(d->s.reason, value);
	} else if (!strcmp(key, "input port name")) {
		text_keep(d->port, value);
	} else if (!strcmp(key, "input port ifindex")) {
		d->s.input = atoll(value) & 0x7fffffff;
	} else if (!strcmp(key, "timestamp")) {
		at = stamp_of(value);
		if (at != EVIDENCE_UNKNOWN)
			d->s.first_ns = d->s.last_ns = at;
	}
}

bool read_dropwatch(struct evidence_part *part, char *text)
{
	struct drop d = { 0 };
	char *line;

	if (!strstr(text, "drop at: ") || !strstr(text, "origin: "))
		return false;
	put_drop(part, &d);
	while ((line = text_line(&text))) {
		char *colon = strchr(line, ':');

		if (!strncmp(line, "drop at:", 8))
			put_drop(part, &d);
		if (!colon)
			continue;
		*colon = 0;
		read_member(&d, line, text_trim(colon + 1));
	}
	put_drop(part, &d);
	return true;
}
