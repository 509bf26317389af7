/* SPDX-License-Identifier: GPL-2.0-or-later
 * Slurm accounting: sacct --parsable2 (Slurm, doc/man/man1/sacct.1), columns
 * by name, times by TZ=UTC:
 *	JobID|JobName|State|ExitCode|Start|End|NodeList
 *	4711|train|FAILED|1:0|2025-04-13T23:40:00|2025-04-13T23:59:02|n[1-2] */
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence_int.h"

enum { COLUMNS_MAX = 128 };

enum column { ID, NAME, STATE, START, END, OTHER };

static unsigned read_title(char *line, enum column columns[static COLUMNS_MAX])
{
	static const char *const names[] = { "JobID", "JobName", "State",
					     "Start", "End" };
	unsigned n = 0, known = 0;

	for (char *word; n < COLUMNS_MAX && (word = strsep(&line, "|")); n++) {
		columns[n] = OTHER;
		for (int i = 0; i < OTHER; i++)
			if (!strcasecmp(names[i], word))
				columns[n] = (enum column)i;
		known |= 1u << columns[n];
	}
	return known & 1u << ID && known & 1u << STATE && known & 1u << START
		       ? n
		       : 0;
}

static void read_row(struct evidence_part *part, char *line, unsigned number,
		     const enum column *columns, unsigned n)
{
	struct evidence_note note = evidence_no_note;
	bool step = false;
	char *word;

	note.kind = NOTE_SLURM;
	note.line = number;
	for (unsigned i = 0; i < n && (word = strsep(&line, "|")); i++) {
		if (columns[i] == ID) {
			step = strchr(word, '.') != NULL;
			note.number = atoll(word);
		} else if (columns[i] == NAME) {
			text_keep(note.name, word);
		} else if (columns[i] == STATE) {
			text_keep(note.state, word);
		} else if (columns[i] == START) {
			note.first_ns = value_log_time(word);
		} else if (columns[i] == END) {
			note.last_ns = value_log_time(word);
		}
	}
	/* "4711.batch" is a part of 4711 */
	if (!step && note.number > 0)
		put_note(part, &note);
}

bool read_slurm(struct evidence_part *part, char *text)
{
	enum column columns[COLUMNS_MAX];
	unsigned number = part->line, n;
	char *line;
	size_t length = strcspn(text, "\n");

	if (!memchr(text, '|', length) || !strstr(text, "JobID"))
		return false;
	line = strndup(text, length);
	n = line ? read_title(text_trim(line), columns) : 0;
	free(line);
	if (!n)
		return false;
	text_line(&text);
	for (number++; (line = text_line(&text));)
		read_row(part, line, ++number, columns, n);
	return true;
}
