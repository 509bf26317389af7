/* SPDX-License-Identifier: GPL-2.0-or-later
 * Error lines in the logs of applications and kernels:
 *	NCCL and RCCL	transport/net_ib: "Got completion from peer ADDR<PORT>
 *			with status=12 ... vendor err 129 (Send) localGid GID
 *			remoteGidsGID hca NAME", older "Got completion with
 *			error 12, opcode 0, len 0, vendor err 129"; "async
 *			fatal event on QP: TEXT"
 *	UCX		ib_mlx5_log.c: "Transport retry count exceeded on
 *			mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)", then
 *			"RC QP 0x1a2 wqe[7]: SEND ..."
 *	perftest	"Failed status 12: wr_id 0 syndrom 0x81"
 *	Linux, mlx5	"mlx5_handle_error_cqe:333:(pid 0): WC error: 10,
 *			Message: remote access error"; "dump error cqe", then
 *			64 bytes in hexadecimal
 *	any		what ibv_wc_status_str() returns */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "evidence/evidence_int.h"

enum { CQE_LINES = 4, CQE_HEX = 32, LINE_MAX_READ = 4096 };

static const struct completion {
	int status, syndrome;
	const char *name, *text;
} completions[] = {
#define ERROR(status, syndrome, name, text) { status, syndrome, name, text },
#define EVENT(status, text)
#include "evidence/errors.def"
#undef ERROR
#undef EVENT
};

static const struct event {
	int status;
	const char *text;
} events[] = {
#define ERROR(status, syndrome, name, text)
#define EVENT(status, text) { status, text },
#include "evidence/errors.def"
#undef ERROR
#undef EVENT
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct completion *by_status(long status)
{
	for (size_t i = 0; i < COUNT(completions); i++)
		if (completions[i].status == status)
			return &completions[i];
	return NULL;
}

static const struct completion *by_syndrome(long syndrome)
{
	for (size_t i = 0; i < COUNT(completions); i++)
		if (completions[i].syndrome == syndrome)
			return &completions[i];
	return NULL;
}

const char *evidence_error_name(int status)
{
	const struct completion *c = by_status(status);

	return c ? c->name : NULL;
}

/* ---- parts of a line ---- */

/* What stands behind the first of |before|, NULL. */
static const char *behind(const char *line, const char *before)
{
	const char *at = strstr(line, before);

	return at ? at + strlen(before) : NULL;
}

/* A number behind |before|, decimal or 0x: -1 none.  "IBV_WC_NAME(12)" as well.
 */
static long number_behind(const char *line, const char *before)
{
	const char *at = behind(line, before);
	char *end;
	long n;

	if (at && !strncmp(at, "IBV_WC_", 7))
		at = behind(at, "(");
	if (!at || !isdigit((unsigned char)*at))
		return -1;
	n = strtol(at, &end, at[0] == '0' && at[1] == 'x' ? 16 : 10);
	return end != at && n >= 0 && n <= UINT32_MAX ? n : -1;
}

static void keep_address(char to[static EVIDENCE_TEXT], const char *line,
			 const char *before)
{
	const char *at = behind(line, before);
	char text[EVIDENCE_TEXT];
	struct addr a;
	size_t n;

	if (!at || *to)
		return;
	at += strspn(at, " ");
	n = strcspn(at, " ,;)]<");
	if (n >= sizeof text)
		return;
	memcpy(text, at, n);
	text[n] = 0;
	if (addr_parse(text, &a))
		addr_text(a, to);
}

/* ---- when and where ---- */

/* "[1612345678.5]", "[2026-11-23 21:00:00]", "2026-11-23T21:00:00Z host ",
 * "[Mon Nov 23 21:00:00 2026]"; seconds since the machine started say nothing
 * of the date.  Returns what is behind it. */
static char *read_time(char *line, int64_t *at_ns)
{
	bool open = *line == '[';
	char *end = open ? strchr(line, ']') : line + strcspn(line, " \t");
	char text[EVIDENCE_TEXT];
	size_t n;

	*at_ns = EVIDENCE_UNKNOWN;
	if (!end || !*end)
		return line;
	n = (size_t)(end - line) - open;
	if (n >= sizeof text)
		return line;
	memcpy(text, line + open, n);
	text[n] = 0;
	*at_ns = value_log_time(text + strspn(text, " "));
	if (*at_ns == EVIDENCE_UNKNOWN &&
	    (!open || strspn(text, " 0123456789.") != n))
		return line;
	return end + open + strspn(end + open, " \t");
}

/* "host:1234:5678 [0] ..." or "[host:1234:0] ...", and "host kernel: ...". */
static void read_host(const char *line, char to[static EVIDENCE_TEXT])
{
	const char *at = line + (*line == '[');
	size_t n = strcspn(at, ": \t]");
	char name[EVIDENCE_TEXT];

	if (!n || n >= sizeof name)
		return;
	memcpy(name, at, n);
	name[n] = 0;
	if ((at[n] == ':' && isdigit((unsigned char)at[n + 1])) ||
	    (at[n] == ' ' && !strncmp(at + n, " kernel:", 8)))
		text_keep(to, name);
}

/* ---- lines ---- */

/* What is known while the lines of one file go by. */
struct errors {
	struct evidence_part *part;
	struct evidence_error last; /* may be completed by the next line */
	bool pending, dump;
	int64_t last_ns; /* kernels print several lines at once */
	unsigned cqe;    /* lines of a CQE so far */
};

static void flush(struct errors *s)
{
	if (s->pending)
		put_error(s->part, &s->last);
	s->pending = false;
}

static void start(struct errors *s, const struct completion *c, unsigned number)
{
	flush(s);
	s->pending = true;
	s->last = (struct evidence_error) { .status = c->status,
					    .line = number,
					    .vendor = -1,
					    .qpn = -1,
					    .remote_qpn = -1,
					    .at_ns = EVIDENCE_UNKNOWN };
}

/* The last 32 digits of the line are 16 bytes. */
static bool cqe_bytes(const char *line, uint8_t bytes[static CQE_HEX / 2])
{
	size_t n = strlen(line), digits = 0;
	char hex[3] = "";

	while (n && digits < CQE_HEX) {
		char c = line[--n];

		if (c == ' ')
			continue;
		if (!isxdigit((unsigned char)c))
			return false;
		hex[1 - digits % 2] = c;
		if (digits % 2)
			bytes[CQE_HEX / 2 - 1 - digits / 2] =
				(uint8_t)strtol(hex, NULL, 16);
		digits++;
	}
	return digits == CQE_HEX;
}

/* struct mlx5_err_cqe: its last 16 bytes are 4 reserved ones, 2 more, vendor
 * error syndrome, syndrome, opcode, queue pair (24 bits), ... */
static bool cqe_line(struct errors *s, const char *line, unsigned number)
{
	uint8_t b[CQE_HEX / 2];
	const struct completion *c;

	if (!s->dump || !cqe_bytes(line, b))
		return false;
	if (++s->cqe < CQE_LINES)
		return true;
	s->dump = false;
	c = by_syndrome(b[7]);
	if (!c)
		return true;
	if (!s->pending || s->last.status != c->status)
		start(s, c, number);
	s->last.vendor = b[6];
	s->last.qpn = b[9] << 16 | b[10] << 8 | b[11];
	return true;
}

static const struct completion *known_text(const char *line)
{
	for (size_t i = 0; i < COUNT(completions); i++)
		if (strstr(line, completions[i].text))
			return &completions[i];
	return NULL;
}

static const struct completion *find_error(const char *line, bool *responder)
{
	static const char *const before[] = { "Got completion with error ",
					      "with status=", "Failed status ",
					      "WC error: " };
	long n = number_behind(line, "(synd ");

	*responder = false;
	if (n >= 0)
		return by_syndrome(n);
	for (size_t i = 0; i < COUNT(before); i++)
		if ((n = number_behind(line, before[i])) >= 0)
			return by_status(n);
	for (size_t i = 0; i < COUNT(events); i++)
		if (strstr(line, events[i].text)) {
			*responder = true;
			return by_status(events[i].status);
		}
	return known_text(line);
}

static void keep_number(int64_t *to, long n)
{
	if (n >= 0 && *to < 0)
		*to = n;
}

/* What this line says of the error, in whatever form. */
static void complete(struct evidence_error *e, const char *line)
{
	static const char *const vendor[] = { "vendor err ",
					      "vendor_err=", "vend ",
					      "syndrom " };

	for (size_t i = 0; i < COUNT(vendor); i++)
		keep_number(&e->vendor, number_behind(line, vendor[i]));
	keep_number(&e->qpn, number_behind(line, " QP "));
	keep_number(&e->qpn, number_behind(line, "qp_num="));
	keep_number(&e->remote_qpn, number_behind(line, "[rqpn "));
	keep_address(e->local, line, "localGid ");
	keep_address(e->remote, line, "remoteGids");
	keep_address(e->remote, line, " rgid ");
	keep_address(e->peer, line, "completion from peer ");
}

static bool error_line(struct errors *s, char *line, unsigned number)
{
	int64_t at_ns;
	char *text = read_time(line, &at_ns);
	bool responder, more = strstr(text, " wqe[") && strstr(text, " QP 0x");
	const struct completion *c;

	if (strstr(text, "dump error cqe")) {
		s->dump = true;
		s->cqe = 0;
		return true;
	}
	if (cqe_line(s, text, number))
		return true;
	c = find_error(text, &responder);
	if (!c && more && s->pending) {
		complete(&s->last, text);
		return true;
	}
	if (!c)
		return false;
	start(s, c, number);
	s->last.at_ns = at_ns;
	s->last.responder = responder;
	read_host(text, s->last.device);
	complete(&s->last, text);
	return true;
}

/* A log: some of its lines are errors. */
bool read_errors(struct evidence_part *part, char *text)
{
	struct errors s = { .part = part };
	bool any = false;
	unsigned number = part->line;
	const char *at = text;

	while (*at) {
		char line[LINE_MAX_READ];
		size_t n = strcspn(at, "\n");

		number++;
		snprintf(line, sizeof line, "%.*s",
			 n < sizeof line ? (int)n : (int)sizeof line - 1, at);
		any |= error_line(&s, text_trim(line), number);
		at += n + (at[n] == '\n');
	}
	flush(&s);
	return any && part->readings;
}
