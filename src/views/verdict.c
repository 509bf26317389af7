/* SPDX-License-Identifier: GPL-2.0-or-later
 * The verdict for people.
 *
 * In this order: the answer, what was found, how good the capture is, what is
 * not observable.  Nothing is computed here. */
#include "views/verdict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "store/store.h"
#include "views/answers.h"
#include "views/text_writer.h"

enum {
	SHOWN = 5, /* captures, taps and damages in full */
	LABEL = 2, /* columns */
	INDENT = 15,
	BRIEF_INDENT = 13,
	DEPTH = 4, /* of consequences shown */
};

struct view {
	struct text_writer text_writer;
	enum verdict_detail detail;
	const struct answers *answers;
	int64_t origin_ns;
	const char *program;
	const char *database;
};

/* Databases come from anywhere: times in them may be any number. */
static int64_t distance(int64_t from, int64_t to)
{
	int64_t d;

	if (__builtin_sub_overflow(to, from, &d))
		return to < from ? INT64_MIN : INT64_MAX;
	return d;
}

/* ---- what was captured ---------------------------------------------- */

static void and_more(struct view *v, const struct rows *r, const char *query)
{
	char n[UNITS_TEXT];

	if (r->n_rows > SHOWN)
		writer_command(&v->text_writer, LABEL, "", INDENT,
			       "and %s more: %s query %s %s",
			       units_count(r->n_rows - SHOWN, n), v->program,
			       v->database, query);
}

static void show_capture(struct view *v, const struct rows *r, size_t i)
{
	char packets[UNITS_TEXT], bytes[UNITS_TEXT], length[UNITS_TEXT];
	char from[UNITS_TEXT];
	int64_t first = rows_int(r, i, "first_ns", 0);
	int64_t last = rows_int(r, i, "last_ns", 0);
	uint64_t n = (uint64_t)rows_int(r, i, "packets", 0);

	writer_style(&v->text_writer, TEXT_BOLD);
	writer_text(&v->text_writer, 0, "Capture", INDENT,
		    rows_text(r, i, "path"));
	writer_style(&v->text_writer, TEXT_PLAIN);
	if (!n) {
		writer_printf(&v->text_writer, LABEL, "", INDENT,
			      "%s, no packets", rows_text(r, i, "format"));
		return;
	}
	writer_printf(&v->text_writer, LABEL, "", INDENT,
		      "%s, %s packets, %s, %s from %s",
		      rows_text(r, i, "format"), units_count(n, packets),
		      units_bytes(rows_real(r, i, "bytes", 0), bytes),
		      units_ns(distance(first, last), length),
		      units_utc(first, from));
}

/* A count that is only worth a line when it is not zero. */
struct remark {
	const char *column, *text;
};

static void show_remarks(struct view *v, const struct rows *r, size_t i,
			 const struct remark *remarks)
{
	char n[UNITS_TEXT];

	for (; remarks->column; remarks++) {
		int64_t count = rows_int(r, i, remarks->column, 0);

		if (count > 0)
			writer_printf(&v->text_writer, LABEL, "", INDENT,
				      "%s: %s", remarks->text,
				      units_count((uint64_t)count, n));
	}
}

/* What of a capture is not in the analysis. */
static void show_missing(struct view *v, const struct rows *r, size_t i)
{
	static const struct remark remarks[] = {
		{ "filtered_packets", "packets kept out by the filter" },
		{ "skipped_packets", "packets that could not be used" },
		{ "damaged_ranges", "corrupted parts that were skipped" },
		{ NULL, NULL },
	};

	show_remarks(v, r, i, remarks);
	if (rows_int(r, i, "cut", 0))
		writer_text(&v->text_writer, LABEL, "", INDENT,
			    "the file ends inside a packet");
}

static void show_captures(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_CAPTURES];

	for (size_t i = 0; i < r->n_rows && i < SHOWN; i++) {
		show_capture(v, r, i);
		show_missing(v, r, i);
	}
	and_more(v, r, "captures");
}

static void show_damage(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_DAMAGE];

	for (size_t i = 0; i < r->n_rows && i < SHOWN; i++)
		writer_printf(
			&v->text_writer, LABEL, "Corrupted", INDENT,
			"%s, bytes %" PRId64 " to %" PRId64 ": %s",
			rows_text(r, i, "path"), rows_int(r, i, "from_byte", 0),
			rows_int(r, i, "to_byte", 0), rows_text(r, i, "why"));
	and_more(v, r, "corrupted-ranges");
}

/* ---- how far it can be trusted -------------------------------------- */

/* A count of row |i|, as people read it. */
static const char *count(const struct rows *r, size_t i, const char *name,
			 char buf[static UNITS_TEXT])
{
	return units_count((uint64_t)rows_int(r, i, name, 0), buf);
}

/* "12 of them RoCE, 30 Ultra Ethernet": RoCE goes without saying only where
 * there is something else. */
static const char *ours(const struct rows *r, size_t i, char *buf, size_t size)
{
	char roce[UNITS_TEXT], uet[UNITS_TEXT];
	int64_t n_roce = rows_int(r, i, "packets_roce", 0) +
			 rows_int(r, i, "packets_cnp", 0);
	int64_t n_uet = rows_int(r, i, "packets_uet", 0);

	units_count((uint64_t)n_roce, roce);
	units_count((uint64_t)n_uet, uet);
	if (n_uet <= 0)
		snprintf(buf, size, "%s of them RoCE", roce);
	else if (n_roce <= 0)
		snprintf(buf, size, "%s of them Ultra Ethernet", uet);
	else
		snprintf(buf, size, "%s of them RoCE, %s Ultra Ethernet", roce,
			 uet);
	return buf;
}

static void show_tap(struct view *v, const struct rows *r, size_t i)
{
	char packets[UNITS_TEXT], flows[UNITS_TEXT];
	char of_us[2 * UNITS_TEXT + 40];
	const char *with = rows_text(r, i, "with_tap");

	count(r, i, "packets", packets);
	ours(r, i, of_us, sizeof of_us);
	if (*with)
		writer_printf(&v->text_writer, LABEL, "Tap", INDENT,
			      "%s: %s packets, %s; same hop as %s, where its "
			      "flows are counted",
			      rows_text(r, i, "name"), packets, of_us, with);
	else
		writer_printf(&v->text_writer, LABEL, "Tap", INDENT,
			      "%s: %s packets, %s in %s flows",
			      rows_text(r, i, "name"), packets, of_us,
			      count(r, i, "flows", flows));
}

static const char *why_two_places(const char *why)
{
	return !strcmp(why, "files")   ? "two files may have two clocks"
	       : !strcmp(why, "order") ? "the file is not in order of time"
				       : "nothing proves it";
}

/* Said once of the two. */
static void show_half(struct view *v, const struct rows *r, size_t i)
{
	const char *other = rows_text(r, i, "half");
	const char *by = rows_text(r, i, "half_by");
	const char *why_not = rows_text(r, i, "half_why_not");

	if (*other && *by)
		writer_printf(&v->text_writer, LABEL, "", INDENT,
			      "one direction of a link, %s is the other (by "
			      "%s): one capture point",
			      other, by);
	else if (*other)
		writer_printf(
			&v->text_writer, LABEL, "", INDENT,
			"one direction of a link, %s %s the other: two capture "
			"points, because %s",
			other, !strcmp(why_not, "hosts") ? "may be" : "is",
			why_two_places(why_not));
}

/* Where the answers are missing too, nobody can tell what is. */
static void show_capture_loss(struct view *v, const struct rows *r, size_t i)
{
	char missing[UNITS_TEXT], checked[UNITS_TEXT], rest[UNITS_TEXT];
	int64_t expected = rows_int(r, i, "expected", 0);
	int64_t n = rows_int(r, i, "checked", 0);
	const char *why = rows_int(r, i, "flows_sprayed", 0)
				  ? "the flows also use other links"
			  : rows_int(r, i, "connected_flows", 0)
				  ? "their ACKs are not in the capture"
				  : "no response acknowledges them in order";

	if (expected <= 0)
		return;
	if (n <= 0) {
		writer_printf(&v->text_writer, LABEL, "", INDENT,
			      "capture loss is not observable: %s", why);
		return;
	}
	writer_printf(&v->text_writer, LABEL, "", INDENT,
		      "%s of %s PSNs were not captured (%.3g %%)%s",
		      count(r, i, "capture_missing", missing),
		      count(r, i, "checked", checked),
		      100 * rows_real(r, i, "missing_share", 0),
		      rows_int(r, i, "low_confidence", 0)
			      ? ": LOW CONFIDENCE in losses"
			      : "");
	if (n < expected)
		writer_printf(&v->text_writer, LABEL, "", INDENT,
			      "%s more cannot be checked: %s",
			      units_count((uint64_t)(expected - n), rest), why);
}

static void show_directions(struct view *v, const struct rows *r, size_t i)
{
	char both[UNITS_TEXT], connected[UNITS_TEXT];

	if (rows_int(r, i, "connected_flows", 0) > 0)
		writer_printf(&v->text_writer, LABEL, "", INDENT,
			      "both directions of %s of %s connected flows "
			      "captured",
			      count(r, i, "flows_both", both),
			      count(r, i, "connected_flows", connected));
}

static void show_faults(struct view *v, const struct rows *r, size_t i)
{
	static const struct remark remarks[] = {
		{ "dropped_reported",
		  "packets dropped by the capturing system, as it reports" },
		{ "mirror_seq_lost",
		  "mirrored packets missing (mirror sequence numbers)" },
		{ "mirror_duplicates", "mirror duplicates, not counted" },
		{ "timestamp_regressions", "out-of-order timestamps" },
		{ "truncated", "packets truncated inside their headers" },
		{ "malformed", "malformed packets" },
		{ "fragments", "IP fragments" },
		{ "icrc_bad", "packets with a bad ICRC (UET: CRC)" },
		{ "flows_unpaired",
		  "flows whose reverse direction was not identified" },
		{ "flows_sprayed",
		  "flows that also use links not captured here" },
		{ NULL, NULL },
	};

	show_remarks(v, r, i, remarks);
	if (rows_int(r, i, "nic_sniffer", 0))
		writer_text(
			&v->text_writer, LABEL, "", INDENT,
			"written by a NIC's sniffer: source MACs hold times");
}

static void show_sample(struct view *v, const struct rows *r, size_t i)
{
	char packets[UNITS_TEXT];
	double one_in = rows_real(r, i, "sampled_one_in", 0);

	if (one_in > 0)
		writer_printf(&v->text_writer, LABEL, "", INDENT,
			      "a sample: about one packet in %.0f, of about %s "
			      "(standard deviation %.0f)",
			      one_in, count(r, i, "estimated_packets", packets),
			      rows_real(r, i, "estimated_packets_error", 0));
}

static void show_taps(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_TAPS];

	for (size_t i = 0; i < r->n_rows && i < SHOWN; i++) {
		show_tap(v, r, i);
		show_half(v, r, i);
		show_sample(v, r, i);
		show_capture_loss(v, r, i);
		show_directions(v, r, i);
		show_faults(v, r, i);
	}
	and_more(v, r, "taps");
}

static void show_optional(struct view *v, const char *label, const char *text)
{
	if (*text)
		writer_text(&v->text_writer, LABEL, label, INDENT, text);
}

/* Where loss is ruled out packet by packet. */
static void show_lossless(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_TOTALS];
	const char *segments = rows_text(r, 0, "lossless");

	if (*segments)
		writer_printf(&v->text_writer, LABEL, "No loss", INDENT,
			      "between %s", segments);
}

/* ---- the answer ----------------------------------------------------- */

static enum writer_style style_of_verdict(const char *verdict)
{
	static const struct {
		const char *verdict;
		enum writer_style style;
	} styles[] = {
		{ "network", TEXT_RED },
		{ "host", TEXT_YELLOW },
		{ "both", TEXT_RED },
		{ "nothing-wrong", TEXT_GREEN },
	};

	for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
		if (!strcmp(verdict, styles[i].verdict))
			return styles[i].style;
	return TEXT_BOLD;
}

static void show_answer(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_ANSWER];

	if (!r->n_rows)
		return;
	writer_style(&v->text_writer,
		     style_of_verdict(rows_text(r, 0, "verdict")));
	writer_text(&v->text_writer, 0, "", 0, rows_text(r, 0, "line"));
	writer_style(&v->text_writer, TEXT_PLAIN);
}

/* ---- jobs ----------------------------------------------------------- */

/* Whether the answer for the capture, above, is that for |job|. */
static bool is_above(const struct view *v, int64_t job)
{
	char name[UNITS_TEXT];

	snprintf(name, sizeof name, "job %" PRId64 ": ", job);
	return strstr(rows_text(&v->answers->of[ANSWER_ANSWER], 0, "line"),
		      name);
}

static void show_job(struct view *v, const struct rows *r, size_t i)
{
	int64_t job = rows_int(r, i, "job", 0);
	char jct[UNITS_TEXT], comm[UNITS_TEXT];
	const char *pattern = rows_text(r, i, "pattern");
	const char *groups = rows_text(r, i, "groups");

	if (rows_int(r, i, "iterations", -1) < 0)
		writer_printf(&v->text_writer, LABEL, "Job", INDENT,
			      "%" PRId64 ": %" PRId64 " ranks, no iterations",
			      job, rows_int(r, i, "ranks", 0));
	else
		writer_printf(&v->text_writer, LABEL, "Job", INDENT,
			      "%" PRId64 ": %" PRId64 " ranks, %" PRId64
			      " iterations%s%s%s%s in %s, %s of it "
			      "communicating",
			      job, rows_int(r, i, "ranks", 0),
			      rows_int(r, i, "iterations", 0),
			      *pattern ? ", shape " : "", pattern,
			      *groups ? ", " : "", groups,
			      units_ns(rows_int(r, i, "jct_ns", 0), jct),
			      units_ns(rows_int(r, i, "comm_ns", 0), comm));
	show_optional(v, "",
		      is_above(v, job) ? "the answer above"
				       : rows_text(r, i, "line"));
	if (v->detail == VERDICT_ALL && *rows_text(r, i, "causes"))
		writer_printf(&v->text_writer, LABEL, "", INDENT, "Time: %s",
			      rows_text(r, i, "causes"));
}

static void show_jobs(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_JOBS];

	for (size_t i = 0; i < r->n_rows && i < SHOWN; i++)
		show_job(v, r, i);
	and_more(v, r, "answer");
}

/* ---- what was found ------------------------------------------------- */

static enum writer_style style_of(const char *severity)
{
	static const struct {
		const char *severity;
		enum writer_style style;
	} styles[] = {
		{ "critical", TEXT_RED },
		{ "warning", TEXT_YELLOW },
		{ "info", TEXT_CYAN },
		{ "ok", TEXT_GREEN },
	};

	for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
		if (!strcmp(severity, styles[i].severity))
			return styles[i].style;
	return TEXT_BOLD;
}

/* When it was, and the frames to look at: the costliest first. */
static void show_when(struct view *v, const struct rows *r, size_t i)
{
	int64_t first = rows_int(r, i, "first_ns", INT64_MIN);
	int64_t last = rows_int(r, i, "last_ns", first);
	const char *frames = rows_text(r, i, "frames");
	char from[UNITS_TEXT], to[UNITS_TEXT], utc[UNITS_TEXT];

	if (first == INT64_MIN) {
		show_optional(v, "Frames", frames);
		return;
	}
	units_offset(distance(v->origin_ns, first), from);
	units_offset(distance(v->origin_ns, last), to);
	if (v->detail == VERDICT_ALL) {
		writer_printf(&v->text_writer, LABEL, "When", INDENT,
			      "%s to %s (from %s)", from, to,
			      units_utc(first, utc));
		show_optional(v, "Frames", frames);
		return;
	}
	writer_printf(&v->text_writer, LABEL, "When", INDENT, "%s to %s%s%s",
		      from, to,
		      !*frames              ? ""
		      : strchr(frames, ',') ? ", frames "
					    : ", frame ",
		      frames);
}

/* "fabscope query DB losses", with the names the reader has for both. */
static void show_query(struct view *v, const char *query)
{
	static const char generic[] = "fabscope query DB ";
	size_t n = sizeof generic - 1;

	if (strncmp(query, generic, n) != 0)
		show_optional(v, "Details", query);
	else
		writer_command(&v->text_writer, LABEL, "Details", INDENT,
			       "%s query %s %s", v->program, v->database,
			       query + n);
}

/* One command, unless all is asked for. */
static void show_commands(struct view *v, const struct rows *r, size_t i)
{
	const char *query = rows_text(r, i, "query");
	int64_t id = rows_int(r, i, "id", 0);

	show_query(v, query);
	if (*query && v->detail != VERDICT_ALL)
		return;
	if (*rows_text(r, i, "frames") || rows_int(r, i, "flow_id", 0))
		writer_command(&v->text_writer, LABEL, *query ? "" : "Details",
			       INDENT,
			       "%s slice %s finding:%" PRId64
			       " -w finding-%" PRId64 ".pcapng",
			       v->program, v->database, id, id);
}

/* The time lost and the confidence in it, or what is known of the two. */
static void show_cost(struct view *v, const struct rows *r, size_t i)
{
	int64_t job = rows_int(r, i, "job_ns", -1);
	int64_t flows = rows_int(r, i, "cost_ns", 0);
	double confidence = rows_real(r, i, "confidence", -1);
	char job_text[UNITS_TEXT] = "", flows_text[UNITS_TEXT] = "";
	char sure[32] = "";
	bool both;

	if (job > 0)
		units_ns(job, job_text);
	else if (!job)
		strcpy(job_text, "none");
	if (flows > 0)
		units_ns(flows, flows_text);
	both = *job_text && *flows_text && strcmp(job_text, flows_text) != 0;
	if (confidence >= 0)
		snprintf(sure, sizeof sure, "confidence %.0f %%",
			 100 * confidence);
	if (*job_text)
		writer_printf(&v->text_writer, LABEL, "Time lost", INDENT,
			      "%s of job time%s%s%s%s%s", job_text,
			      both ? " (" : "", both ? flows_text : "",
			      both ? " summed over flows)" : "",
			      *sure ? ", " : "", sure);
	else if (*flows_text)
		writer_printf(&v->text_writer, LABEL, "Time lost", INDENT,
			      "%s, summed over flows%s%s", flows_text,
			      *sure ? ", " : "", sure);
	else if (*sure)
		writer_printf(&v->text_writer, LABEL, "Confidence", INDENT,
			      "%.0f %%", 100 * confidence);
}

static void show_head(struct view *v, const struct rows *r, size_t i, int at)
{
	const char *severity = rows_text(r, i, "severity");
	char number[32];

	snprintf(number, sizeof number, "%" PRId64 " %s",
		 rows_int(r, i, "id", 0), severity);
	writer_style(&v->text_writer, style_of(severity));
	writer_text(&v->text_writer, at, number, at + INDENT,
		    rows_text(r, i, "title"));
	writer_style(&v->text_writer, TEXT_PLAIN);
}

/* What needs something done is printed in full, and notes beside it only by
 * name. */
static bool is_note(const struct view *v, const struct rows *r, size_t i)
{
	if (v->detail == VERDICT_ALL ||
	    strcmp(rows_text(r, i, "severity"), "info") != 0)
		return false;
	for (i = 0; i < r->n_rows; i++)
		if (!strcmp(rows_text(r, i, "severity"), "critical") ||
		    !strcmp(rows_text(r, i, "severity"), "warning"))
			return true;
	return false;
}

/* A consequence stands below its cause, in one line: what can be done about it
 * is said there. */
static void show_consequence(struct view *v, const struct rows *r, size_t i)
{
	int64_t depth = rows_int(r, i, "depth", 0);

	show_head(v, r, i, LABEL * (int)(depth < DEPTH ? depth : DEPTH));
}

static void show_finding(struct view *v, const struct rows *r, size_t i)
{
	fputc('\n', v->text_writer.out);
	show_head(v, r, i, 0);
	show_optional(v, "", rows_text(r, i, "detail"));
	show_when(v, r, i);
	if (v->detail == VERDICT_ALL ||
	    !strstr(rows_text(r, i, "title"), rows_text(r, i, "who")))
		show_optional(v, "Flows", rows_text(r, i, "who"));
	show_cost(v, r, i);
	show_optional(v, "Place", rows_text(r, i, "place"));
	show_optional(v, "Action", rows_text(r, i, "action"));
	show_commands(v, r, i);
}

static void show_findings(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_FINDINGS];
	int64_t all =
		rows_int(&v->answers->of[ANSWER_TOTALS], 0, "findings", 0);
	bool in_full = true;

	for (size_t i = 0; i < r->n_rows; i++) {
		bool below = rows_int(r, i, "depth", 0) > 0;

		if (!below && !is_note(v, r, i)) {
			show_finding(v, r, i);
			in_full = true;
			continue;
		}
		if (!below && in_full)
			fputc('\n', v->text_writer.out);
		in_full = in_full && below;
		show_consequence(v, r, i);
	}
	if ((int64_t)r->n_rows < all)
		writer_printf(&v->text_writer, 0, "", INDENT,
			      "and %" PRId64 " findings more",
			      all - (int64_t)r->n_rows);
	if (all)
		return;
	fputc('\n', v->text_writer.out);
	writer_text(&v->text_writer, 0, "Findings", INDENT,
		    "no finding: see the answer above.");
}

/* ---- what was not observable ----------------------------------------- */

static void show_unseen(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_UNSEEN];
	size_t i;

	if (!r->n_rows)
		return;
	fputc('\n', v->text_writer.out);
	writer_style(&v->text_writer, TEXT_BOLD);
	fputs("Not observable at this capture point\n", v->text_writer.out);
	writer_style(&v->text_writer, TEXT_PLAIN);
	for (i = 0; i < r->n_rows; i++) {
		const char *taps = rows_text(r, i, "taps");
		char what[WORDS_TEXT];

		writer_printf(&v->text_writer, LABEL,
			      words_of(rows_text(r, i, "what"), what), INDENT,
			      "%s%s%s%s%s",
			      strcmp(rows_text(r, i, "verdict"), "no")
				      ? "in part: "
				      : "",
			      rows_text(r, i, "why"), *taps ? " (at " : "",
			      taps, *taps ? ")" : "");
	}
}

/* That messages are a sample is no news: those rows have no meaning. */
static void show_row_limits(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_ROW_LIMITS];
	char stored[UNITS_TEXT], missing[UNITS_TEXT];
	const char *label = "Row limit";

	for (size_t i = 0; i < r->n_rows; i++) {
		const char *means = rows_text(r, i, "means");
		bool some = rows_int(r, i, "stored", 0) > 0;

		if (!*means)
			continue;
		if (*label)
			fputc('\n', v->text_writer.out);
		writer_printf(&v->text_writer, 0, label, INDENT,
			      "%s: %s%s%s not stored: %s",
			      rows_text(r, i, "table_name"),
			      some ? count(r, i, "stored", stored) : "",
			      some ? " stored, " : "",
			      count(r, i, "not_stored", missing), means);
		label = "";
	}
}

/* ---- the usual length ----------------------------------------------- */

static int64_t sum_of(const struct rows *r, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		sum += rows_int(r, i, name, 0);
	return sum;
}

/* What makes an answer less sure is printed in full. */
static bool is_good(const struct view *v)
{
	const struct rows *c = &v->answers->of[ANSWER_CAPTURES];
	const struct rows *t = &v->answers->of[ANSWER_TAPS];

	return !v->answers->of[ANSWER_DAMAGE].n_rows &&
	       !sum_of(c, "skipped_packets") && !sum_of(c, "cut") &&
	       !sum_of(t, "dropped_reported") && sum_of(c, "packets");
}

/* "3 of 240 PSNs not captured": known of what was acknowledged. */
static void write_missing(const struct rows *taps, char *out, size_t size)
{
	char missing[UNITS_TEXT], checked[UNITS_TEXT];
	uint64_t of = (uint64_t)sum_of(taps, "checked");

	if (of)
		snprintf(out, size, "%s of %s PSNs not captured%s",
			 units_count((uint64_t)sum_of(taps, "capture_missing"),
				     missing),
			 units_count(of, checked),
			 sum_of(taps, "low_confidence")
				 ? ": LOW CONFIDENCE in losses"
				 : "");
	else
		snprintf(out, size, "no ACK to check PSNs against");
}

/* All captures in one line. */
static void show_quality(struct view *v)
{
	const struct rows *c = &v->answers->of[ANSWER_CAPTURES];
	const struct rows *t = &v->answers->of[ANSWER_TAPS];
	const struct rows *all = &v->answers->of[ANSWER_TOTALS];
	char more[2 * UNITS_TEXT] = "", packets[UNITS_TEXT];
	char length[UNITS_TEXT], missing[128];
	const char *path = rows_text(c, 0, "path");
	const char *name = strrchr(path, '/');

	if (c->n_rows > 1)
		snprintf(more, sizeof more, " and %zu more", c->n_rows - 1);
	write_missing(t, missing, sizeof missing);
	fputc('\n', v->text_writer.out);
	writer_printf(&v->text_writer, 0, "Capture", INDENT,
		      "%s%s: %s packets, %s; %s",
		      name && name[1] ? name + 1 : path, more,
		      units_count((uint64_t)sum_of(c, "packets"), packets),
		      units_ns(distance(rows_int(all, 0, "first_ns", 0),
					rows_int(all, 0, "last_ns", 0)),
			       length),
		      missing);
}

/* Not observable at one capture point, and in part at another. */
static bool is_elsewhere(const struct rows *r, size_t row)
{
	for (size_t i = row + 1; i < r->n_rows; i++)
		if (!strcmp(rows_text(r, i, "what"),
			    rows_text(r, row, "what")) &&
		    strcmp(rows_text(r, i, "verdict"),
			   rows_text(r, row, "verdict")) != 0)
			return true;
	return false;
}

/* The capture points at which |row| is not observable, where all others show
 * it; NULL: at every one, or for several reasons. */
static const char *unseen_taps(const struct rows *r, size_t row)
{
	const char *what = rows_text(r, row, "what");
	const char *taps = rows_text(r, row, "taps");
	size_t i, reasons = 0;

	for (i = 0; i < r->n_rows; i++)
		reasons += !strcmp(rows_text(r, i, "what"), what);
	return *taps && reasons == 1 ? taps : NULL;
}

/* Names of kinds: first those that are not observable at all. */
static void list_unseen(struct view *v, FILE *out)
{
	const struct rows *r = &v->answers->of[ANSWER_UNSEEN];
	const char *before = "", *last = "";
	char name[WORDS_TEXT];
	bool any_part = false;

	for (size_t i = 0; i < r->n_rows; i++) {
		const char *what = rows_text(r, i, "what");
		bool part = strcmp(rows_text(r, i, "verdict"), "no") != 0;

		if (!strcmp(what, last) || (!part && is_elsewhere(r, i)))
			continue;
		if (part && !any_part)
			before = *before ? "; in part: " : "in part: ";
		fprintf(out, "%s%s", before, words_of(what, name));
		if (!part && unseen_taps(r, i))
			fprintf(out, " at %s", unseen_taps(r, i));
		any_part |= part;
		before = ", ";
		last = what;
	}
}

static void show_unseen_names(struct view *v)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (out)
		list_unseen(v, out);
	if (!out || fclose(out) || !text)
		fputs("out of memory\n", v->text_writer.out);
	else if (*text)
		writer_printf(&v->text_writer, 0, "Not observable", INDENT,
			      "%s (-v: why)", text);
	free(text);
}

static void show_usual(struct view *v)
{
	show_answer(v);
	if (v->answers->of[ANSWER_JOBS].n_rows > 1) {
		fputc('\n', v->text_writer.out);
		show_jobs(v);
	}
	show_findings(v);
	if (is_good(v)) {
		show_quality(v);
	} else {
		fputc('\n', v->text_writer.out);
		show_captures(v);
		show_damage(v);
		show_taps(v);
	}
	show_unseen_names(v);
	show_row_limits(v);
}

static void show_all(struct view *v)
{
	show_answer(v);
	fputc('\n', v->text_writer.out);
	show_captures(v);
	show_damage(v);
	show_taps(v);
	show_lossless(v);
	show_jobs(v);
	show_findings(v);
	show_unseen(v);
	show_row_limits(v);
	fputc('\n', v->text_writer.out);
}

static void show_brief(struct view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_FINDINGS];

	show_answer(v);
	if (r->n_rows)
		fputc('\n', v->text_writer.out);
	for (size_t i = 0; i < r->n_rows; i++) {
		const char *severity = rows_text(r, i, "severity");
		char number[32];

		snprintf(number, sizeof number, "%" PRId64 " %s",
			 rows_int(r, i, "id", 0), severity);
		writer_style(&v->text_writer, style_of(severity));
		writer_line(&v->text_writer, number, BRIEF_INDENT,
			    rows_text(r, i, "title"));
		writer_style(&v->text_writer, TEXT_PLAIN);
	}
}

static void show(struct view *v)
{
	static void (*const lengths[])(struct view *) = {
		[VERDICT_BRIEF] = show_brief,
		[VERDICT_USUAL] = show_usual,
		[VERDICT_ALL] = show_all,
	};

	lengths[v->detail](v);
	if (v->detail == VERDICT_BRIEF)
		return;
	writer_command(&v->text_writer, 0, "Database", INDENT, "%s",
		       v->database);
}

int verdict_print(struct store *s, const char *program,
		  enum verdict_detail detail, FILE *out, struct err *err)
{
	struct answers answers;
	struct view v = { .answers = &answers,
			  .detail = detail,
			  .origin_ns = store_origin_ns(s),
			  .program = program };
	char *database = text_shell(store_path(s));
	int rc = database ? answers_load(&answers, s, err)
			  : err_set(err, ERR_MEMORY, "out of memory");

	if (!rc) {
		v.database = database;
		writer_init(&v.text_writer, out);
		show(&v);
	}
	if (database)
		answers_fini(&answers);
	free(database);
	return rc;
}
