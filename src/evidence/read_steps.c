/* SPDX-License-Identifier: GPL-2.0-or-later
 * Logs of training steps:
 *	Megatron-LM (megatron/training/training.py, training_log):
 *	 [2025-04-13 23:41:12] iteration 10/ 1000 | consumed samples: 160 |
 *	 elapsed time per iteration (ms): 1147.6 | lm loss: 7.399415E+00 |
 *	torchtitan (torchtitan/components/metrics.py):
 *	 [titan] 2025-04-13 23:41:12,037 - root - INFO - step: 10  loss: 7.4
 *	 memory: ... tps: 1,234  tflops: ...
 *	a table: step,time,seconds,tokens_per_s,loss in any order, times since
 *	the epoch or as 2025-04-13T23:41:12Z
 * What a line gives is the mean since the line before. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

enum { COLUMNS_MAX = 32 };

/* The number behind |name| and perhaps a colon; NAN. */
static double number_behind(const char *line, const char *name)
{
	const char *at = strstr(line, name);
	char plain[EVIDENCE_TEXT], *end;
	size_t n = 0;
	double v;

	if (!at)
		return NAN;
	at += strlen(name);
	at += strspn(at, ": \t");
	for (; n + 1 < sizeof plain &&
	       (isalnum((unsigned char)*at) || (*at && strchr("+-.,", *at)));
	     at++)
		if (*at != ',')
			plain[n++] = *at;
	plain[n] = 0;
	v = strtod(plain, &end);
	return end == plain ? NAN : v;
}

static void put_step(struct evidence_part *part, struct evidence_note *note,
		     double seconds, double step)
{
	note->kind = NOTE_STEP;
	if (!(step >= 0 && step < 9e15))
		return;
	note->number = (int64_t)step;
	note->length_ns = value_seconds(seconds);
	put_note(part, note);
}

static bool read_line(struct evidence_part *part, const char *line,
		      unsigned number)
{
	struct evidence_note note = evidence_no_note;
	const char *megatron = strstr(line, "iteration ");
	const char *titan = strstr(line, "step:"), *end;

	note.line = number;
	note.last_ns = value_line_time(line, &end);
	if (megatron && strstr(line, "elapsed time per iteration (ms):")) {
		note.loss = number_behind(line, "lm loss:");
		put_step(part, &note,
			 number_behind(line, "per iteration (ms):") / 1e3,
			 number_behind(megatron, "iteration "));
		return true;
	}
	if (titan && strstr(line, "loss:") && strstr(line, "tps:")) {
		note.loss = number_behind(line, "loss:");
		note.rate = number_behind(line, "tps:");
		put_step(part, &note, NAN, number_behind(titan, "step:"));
		return true;
	}
	return false;
}

/* ---- tables ---- */

enum column { STEP, TIME, SECONDS, RATE, LOSS, OTHER };

static enum column column_of(const char *name)
{
	static const struct {
		const char *name;
		enum column is;
	} known[] = {
		{ "step", STEP },
		{ "iteration", STEP },
		{ "time", TIME },
		{ "timestamp", TIME },
		{ "seconds", SECONDS },
		{ "step_time", SECONDS },
		{ "step_time_s", SECONDS },
		{ "tokens_per_s", RATE },
		{ "tokens_per_second", RATE },
		{ "tokens/s", RATE },
		{ "tps", RATE },
		{ "loss", LOSS },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcasecmp(known[i].name, name))
			return known[i].is;
	return OTHER;
}

static unsigned read_title(char *line, enum column columns[static COLUMNS_MAX])
{
	unsigned n = 0, known = 0;

	for (char *word; n < COLUMNS_MAX && (word = strsep(&line, ",\t"));) {
		columns[n] = column_of(text_trim(word));
		known |= 1u << columns[n++];
	}
	return known & 1u << STEP && known & (1u << TIME | 1u << SECONDS) ? n
									  : 0;
}

static void read_row(struct evidence_part *part, char *line, unsigned number,
		     const enum column *columns, unsigned n)
{
	struct evidence_note note = evidence_no_note;
	double step = NAN, seconds = NAN;
	char *word;

	note.line = number;
	for (unsigned i = 0; i < n && (word = strsep(&line, ",\t")); i++) {
		char *end, *text = text_trim(word);
		double v = strtod(text, &end);

		if (columns[i] == TIME)
			note.last_ns = value_log_time(text);
		if (end == text)
			continue;
		if (columns[i] == STEP)
			step = v;
		else if (columns[i] == SECONDS)
			seconds = v;
		else if (columns[i] == RATE)
			note.rate = v;
		else if (columns[i] == LOSS)
			note.loss = v;
	}
	put_step(part, &note, seconds, step);
}

static bool is_log(const char *text)
{
	return strstr(text, "elapsed time per iteration (ms):") ||
	       (strstr(text, "step:") && strstr(text, "tps:"));
}

static bool read_table(struct evidence_part *part, char *text)
{
	enum column columns[COLUMNS_MAX];
	unsigned number = part->line, n;
	char *line = text_line(&text);

	n = line ? read_title(line, columns) : 0;
	if (!n)
		return false;
	for (number++; (line = text_line(&text));)
		read_row(part, line, ++number, columns, n);
	return true;
}

static bool read_log(struct evidence_part *part, char *text)
{
	unsigned number = part->line;
	bool any = false;
	char *line;

	while ((line = text_line(&text)))
		any = read_line(part, line, ++number) || any;
	return any;
}

bool read_steps(struct evidence_part *part, char *text)
{
	bool log = is_log(text), any;
	char *copy;

	if (!log && strncasecmp(text, "step", 4) != 0 &&
	    !memchr(text, ',', strcspn(text, "\n")))
		return false;
	copy = strdup(text);
	if (!copy)
		return false;
	any = log ? read_log(part, copy) : read_table(part, copy);
	free(copy);
	return any;
}
