/* SPDX-License-Identifier: GPL-2.0-or-later
 * Statistics: the questions of queries/, asked of what the engine found.
 *
 * In tshark -z fabscope,NAME prints the answer when the last packet has been
 * read; NAME is one of those below or any other question of the catalogue.
 * In Wireshark they are tables in the menu. */
#include "dissectors/compat.h"

#include <stdio.h>
#include <string.h>

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "dissectors/plugin.h"
#include "dissectors/session.h"
#include "store/format.h"
#include "store/query.h"
#include "store/store.h"

/* What is asked, by the name of the statistic. */
static const struct menu {
	const char *name, *query, *title;
} menu[] = {
	{ "answer", "answer", "Fabric Answer" },
	{ "flows", "flows", "Fabric Flows" },
	{ "findings", "findings", "Fabric Findings" },
	{ "cnp", "cnps", "Fabric Congestion Notifications" },
	{ "pfc", "pauses", "Fabric Pauses" },
	{ "balance", "balance", "Fabric Balance of Parallel Links" },
	{ "pdc", "pdcs", "Fabric PDCs" },
};

static struct catalogue *catalogue;

static const struct query *query_of(const char *name)
{
	for (size_t i = 0; i < array_length(menu); i++)
		if (!strcmp(menu[i].name, name))
			name = menu[i].query;
	return catalogue_find(catalogue, name);
}

static void complain(const char *name, const char *why)
{
	report_failure("fabscope: %s: %s", name, why);
}

/* Asks |q|; false when it could not be answered. */
static bool ask(const struct query *q, const struct query_sink *sink)
{
	const char *why;
	struct store *store = session_store(&why);
	struct err err = { 0 };

	if (!store)
		complain(q->name, why);
	else if (query_run(store, q, NULL, sink, &err) < 0)
		complain(q->name, err.text);
	return store && !err.code;
}

/* ---- tshark: text ---- */

static void print(void *data)
{
	const struct query *q = *(const struct query **)data;
	struct format *f = format_new(
		stdout, &(struct format_options) { .kind = FORMAT_TABLE,
						   .human = true });
	struct query_sink sink;

	if (!f)
		return;
	sink = format_sink(f);
	printf("\n%s\n", q->question);
	ask(q, &sink);
	format_end(f, NULL);
}

static tap_packet_status count(void *data, packet_info *pinfo,
			       epan_dissect_t *edt, const void *packet,
			       tap_flags_t flags)
{
	(void)data, (void)pinfo, (void)edt, (void)packet, (void)flags;
	return TAP_PACKET_REDRAW;
}

STAT_INIT start(const char *argument, void *data)
{
	const char *name = strchr(argument, ',');
	const struct query *q = query_of(name ? name + 1 : "findings");
	const struct query **asked;
	GString *error;

	(void)data;
	if (!q || q->broken) {
		complain(name ? name + 1 : argument,
			 q ? q->broken : "there is no such query");
		exit(2);
	}
	asked = wmem_new(wmem_epan_scope(), const struct query *);
	*asked = q;
	error = register_tap_listener("fabscope", asked, NULL,
				      TL_REQUIRES_NOTHING, NULL, count, print,
				      NULL);
	if (error) {
		complain(q->name, error->str);
		g_string_free(error, TRUE);
		exit(1);
	}
	STAT_INIT_END;
}

static void register_text(void)
{
	static stat_tap_ui ui = {
		.group = REGISTER_STAT_GROUP_GENERIC,
		.title = NULL,
		.cli_string = "fabscope",
		.tap_init_cb = start,
	};

	register_stat_tap_ui(&ui, NULL);
}

/* ---- Wireshark: tables ---- */

struct filling {
	stat_tap_table *table;
	enum query_unit *units; /* of |n| columns */
	size_t n;
	unsigned row;
	struct format_options how;
};

static int fill_head(void *ctx, const struct query_column *columns, size_t n)
{
	struct filling *f = ctx;

	f->n = n < f->table->num_fields ? n : f->table->num_fields;
	f->units = g_new0(enum query_unit, f->n + 1);
	for (size_t i = 0; i < f->n; i++)
		f->units[i] = columns[i].unit;
	return 0;
}

static int fill_row(void *ctx, const struct query_value *values, size_t n)
{
	struct filling *f = ctx;
	stat_tap_table_item_type *cells =
		g_new0(stat_tap_table_item_type, f->table->num_fields);
	char text[FORMAT_CELL];

	(void)n;
	for (size_t i = 0; i < f->table->num_fields; i++) {
		cells[i].type = TABLE_ITEM_STRING;
		cells[i].user_data.ptr_value = g_strdup(
			i < f->n ? format_value(&values[i], f->units[i],
						&f->how, text)
				 : "");
		cells[i].value.string_value = cells[i].user_data.ptr_value;
	}
	stat_tap_init_table_row(f->table, f->row++, f->table->num_fields,
				cells);
	g_free(cells);
	return 0;
}

static void table_init(stat_tap_table_ui *ui)
{
	stat_tap_add_table(
		ui, stat_tap_init_table(ui->title, (int)ui->nfields, 0, NULL));
}

static void table_free_item(stat_tap_table *table, guint row, guint column,
			    stat_tap_table_item_type *cell)
{
	(void)table, (void)row, (void)column;
	g_free(cell->user_data.ptr_value);
	cell->user_data.ptr_value = NULL;
}

/* It is filled anew; what it held is ours. */
static void table_reset(stat_tap_table *table)
{
	for (unsigned row = 0; row < table->num_elements; row++) {
		for (unsigned i = 0; i < table->num_fields; i++)
			table_free_item(table, row, i,
					&table->elements[row][i]);
		g_free(table->elements[row]);
	}
	table->num_elements = 0;
}

/* The menu opens a table when the file has been read: it is filled with its
 * first packet. */
static tap_packet_status table_packet(void *data, packet_info *pinfo,
				      epan_dissect_t *edt, const void *packet,
				      tap_flags_t flags)
{
	stat_data_t *stat = data;
	stat_tap_table_ui *ui = stat->stat_tap_data;
	struct filling f = { .how = { .human = true } };
	const struct query_sink sink = { &f, fill_head, fill_row };

	(void)pinfo, (void)edt, (void)packet, (void)flags;
	f.table = g_array_index(ui->tables, stat_tap_table *, 0);
	if (!session_finished() || f.table->num_elements)
		return TAP_PACKET_DONT_REDRAW;
	ask(query_of(strchr(ui->cli_string, ',') + 1), &sink);
	g_free(f.units);
	return TAP_PACKET_REDRAW;
}

static const char *head_of(const char *column)
{
	char head[FORMAT_CELL];

	return wmem_strdup(wmem_epan_scope(), format_head(column, head));
}

static void register_table(const struct menu *m)
{
	const struct query *q = query_of(m->name);
	stat_tap_table_ui *ui;

	if (!q || q->broken || !q->n_columns)
		return;
	ui = wmem_new0(wmem_epan_scope(), stat_tap_table_ui);
	ui->group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
	ui->title = m->title;
	ui->tap_name = "fabscope";
	ui->cli_string = wmem_strdup_printf(wmem_epan_scope(),
					    "fabscope_table,%s", m->name);
	ui->stat_tap_init_cb = table_init;
	ui->packet_func = table_packet;
	ui->stat_tap_reset_table_cb = table_reset;
	ui->stat_tap_free_table_item_cb = table_free_item;
	ui->nfields = q->n_columns;
	ui->fields = wmem_alloc0_array(wmem_epan_scope(), stat_tap_table_item,
				       q->n_columns);
	for (size_t i = 0; i < q->n_columns; i++)
		ui->fields[i] = (stat_tap_table_item) {
			.type = TABLE_ITEM_STRING,
			.align = query_unit_is_text(q->columns[i].unit)
					 ? TAP_ALIGN_LEFT
					 : TAP_ALIGN_RIGHT,
			.column_name = head_of(q->columns[i].name),
			.field_format = "%s",
		};
	register_stat_tap_table_ui(ui);
}

static void forget(void)
{
	catalogue_free(catalogue);
}

void statistics_register(void)
{
	catalogue = catalogue_new();
	if (!catalogue)
		return;
	register_shutdown_routine(forget);
	register_text();
	for (size_t i = 0; i < array_length(menu); i++)
		register_table(&menu[i]);
}
