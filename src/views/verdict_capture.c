/* SPDX-License-Identifier: GPL-2.0-or-later
 * The verdict for people: what was captured, and how far it can be trusted. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "views/answers.h"
#include "views/text_writer.h"
#include "views/verdict_int.h"

/* ---- what was captured ---------------------------------------------- */

static void show_capture(struct verdict_view *v, const struct rows *r, size_t i)
{
	char packets[UNITS_PLURAL], bytes[UNITS_TEXT], length[UNITS_TEXT];
	char from[UNITS_TEXT];
	int64_t first = rows_int(r, i, "first_ns", 0);
	int64_t last = rows_int(r, i, "last_ns", 0);
	int64_t n = rows_int(r, i, "packets", 0);

	writer_style(&v->text_writer, TEXT_BOLD);
	writer_text(&v->text_writer, 0, "Capture", VERDICT_INDENT,
		    rows_text(r, i, "path"));
	writer_style(&v->text_writer, TEXT_PLAIN);
	if (!n) {
		writer_printf(&v->text_writer, VERDICT_LABEL, "",
			      VERDICT_INDENT, "%s, no packets",
			      rows_text(r, i, "format"));
		return;
	}
	writer_printf(&v->text_writer, VERDICT_LABEL, "", VERDICT_INDENT,
		      "%s, %s, %s, %s from %s", rows_text(r, i, "format"),
		      units_plural(n, "packet", packets),
		      units_bytes(rows_real(r, i, "bytes", 0), bytes),
		      units_ns(verdict_distance(first, last), length),
		      units_utc(first, from));
}

/* A count that is only worth a line when it is not zero. */
struct remark {
	const char *column, *text;
};

static void show_remarks(struct verdict_view *v, const struct rows *r, size_t i,
			 const struct remark *remarks)
{
	char n[UNITS_TEXT];

	for (; remarks->column; remarks++) {
		int64_t count = rows_int(r, i, remarks->column, 0);

		if (count > 0)
			writer_printf(&v->text_writer, VERDICT_LABEL, "",
				      VERDICT_INDENT, "%s: %s", remarks->text,
				      units_count((uint64_t)count, n));
	}
}

/* What of a capture is not in the analysis. */
static void show_missing(struct verdict_view *v, const struct rows *r, size_t i)
{
	static const struct remark remarks[] = {
		{ "filtered_packets", "packets kept out by the filter" },
		{ "skipped_packets", "packets that could not be used" },
		{ "damaged_ranges", "corrupted parts that were skipped" },
		{ NULL, NULL },
	};

	show_remarks(v, r, i, remarks);
	if (rows_int(r, i, "cut", 0))
		writer_text(&v->text_writer, VERDICT_LABEL, "", VERDICT_INDENT,
			    "cut off at its end");
}

static void show_captures(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_CAPTURES];

	for (size_t i = 0; i < r->n_rows && i < VERDICT_SHOWN; i++) {
		show_capture(v, r, i);
		show_missing(v, r, i);
	}
	verdict_more(v, r, "captures");
}

static void show_damage(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_DAMAGE];

	for (size_t i = 0; i < r->n_rows && i < VERDICT_SHOWN; i++)
		writer_printf(
			&v->text_writer, VERDICT_LABEL, "Not read",
			VERDICT_INDENT,
			"%s, bytes %" PRId64 " to %" PRId64 ": %s",
			rows_text(r, i, "path"), rows_int(r, i, "from_byte", 0),
			rows_int(r, i, "to_byte", 0), rows_text(r, i, "why"));
	verdict_more(v, r, "corrupted-ranges");
}

/* ---- how far it can be trusted -------------------------------------- */

/* RoCE and Ultra Ethernet packets of row |i| of taps. */
static int64_t transported(const struct rows *r, size_t i)
{
	return rows_int(r, i, "packets_roce", 0) +
	       rows_int(r, i, "packets_cnp", 0) +
	       rows_int(r, i, "packets_uet", 0);
}

/* "all RoCE", "12 of them RoCE, 30 Ultra Ethernet" */
static const char *ours(const struct rows *r, size_t i, char *buf, size_t size)
{
	char roce[UNITS_TEXT], uet[UNITS_TEXT];
	int64_t n_roce = rows_int(r, i, "packets_roce", 0) +
			 rows_int(r, i, "packets_cnp", 0);
	int64_t n_uet = rows_int(r, i, "packets_uet", 0);
	int64_t all = rows_int(r, i, "packets", 0);

	units_count((uint64_t)n_roce, roce);
	units_count((uint64_t)n_uet, uet);
	if (n_uet == all || n_roce == all)
		snprintf(buf, size, "all %s",
			 n_roce ? "RoCE" : "Ultra Ethernet");
	else if (n_uet <= 0)
		snprintf(buf, size, "%s of them RoCE", roce);
	else if (n_roce <= 0)
		snprintf(buf, size, "%s of them Ultra Ethernet", uet);
	else
		snprintf(buf, size, "%s of them RoCE, %s Ultra Ethernet", roce,
			 uet);
	return buf;
}

static void show_tap(struct verdict_view *v, const struct rows *r, size_t i)
{
	char packets[UNITS_PLURAL], flows[UNITS_PLURAL];
	char of_us[2 * UNITS_TEXT + 40];
	const char *with = rows_text(r, i, "with_tap");

	units_plural(rows_int(r, i, "packets", 0), "packet", packets);
	ours(r, i, of_us, sizeof of_us);
	if (!transported(r, i))
		writer_printf(&v->text_writer, VERDICT_LABEL, "Tap",
			      VERDICT_INDENT,
			      "%s: %s, none of them RoCE or Ultra Ethernet",
			      rows_text(r, i, "name"), packets);
	else if (*with)
		writer_printf(&v->text_writer, VERDICT_LABEL, "Tap",
			      VERDICT_INDENT,
			      "%s: %s, %s; same hop as %s, where its "
			      "flows are counted",
			      rows_text(r, i, "name"), packets, of_us, with);
	else
		writer_printf(&v->text_writer, VERDICT_LABEL, "Tap",
			      VERDICT_INDENT, "%s: %s, %s, in %s",
			      rows_text(r, i, "name"), packets, of_us,
			      units_plural(rows_int(r, i, "flows", 0), "flow",
					   flows));
}

static const char *why_two_places(const char *why)
{
	return !strcmp(why, "files")   ? "two files may have two clocks"
	       : !strcmp(why, "order") ? "the file is not in order of time"
				       : "nothing proves it";
}

/* Said once of the two. */
static void show_half(struct verdict_view *v, const struct rows *r, size_t i)
{
	const char *other = rows_text(r, i, "half");
	const char *by = rows_text(r, i, "half_by");
	const char *why_not = rows_text(r, i, "half_why_not");

	if (*other && *by)
		writer_printf(&v->text_writer, VERDICT_LABEL, "",
			      VERDICT_INDENT,
			      "one direction of a link, %s is the other (by "
			      "%s): one capture point",
			      other, by);
	else if (*other)
		writer_printf(
			&v->text_writer, VERDICT_LABEL, "", VERDICT_INDENT,
			"one direction of a link, %s %s the other: two capture "
			"points, because %s",
			other, !strcmp(why_not, "hosts") ? "may be" : "is",
			why_two_places(why_not));
}

/* Where the answers are missing too, nobody can tell what is. */
static void show_capture_loss(struct verdict_view *v, const struct rows *r,
			      size_t i)
{
	char missing[UNITS_TEXT], checked[UNITS_TEXT], rest[UNITS_TEXT];
	int64_t expected = rows_int(r, i, "expected", 0);
	int64_t n = rows_int(r, i, "checked", 0);
	const char *why = rows_int(r, i, "flows_sprayed", 0)
				  ? "the flows also use other links"
			  : rows_int(r, i, "connected_flows", 0)
				  ? "their ACKs do not pass this capture point"
				  : "no response acknowledges them in order";

	if (expected <= 0)
		return;
	if (n <= 0) {
		writer_printf(&v->text_writer, VERDICT_LABEL, "",
			      VERDICT_INDENT,
			      "capture loss is not observable: %s", why);
		return;
	}
	verdict_count(r, i, "checked", checked);
	if (!rows_int(r, i, "capture_missing", 0))
		writer_printf(&v->text_writer, VERDICT_LABEL, "",
			      VERDICT_INDENT,
			      "all %s acknowledged PSNs captured", checked);
	else
		writer_printf(
			&v->text_writer, VERDICT_LABEL, "", VERDICT_INDENT,
			"%s of %s acknowledged PSNs not captured "
			"(%.3g %%)%s",
			verdict_count(r, i, "capture_missing", missing),
			checked, 100 * rows_real(r, i, "missing_share", 0),
			rows_int(r, i, "low_confidence", 0)
				? ": LOW CONFIDENCE in losses"
				: "");
	if (n < expected)
		writer_printf(&v->text_writer, VERDICT_LABEL, "",
			      VERDICT_INDENT, "%s more cannot be checked: %s",
			      units_count((uint64_t)(expected - n), rest), why);
}

static void show_directions(struct verdict_view *v, const struct rows *r,
			    size_t i)
{
	char both[UNITS_TEXT], connected[UNITS_TEXT];

	if (rows_int(r, i, "connected_flows", 0) > 0)
		writer_printf(
			&v->text_writer, VERDICT_LABEL, "", VERDICT_INDENT,
			"both directions of %s of %s connected flows "
			"captured",
			verdict_count(r, i, "flows_both", both),
			verdict_count(r, i, "connected_flows", connected));
}

static void show_faults(struct verdict_view *v, const struct rows *r, size_t i)
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
			&v->text_writer, VERDICT_LABEL, "", VERDICT_INDENT,
			"written by a NIC's sniffer: source MACs hold times");
}

static void show_sample(struct verdict_view *v, const struct rows *r, size_t i)
{
	char packets[UNITS_TEXT];
	double one_in = rows_real(r, i, "sampled_one_in", 0);

	if (one_in > 0)
		writer_printf(&v->text_writer, VERDICT_LABEL, "",
			      VERDICT_INDENT,
			      "a sample: about one packet in %.0f, of about %s "
			      "(standard deviation %.0f)",
			      one_in,
			      verdict_count(r, i, "estimated_packets", packets),
			      rows_real(r, i, "estimated_packets_error", 0));
}

static void show_taps(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_TAPS];

	for (size_t i = 0; i < r->n_rows && i < VERDICT_SHOWN; i++) {
		show_tap(v, r, i);
		show_half(v, r, i);
		show_sample(v, r, i);
		show_capture_loss(v, r, i);
		show_directions(v, r, i);
		show_faults(v, r, i);
	}
	verdict_more(v, r, "taps");
}

void verdict_captures(struct verdict_view *v)
{
	show_captures(v);
	show_damage(v);
	show_taps(v);
}

/* Where loss is ruled out packet by packet. */
void verdict_lossless(struct verdict_view *v)
{
	const struct rows *r = &v->answers->of[ANSWER_TOTALS];
	const char *segments = rows_text(r, 0, "lossless");

	if (*segments)
		writer_text(&v->text_writer, VERDICT_LABEL, "No loss",
			    VERDICT_INDENT, segments);
}

/* ---- in one line ---------------------------------------------------- */

static int64_t sum_of(const struct rows *r, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		sum += rows_int(r, i, name, 0);
	return sum;
}

/* What makes an answer less sure is printed in full. */
bool verdict_is_good(const struct verdict_view *v)
{
	const struct rows *c = &v->answers->of[ANSWER_CAPTURES];
	const struct rows *t = &v->answers->of[ANSWER_TAPS];

	return !v->answers->of[ANSWER_DAMAGE].n_rows &&
	       !sum_of(c, "skipped_packets") && !sum_of(c, "cut") &&
	       !sum_of(t, "dropped_reported") && sum_of(c, "packets");
}

/* Whether a packet is RoCE or Ultra Ethernet: if none is, what is not
 * observable goes without saying. */
bool verdict_has_transport(const struct verdict_view *v)
{
	const struct rows *taps = &v->answers->of[ANSWER_TAPS];
	int64_t n = 0;

	for (size_t i = 0; i < taps->n_rows; i++)
		n += transported(taps, i);
	return n > 0;
}

/* "3 of 240 acknowledged PSNs not captured", "all 240 acknowledged PSNs
 * captured": whether others that are missing were sent is not known. */
static void write_missing(const struct verdict_view *v, char *out, size_t size)
{
	const struct rows *taps = &v->answers->of[ANSWER_TAPS];
	char missing[UNITS_TEXT], checked[UNITS_TEXT];
	uint64_t of = (uint64_t)sum_of(taps, "checked");
	uint64_t n = (uint64_t)sum_of(taps, "capture_missing");

	*out = 0;
	if (!verdict_has_transport(v))
		return;
	if (of)
		snprintf(out, size, "; %s%s%s acknowledged PSNs %scaptured%s",
			 n ? units_count(n, missing) : "all", n ? " of " : " ",
			 units_count(of, checked), n ? "not " : "",
			 sum_of(taps, "low_confidence")
				 ? ": LOW CONFIDENCE in losses"
				 : "");
	else
		snprintf(out, size, "; no ACK to check PSNs against");
}

/* All captures in one line. */
void verdict_quality(struct verdict_view *v)
{
	const struct rows *c = &v->answers->of[ANSWER_CAPTURES];
	const struct rows *all = &v->answers->of[ANSWER_TOTALS];
	char more[2 * UNITS_TEXT] = "", packets[UNITS_PLURAL];
	char length[UNITS_TEXT], missing[128];
	const char *path = rows_text(c, 0, "path");
	const char *name = strrchr(path, '/');

	if (c->n_rows > 1)
		snprintf(more, sizeof more, " and %zu more", c->n_rows - 1);
	write_missing(v, missing, sizeof missing);
	fputc('\n', v->text_writer.out);
	writer_printf(&v->text_writer, 0, "Capture", VERDICT_INDENT,
		      "%s%s: %s, %s%s", name && name[1] ? name + 1 : path, more,
		      units_plural(sum_of(c, "packets"), "packet", packets),
		      units_ns(verdict_distance(rows_int(all, 0, "first_ns", 0),
						rows_int(all, 0, "last_ns", 0)),
			       length),
		      missing);
}
