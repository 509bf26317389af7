/* SPDX-License-Identifier: GPL-2.0-or-later
 * A capture dissected over and over, as Wireshark does when a file is reloaded
 * or all of it is dissected anew; tshark can do neither.
 *
 *	again CAPTURE RELOADS [PREFERENCE:VALUE]
 *
 * A line for each time: which, how many frames, a digest of all that the plugin
 * shows of them, and the bytes of memory that are allocated then. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/tvbuff.h>
#include <wiretap/wtap.h>
#include <wsutil/filesystem.h>
#include <wsutil/privileges.h>

enum { FRAMES_MAX = 100000 };

/* What Wireshark calls the provider is the caller's. */
struct packet_provider_data {
	frame_data frames[FRAMES_MAX];
	uint32_t n;
};

static struct packet_provider_data *file;
static const char *path;

static const nstime_t *time_of(struct packet_provider_data *p, guint32 frame)
{
	return frame && frame <= p->n ? &p->frames[frame - 1].abs_ts : NULL;
}

static const struct packet_provider_funcs funcs = { .get_frame_ts = time_of };

static void die(const char *what)
{
	fprintf(stderr, "again: %s\n", what);
	exit(1);
}

/* ---- what the plugin shows ---- */

static void digest_node(proto_node *node, gpointer sum)
{
	field_info *f = PNODE_FINFO(node);
	char label[ITEM_LABEL_LENGTH];

	if (f && g_str_has_prefix(f->hfinfo->abbrev, "fabscope")) {
		if (f->rep)
			g_strlcpy(label, f->rep->representation, sizeof label);
		else
			proto_item_fill_label(f, label);
		g_checksum_update(sum, (const guchar *)label, -1);
	}
	proto_tree_children_foreach(node, digest_node, sum);
}

static void dissect(epan_t *epan, wtap_rec *rec, Buffer *bytes, frame_data *f,
		    const frame_data *before, GChecksum *sum)
{
	static const frame_data *reference;
	static nstime_t elapsed;
	epan_dissect_t *edt = epan_dissect_new(epan, TRUE, TRUE);
	guint32 n = rec->rec_header.packet_header.caplen;
	tvbuff_t *tvb =
		tvb_new_real_data(ws_buffer_start_ptr(bytes), n,
				  (gint)rec->rec_header.packet_header.len);
	guint32 sum_bytes = 0;

	if (f->num == 1)
		reference = NULL;
	frame_data_set_before_dissect(f, &elapsed, &reference, before);
	epan_dissect_run(edt, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, rec, tvb, f,
			 NULL);
	digest_node(edt->tree, sum);
	epan_dissect_free(edt);
	frame_data_set_after_dissect(f, &sum_bytes);
}

/* ---- again and again ---- */

/* Allocated and not freed. */
static size_t memory(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* All frames; |first|: for the first time since the session began. */
static void pass(epan_t *epan, bool first, const char *name)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	gint64 offset;
	wtap_rec rec;
	Buffer bytes;
	uint32_t n = 0;
	char *why;
	int err;
	wtap *w = wtap_open_offline(path, WTAP_TYPE_AUTO, &err, &why, FALSE);

	if (!w)
		die("no capture");
	wtap_rec_init(&rec);
	ws_buffer_init(&bytes, 1514);
	while (n < FRAMES_MAX &&
	       wtap_read(w, &rec, &bytes, &err, &why, &offset)) {
		frame_data *f = &file->frames[n];

		if (first)
			frame_data_init(f, n + 1, &rec, offset, 0);
		file->n = ++n;
		dissect(epan, &rec, &bytes, f, n > 1 ? f - 1 : NULL, sum);
		wtap_rec_reset(&rec);
	}
	wtap_rec_cleanup(&rec);
	ws_buffer_free(&bytes);
	wtap_close(w);
	printf("%s %u %s %zu\n", name, n, g_checksum_get_string(sum), memory());
	fflush(stdout);
	g_checksum_free(sum);
}

static void forget(epan_t *epan)
{
	epan_free(epan);
	for (uint32_t i = 0; i < file->n; i++)
		frame_data_destroy(&file->frames[i]);
	file->n = 0;
}

static void start(char *program)
{
	init_process_policies();
	configuration_init(program, NULL);
	wtap_init(FALSE);
	if (!epan_init(NULL, NULL, TRUE))
		die("no epan");
	epan_load_settings();
	prefs_apply_all();
}

static void prefer(char *text)
{
	char *why;

	if (prefs_set_pref(text, &why) != PREFS_SET_OK)
		die(text);
	prefs_apply_all();
}

int main(int argc, char **argv)
{
	epan_t *epan;

	if (argc < 3)
		die("wrong usage");
	path = argv[1];
	file = g_new0(struct packet_provider_data, 1);
	start(argv[0]);
	epan = epan_new(file, &funcs);
	pass(epan, true, "first");
	pass(epan, false, "second");
	if (argc > 3) {
		prefer(argv[3]);
		forget(epan);
		epan = epan_new(file, &funcs);
		pass(epan, true, "preferred");
		pass(epan, false, "preferred");
	}
	for (int i = 0; i < atoi(argv[2]); i++) {
		forget(epan);
		epan = epan_new(file, &funcs);
		pass(epan, true, "again");
	}
	forget(epan);
	epan_cleanup();
	wtap_cleanup();
	g_free(file);
	return 0;
}
