/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes docs/schema.md from schema.sql and queries/README.md from the headers
 * of the queries, docs/records.schema.json from schema.sql again and
 * docs/rules-recovery.md from the rules: "docgen schema", "docgen queries",
 * "docgen records", "docgen rules", to standard output. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "store/docgen.h"
#include "store/format.h"
#include "store/store_int.h"
#include "store/tables.h"

/* --- schema.md --- */

struct line {
	const char *at;
	size_t n;
};

static bool next_line(const char **text, struct line *l)
{
	if (!**text)
		return false;
	l->at = *text;
	l->n = strcspn(*text, "\n");
	*text += l->n + ((*text)[l->n] == '\n');
	return true;
}

static bool begins(const struct line *l, const char *what)
{
	return l->n >= strlen(what) && !strncmp(l->at, what, strlen(what));
}

/* A pipe would end the cell of a table. */
static void cell(const char *s, size_t n)
{
	for (; n; n--, s++)
		printf(*s == '|' ? "\\|" : "%c", *s);
}

static const char *comment_of(const struct line *l)
{
	const char *c = memmem(l->at, l->n, "-- ", 3);

	return c ? c + 3 : NULL;
}

/* "  name TYPE ..., -- comment" */
static void column(const struct line *l)
{
	const char *name = l->at + 2, *type, *c = comment_of(l);
	size_t n = strcspn(name, " ");

	type = name + n + strspn(name + n, " ");
	printf("| %.*s | %.*s | ", (int)n, name,
	       (int)strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), type);
	cell(c, (size_t)(l->at + l->n - c));
}

/* The body of a CREATE TABLE, up to the line with its end. */
static void table(const char **text, const struct line *head)
{
	const char *name = head->at + strlen("CREATE TABLE ");
	struct line l;
	bool open = false;

	printf("| column of %.*s | type | |\n|---|---|---|\n",
	       (int)strcspn(name, "("), name);
	while (next_line(text, &l) && !begins(&l, ")")) {
		const char *c = comment_of(&l);

		if (!c)
			continue; /* a constraint */
		if (islower((unsigned char)l.at[2])) {
			printf("%s", open ? " |\n" : "");
			column(&l);
			open = true;
		} else {
			putchar(' ');
			cell(c, (size_t)(l.at + l.n - c));
		}
	}
	printf(" |\n\n");
}

/* Comment lines; those that stand directly above a table become its
 * section, others are text. */
static void comments(const char *from, const char *to)
{
	struct line l;

	while (from < to && next_line(&from, &l))
		printf("%.*s\n", (int)(l.n > 3 ? l.n - 3 : 0),
		       l.n > 3 ? l.at + 3 : "");
}

static void schema(void)
{
	const char *text = builtin_text("schema.sql"), *block = NULL;
	const char *before;
	struct line l;

	printf("<!-- Made from src/store/schema.sql.  Do not edit. -->\n"
	       "# The result database\n\n");
	while (before = text, next_line(&text, &l)) {
		if (begins(&l, "--")) {
			block = block ? block : before;
			continue;
		}
		if (begins(&l, "CREATE TABLE ") || begins(&l, "CREATE VIEW ")) {
			const char *name =
				strchr(l.at + strlen("CREATE "), ' ');

			name += 1;
			printf("## %.*s\n\n", (int)strcspn(name, "( "), name);
		}
		if (block)
			comments(block, before);
		if (block)
			putchar('\n');
		block = NULL;
		if (begins(&l, "CREATE TABLE "))
			table(&text, &l);
		else if (begins(&l, "PRAGMA "))
			printf("    %.*s\n\n", (int)l.n, l.at);
	}
	if (block)
		comments(block, before);
}

/* --- queries/README.md --- */

static void params(const struct query *q)
{
	for (size_t i = 0; i < q->n_params; i++) {
		const struct query_param *p = &q->params[i];

		printf("%s`%s` %s%s%s", i ? "; " : "", p->name,
		       query_unit_names[p->unit],
		       p->required ? ", required" : " ",
		       p->required ? ""
		       : p->value  ? p->value
				   : "NULL");
	}
}

static void folder(const struct catalogue *c, const char *name,
		   const char *path)
{
	printf("| query | question | parameters and defaults |\n"
	       "|---|---|---|\n");
	for (size_t i = 0; i < catalogue_size(c); i++) {
		const struct query *q = catalogue_at(c, i);
		const char *base = strrchr(q->name, '/');

		if (!query_in(q, name))
			continue;
		printf("| [%s](%s%s.sql) | %s | ", base ? base + 1 : q->name,
		       path, q->name, q->question);
		params(q);
		printf(" |\n");
	}
	printf("\n");
}

static const char intro[] =
	"<!-- Made from the headers of the queries.  Do not edit. -->\n"
	"# Queries\n\n"
	"One question per file. Ask with `fabscope query DB NAME --param K=V`;"
	"\n`fabscope query --list` lists what there is.\n\n"
	"A query of your own is a file `NAME.sql` in\n"
	"`~/.local/share/fabscope/queries` (`$XDG_DATA_HOME`) or in a folder "
	"of\n`$FABSCOPE_QUERIES`; one of the same name wins over a shipped "
	"one. It may\nonly read. Its opening comment:\n\n"
	"    -- The question, one line?\n"
	"    -- Notes, any number of lines.\n"
	"    --\n"
	"    -- param NAME UNIT DEFAULT  what it does (or NULL, or required)\n"
	"    -- column NAME UNIT  what it means\n"
	"    -- uses NAME  another query, as a table of that name; it may use "
	"others, and so on, three deep\n"
	"    -- example fabscope query DB NAME --param K=V\n"
	"    SELECT ...\n\n"
	"Units: ";

static const char findings[] =
	"## findings\n\n"
	"Rules: each row such a query returns becomes a row of the table "
	"`finding`\nwhen a capture is analyzed. Columns have the names of that "
	"table; `rule` is\nset to the name of the file. `-- last` in the "
	"header makes it run after the\nothers, which it then sees. Your own "
	"go into the subfolder `findings`.\n\n";

static const char derive[] =
	"## derive\n\n"
	"From facts to verdicts, in the order of their numbers; the missing "
	"ones are in C\n(`src/store/derive.c`).\n\n"
	"| step | what | into |\n|---|---|---|\n";

/* Scripts, too. */
static void steps(const struct catalogue *c)
{
	static const char prefix[] = "queries/";
	const size_t n = sizeof prefix - 1;

	printf("%s", derive);
	for (const struct builtin *b = store_builtins; b->name; b++) {
		const struct query *q;
		char name[128];
		const char *at = b->text;

		if (strncmp(b->name, "queries/derive/", n + 7) != 0)
			continue;
		snprintf(name, sizeof name, "%.*s",
			 (int)(strlen(b->name) - n - 4), b->name + n);
		q = catalogue_find(c, name);
		printf("| [%s](%s) | ", name + 7, b->name + n);
		for (; !strncmp(at, "--", 2) && at[2] == ' '; at++) {
			int line = (int)strcspn(at += 3, "\n");

			if (strncmp(at, "needs ", 6) != 0 &&
			    strncmp(at, "into ", 5) != 0)
				printf("%.*s ", line, at);
			at += line;
			if (q || at[-1] == '.' || at[-1] == '?')
				break;
		}
		printf("| %s |\n", q ? q->into : "");
	}
	printf("\n");
}

static void queries(void)
{
	static const struct {
		const char *name, *path, *head;
	} folders[] = {
		{ "", "ask/",
		  "## ask\n\nWhat people ask: `fabscope query`.\n\n" },
		{ "findings", "", findings },
		{ "verdict", "export/",
		  "## export\n\n### verdict\n\n"
		  "What `fabscope analyze` shows.\n\n" },
		{ "annotate", "export/",
		  "### annotate\n\n"
		  "What `fabscope annotate` writes into captures.\n\n" },
		{ "slice", "export/",
		  "### slice\n\nWhich packets `fabscope slice` writes.\n\n" },
		{ "plot", "export/",
		  "### plot\n\nWhat `fabscope plot` draws a flow from, beside "
		  "its packets.\n\n" },
		{ "tui", "export/",
		  "### tui\n\nWhat only `fabscope tui` shows.\n\n" },
		{ "report", "export/",
		  "### report\n\nWhat `fabscope report` draws, bounded to what "
		  "a page can show.\n\n" },
		{ "campaign", "export/",
		  "### campaign\n\nWhat `fabscope campaign` asks each "
		  "run.\n\n" },
		{ "metrics", "export/",
		  "### metrics\n\nWhat `fabscope export --format openmetrics` "
		  "and the endpoint of `fabscope live\n--metrics` tell, a file "
		  "each: see [docs/metrics.md](../docs/metrics.md).\n\n" },
		{ "trace", "export/",
		  "### trace\n\nWhat `fabscope export --format perfetto` "
		  "draws, a file for each kind of slice\nor counter.\n\n" },
		{ "log", "export/",
		  "### log\n\nWhat live tells log shippers.\n\n" },
		{ "compare", "export/",
		  "### compare\n\nWhat `fabscope diff` asks each of two "
		  "databases; the answers are rows of\nthe tables "
		  "`compared_*`.\n\n" },
		{ "diff", "export/", "### diff\n\nWhat it says then.\n\n" },
	};
	struct catalogue *c = catalogue_builtin();

	if (!c)
		return;
	printf("%s", intro);
	for (int i = 0; i < UNIT_KINDS; i++)
		printf("%s%s", i ? ", " : "", query_unit_names[i]);
	printf(".\n\n");
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		printf("%s", folders[i].head);
		folder(c, folders[i].name, folders[i].path);
	}
	steps(c);
	catalogue_free(c);
}

/* --- records.schema.json --- */

static const char records_head[] =
	"{\n"
	"  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
	"  \"title\": \"A line of fabscope export --format jsonl\",\n"
	"  \"$comment\": \"Made from src/store/schema.sql. Do not edit.\",\n"
	"  \"type\": \"object\",\n"
	"  \"required\": [\"format\", \"version\", \"schema\", \"of\", "
	"\"row\"],\n"
	"  \"properties\": {\n"
	"    \"format\": {\"const\": \"fabscope-record\"},\n"
	"    \"version\": {\"const\": %d},\n"
	"    \"schema\": {\"const\": %d},\n"
	"    \"of\": {\"type\": \"string\"},\n"
	"    \"row\": {\"type\": \"object\"}\n"
	"  },\n"
	"  \"allOf\": [\n";

static const char *json_type(const char *type, bool json)
{
	if (json)
		return "\"object\", \"array\", \"string\"";
	if (!strcmp(type, "INTEGER"))
		return "\"integer\"";
	return strcmp(type, "REAL") != 0 ? "\"string\"" : "\"number\"";
}

static bool holds_json(const char *table, const char *column)
{
	const char *name;

	for (size_t i = 0; (name = store_json_column(table, i)); i++)
		if (!strcmp(name, column))
			return true;
	return false;
}

/* When it is of that table, the row has its columns. */
static void record(sqlite3_stmt *columns, const char *name, bool first)
{
	bool any = false;

	printf("%s    {\"if\": {\"properties\": {\"of\": {\"const\": "
	       "\"%s\"}}},\n     \"then\": {\"properties\": {\"row\": "
	       "{\"properties\": {\n",
	       first ? "" : ",\n", name);
	sqlite3_bind_text(columns, 1, name, -1, SQLITE_STATIC);
	for (; sqlite3_step(columns) == SQLITE_ROW; any = true) {
		const char *column =
			(const char *)sqlite3_column_text(columns, 0);

		printf("%s       \"%s\": {\"type\": [%s, \"null\"]}",
		       any ? ",\n" : "", column,
		       json_type((const char *)sqlite3_column_text(columns, 1),
				 holds_json(name, column)));
	}
	sqlite3_reset(columns);
	printf("\n     }, \"minProperties\": 1}}}}");
}

static void records(void)
{
	static const char sql[] =
		"SELECT name, type FROM pragma_table_info(?1)";
	char name[TABLE_NAME];
	bool first = true;
	sqlite3_stmt *columns = NULL;
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) == SQLITE_OK &&
	    sqlite3_exec(db, builtin_text("schema.sql"), NULL, NULL, NULL) ==
		    SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &columns, NULL) == SQLITE_OK) {
		printf(records_head, FORMAT_RECORD_VERSION, STORE_SCHEMA);
		for (const char *at = NULL; table_next(&at, name);
		     first = false)
			record(columns, name, first);
		printf("\n  ]\n}\n");
	}
	sqlite3_finalize(columns);
	sqlite3_close(db);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "schema"))
		schema();
	else if (argc == 2 && !strcmp(argv[1], "queries"))
		queries();
	else if (argc == 2 && !strcmp(argv[1], "records"))
		records();
	else if (argc == 2 && !strcmp(argv[1], "rules"))
		rules_page();
	else
		return 2;
	return fflush(stdout) ? 1 : 0;
}
