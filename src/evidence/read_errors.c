/* SPDX-License-Identifier: GPL-2.0-or-later
 * Error lines in the logs of applications and kernels:
 *	NCCL and RCCL	transport/net_ib: "Got completion from peer ADDR<PORT>
 *			with status=12 ... vendor err 129 (Send) localGid GID
 *			remoteGidsGID hca NAME", older "with error 12, opcode
 *			0, len 0, vendor err 129", both with and without a
 *			peer; "async fatal event on QP (P) qpn=N ...: TEXT"
 *	UCX		ib_mlx5_log.c: "Transport retry count exceeded on
 *			mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)", then
 *			"RC QP 0x1a2 wqe[7]: SEND s-e [rqpn 0x2 ... dgid GID"
 *	perftest	"Failed status 12: wr_id 0 syndrom 0x81"
 *	Linux, mlx5	"mlx5_handle_error_cqe:333:(pid 0): WC error: 10,
 *			Message: remote access error"; "dump error cqe", then
 *			64 bytes in hexadecimal; "Requestor error cqe on cqn
 *			0x4:", then "syndrome 0x15, vendor syndrome 0x81"
 *	rdma-core, mlx5	"mlx5: HOST: got completion with error:", then the bytes
 *	any		what ibv_wc_status_str() returns */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "evidence/evidence_int.h"

enum {
	CQE_LINES = 4,
	CQE_HEX = 32,
	LINE_MAX_READ = 4096,
	LABELS_MAX = 96, /* bytes of a line before its host */
};

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

/* Is |at| the begin of "NAME:PID:THREAD"?  Its name has |n| bytes. */
static bool is_process(const char *at, size_t *n)
{
	const char *pid;
	size_t digits;

	*n = strcspn(at, ": \t[]<>()");
	if (!*n || *n >= EVIDENCE_TEXT || at[*n] != ':' ||
	    strspn(at, "0123456789") == *n)
		return false;
	pid = at + *n + 1;
	digits = strspn(pid, "0123456789");
	pid += digits;
	pid += strspn(pid, " ");
	return digits && *pid == ':' && isalnum((unsigned char)pid[1]);
}

/* The word before |end|. */
static const char *word_before(const char *line, const char *end, size_t *n)
{
	const char *at = end;

	while (at > line && !isspace((unsigned char)at[-1]))
		at--;
	*n = (size_t)(end - at);
	return at;
}

/* "host:1234:5678 [0] ..." or "[host:1234:0] ...", behind labels, which end in
 * brackets, a colon or blanks; "host kernel: ..."; "mlx5: host: got ...". */
static void read_host(const char *line, char to[static EVIDENCE_TEXT])
{
	static const char *const before[] = { " kernel:",
					      ": got completion with error:" };
	const char *at = NULL, *end;
	size_t n = 0;

	for (size_t i = 0; i < COUNT(before) && !at; i++)
		if ((end = strstr(line, before[i])) != NULL)
			at = word_before(line, end, &n);
	for (const char *p = line; !at && *p && p < line + LABELS_MAX; p++)
		if ((p == line || strchr(" \t:[]>", p[-1])) &&
		    is_process(p, &n))
			at = p;
	if (!at || !n || n >= EVIDENCE_TEXT)
		return;
	memcpy(to, at, n);
	to[n] = 0;
}

/* ---- lines ---- */

/* What is known while the lines of one file go by. */
struct errors {
	struct evidence_part *part;
	struct evidence_error last; /* may be completed by the next line */
	bool pending, dump;
	unsigned cqe; /* lines of a CQE so far */
	/* when and where it is from */
	int64_t dump_ns;
	char dump_device[EVIDENCE_TEXT];
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
	if (!s->pending || s->last.status != c->status) {
		start(s, c, number);
		s->last.at_ns = s->dump_ns;
		text_keep(s->last.device, s->dump_device);
	}
	s->last.vendor = b[6];
	s->last.qpn = b[9] << 16 | b[10] << 8 | b[11];
	return true;
}

/* mlx5 of the kernel, and of rdma-core (providers/mlx5/cq.c). */
static bool is_dump(const char *line)
{
	return strstr(line, "dump error cqe") ||
	       strstr(line, ": got completion with error:");
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
	static const char *const before[] = { "with error ", "with status=" };
	static const char *const tools[] = { "Failed status ", "WC error: " };
	static const char *const syndrome[] = { "(synd ", "): syndrome " };
	const char *nccl = strstr(line, "Got completion ");
	long n;

	*responder = false;
	for (size_t i = 0; i < COUNT(syndrome); i++)
		if ((n = number_behind(line, syndrome[i])) >= 0)
			return by_syndrome(n);
	for (size_t i = 0; nccl && i < COUNT(before); i++)
		if ((n = number_behind(nccl, before[i])) >= 0)
			return by_status(n);
	for (size_t i = 0; i < COUNT(tools); i++)
		if ((n = number_behind(line, tools[i])) >= 0)
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
					      "vendor syndrome ", "syndrom " };

	for (size_t i = 0; i < COUNT(vendor); i++)
		keep_number(&e->vendor, number_behind(line, vendor[i]));
	keep_number(&e->qpn, number_behind(line, " QP "));
	keep_number(&e->qpn, number_behind(line, " qpn="));
	keep_number(&e->qpn, number_behind(line, "qp_num="));
	keep_number(&e->remote_qpn, number_behind(line, "[rqpn "));
	keep_address(e->local, line, "localGid ");
	keep_address(e->remote, line, "remoteGids");
	keep_address(e->remote, line, " dgid ");
	keep_address(e->peer, line, "completion from peer ");
}

static bool error_line(struct errors *s, char *line, unsigned number)
{
	int64_t at_ns;
	const char *text;
	bool responder, more = strstr(line, " wqe[") && strstr(line, " QP 0x");
	const struct completion *c;

	at_ns = value_line_time(line, &text);
	if (is_dump(text)) {
		s->dump = true;
		s->cqe = 0;
		s->dump_ns = at_ns;
		*s->dump_device = 0;
		read_host(text, s->dump_device);
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
