/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pseudonyms: what they keep, that two never become one, and that no column
 * was forgotten. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"
#include "store/anonymous.h"
#include "store/pseudonym.h"
#include "store/pseudonym_text.h"
#include "store/store_int.h"

static const struct anonymous_key key = { "0123456789abcde" };

/* ---- every column is decided ---- */

static void test_no_column_is_forgotten(void **state)
{
	static const char sql[] =
		"SELECT t.name, c.name FROM sqlite_schema t,"
		" pragma_table_info(t.name) c WHERE t.type = 'table'"
		" AND (c.type = 'TEXT' OR c.name GLOB '*qp*' OR c.name = 'qp'"
		" OR c.name GLOB '*pdcid' OR c.name GLOB '*job_id'"
		" OR c.name GLOB '*device_id' OR c.name GLOB '*_mac')";
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int columns = 0;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, builtin_text("schema.sql"), NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL),
			 SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *t = (const char *)sqlite3_column_text(stmt, 0);
		const char *c = (const char *)sqlite3_column_text(stmt, 1);

		columns++;
		if (!store_is_classified(t, c))
			fail_msg("%s.%s: say in src/store/anonymous.def what "
				 "it holds",
				 t, c);
	}
	assert_true(columns > 100);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

/* ---- values ---- */

static char *of_address(const char *text, char buf[static ADDR_TEXT])
{
	struct addr a;

	assert_true(addr_parse(text, &a));
	return addr_text(pseudonym_addr(&key, a), buf);
}

static void test_addresses_keep_their_kind(void **state)
{
	static const struct {
		const char *address, *begins;
	} kinds[] = {
		{ "10.1.2.3", "10." },
		{ "192.168.7.9", "192.168." },
		{ "169.254.0.7", "169.254." },
		{ "203.0.113.5", "203.0.113." },
		{ "fe80::1234", "fe80::" },
		{ "fd12:3456::1", "fd" },
		{ "2a00:1450::5", "2001:db8:" },
		{ "ff15::7:8", "ff15:" },
		{ "lid:23", "lid:" },
	};
	static const char *const kept[] = { "0.0.0.0",   "127.0.0.1",
					    "224.0.0.1", "255.255.255.255",
					    "::",        "::1",
					    "ff02::1",   "lid:0",
					    "lid:65535" };
	char buf[ADDR_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const char *to = of_address(kinds[i].address, buf);

		assert_string_not_equal(to, kinds[i].address);
		assert_int_equal(
			strncmp(to, kinds[i].begins, strlen(kinds[i].begins)),
			0);
	}
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		assert_string_equal(of_address(kept[i], buf), kept[i]);
	/* 172.16/12 is 172.16 to 172.31 */
	assert_int_equal(strncmp(of_address("172.20.1.1", buf), "172.", 4), 0);
	assert_in_range(atoi(buf + 4), 16, 31);
	/* one of other people, not one of ours or of nobody */
	of_address("8.8.8.8", buf);
	assert_int_not_equal(strncmp(buf, "10.", 3), 0);
	assert_in_range(atoi(buf), 1, 223);
}

/* All of a /16, as dense as it comes: a permutation of it. */
static void test_two_addresses_never_become_one(void **state)
{
	static uint8_t seen[65536];

	(void)state;
	for (unsigned i = 0; i < 65536; i++) {
		const uint8_t v4[4] = { 192, 168, (uint8_t)(i >> 8),
					(uint8_t)i };
		struct addr a = pseudonym_addr(&key, addr_from_v4(v4));
		uint8_t b[16];

		memcpy(b, &a, sizeof b);
		assert_int_equal(b[12], 192);
		assert_int_equal(b[13], 168);
		assert_int_equal(b[15] == 0 || b[15] == 255,
				 v4[3] == 0 || v4[3] == 255);
		assert_int_equal(seen[b[14] << 8 | b[15]]++, 0);
	}
}

/* LIDs: each kind of them is permuted, multicast begins at 0xc000. */
static void test_lids(void **state)
{
	static uint8_t seen[65536];
	struct addr a;

	(void)state;
	for (unsigned i = 0; i < 65536; i++) {
		int to = addr_lid(
			pseudonym_addr(&key, addr_from_lid((uint16_t)i)));

		assert_in_range(to, 0, 65535);
		assert_int_equal(to >= 0xc000, i >= 0xc000);
		assert_int_equal(seen[to]++, 0);
	}
	assert_int_equal(addr_lid(addr_from_v4((const uint8_t *)"abcd")), -1);
	assert_false(addr_parse("lid:", &a));
	assert_false(addr_parse("lid:65536", &a));
	assert_false(addr_parse("lid:-1", &a));
	assert_false(addr_parse("li", &a));
}

static void test_numbers(void **state)
{
	static uint8_t seen[65536];

	(void)state;
	for (int64_t i = 0; i < 65536; i++) {
		int64_t n = pseudonym_of_number(&key, NUMBER_PDC, i);

		assert_in_range(n, 0, 65535);
		assert_int_equal(seen[n]++, 0);
	}
	assert_int_equal(pseudonym_of_number(&key, NUMBER_PDC, 0), 0);
	assert_int_equal(pseudonym_of_number(&key, NUMBER_QP, 1), 1);
	assert_int_equal(pseudonym_of_number(&key, NUMBER_QP, 0xffffff),
			 0xffffff);
	assert_int_not_equal(pseudonym_of_number(&key, NUMBER_QP, 0x11), 0x11);
	assert_int_equal(pseudonym_of_number(&key, NUMBER_QP, 1 << 24), -1);
	assert_int_equal(pseudonym_of_number(&key, NUMBER_QP, -5), -1);
}

static void test_macs(void **state)
{
	uint64_t host = UINT64_C(0xb8599f112233), to;

	(void)state;
	to = pseudonym_mac(&key, host);
	assert_true(to != host && to >> 48 == 0);
	assert_int_equal(to >> 40 & 3, 2); /* one host, locally administered */
	assert_true(pseudonym_mac(&key, host + 1) != to);
	assert_int_equal(
		pseudonym_mac(&key, host | UINT64_C(1) << 40) >> 40 & 1, 1);
	assert_true(pseudonym_mac(&key, UINT64_C(0x0180c2000001)) ==
		    UINT64_C(0x0180c2000001));
}

static void test_another_key_gives_others(void **state)
{
	struct anonymous_key other = key;
	char a[PSEUDONYM_TEXT], b[PSEUDONYM_TEXT];

	(void)state;
	other.bytes[3] ^= 1;
	assert_string_not_equal(pseudonym_name(&key, "leaf1", 5, a),
				pseudonym_name(&other, "leaf1", 5, b));
	assert_int_not_equal(pseudonym_of_number(&key, NUMBER_QP, 77),
			     pseudonym_of_number(&other, NUMBER_QP, 77));
}

static void test_paths(void **state)
{
	char a[PSEUDONYM_TEXT], b[PSEUDONYM_TEXT];

	(void)state;
	assert_string_equal(pseudonym_path(&key, "-", a), "-");
	pseudonym_path(&key, "/data/acme/job7.leaf.pcapng.gz", a);
	assert_int_equal(strncmp(a, "file-", 5), 0);
	assert_string_equal(a + 13, ".pcapng.gz");
	assert_string_equal(a, pseudonym_path(&key, "job7.leaf.pcapng.gz", b));
}

/* ---- sentences ---- */

static void told(const char *text, const char *want)
{
	struct known_names *n = known_names_new(&key);
	char *have;

	assert_true(known_names_add(n, "leaf1", "NAME"));
	assert_true(known_names_add(n, "leaf1->spine2", "LINK"));
	assert_true(known_names_add(n, "a b", "TWO"));
	assert_true(known_names_add(n, "(x)", "ODD"));
	known_names_sort(n);
	have = known_names_replace(n, text);
	assert_string_equal(have, want);
	free(have);
	known_names_free(n);
}

static void test_names_are_words(void **state)
{
	(void)state;
	told("at leaf1.", "at NAME.");
	told("at leaf10 and xleaf1", "at leaf10 and xleaf1");
	told("leaf1->spine2 leaf1->spine3", "LINK NAME->spine3");
	told("(leaf1)leaf1", "(NAME)NAME");
	told("a b, a bc", "TWO, a bc");
	told("f(x)", "fODD");
	told("", "");
}

static void test_what_is_told_by_its_form(void **state)
{
	char v4[ADDR_TEXT], v6[ADDR_TEXT], mac[MAC_TEXT], want[400];
	int64_t qp = pseudonym_of_number(&key, NUMBER_QP, 0x3b);
	int64_t pdc = pseudonym_of_number(&key, NUMBER_PDC, 0x12);

	(void)state;
	of_address("10.0.0.1", v4);
	of_address("fd00::7", v6);
	mac_text(pseudonym_mac(&key, 0x020000000001), mac);
	snprintf(want, sizeof want,
		 "%s > %s, QP 0x%06llx; PDC 0x%04llx (%s): %s:4791 %s.", v4, v6,
		 (long long)qp, (long long)pdc, mac, v4, v6);
	told("10.0.0.1 > fd00::7, QP 0x00003b; PDC 0x0012 "
	     "(02:00:00:00:00:01): 10.0.0.1:4791 fd00::7.",
	     want);
	snprintf(want, sizeof want, "--param src=%s --param qp=0x%02llx", v4,
		 (long long)qp);
	told("--param src=10.0.0.1 --param qp=0x3b", want);
	/* numbers of other kinds */
	told("23:26:04.179 1.50 ms, 0x61, 3 packets, R13: QP of job keys",
	     "23:26:04.179 1.50 ms, 0x61, 3 packets, R13: QP of job keys");
}

static void test_json(void **state)
{
	struct known_names *n = known_names_new(&key);
	char *have, want[200];

	(void)state;
	assert_true(known_names_add(n, "frames", "NAME"));
	known_names_sort(n);
	have = known_names_replace_json(
		n, "{\"frames\":[1,2.5],\"s\":\"at frames\",\"dst_qp\":59}");
	snprintf(want, sizeof want,
		 "{\"frames\":[1,2.5],\"s\":\"at NAME\",\"dst_qp\":%d}",
		 (int)pseudonym_of_number(&key, NUMBER_QP, 59));
	assert_string_equal(have, want);
	free(have);
	have = known_names_replace_json(n, "no {json: frames");
	assert_string_equal(have, "no {json: NAME");
	free(have);
	known_names_free(n);
}

/* ---- a database ---- */

static void test_a_copy_answers_the_same(void **state)
{
	struct fact_flow f = good_flow(0, 1, 2, 0x11);
	struct store *copy;
	struct lab l;
	char *before, *after;

	(void)state;
	lab_begin(&l);
	lab_one_tap(&l);
	lab_pair(&l, &f);
	store_meta(l.s, "filter", "host 10.0.0.1");
	lab_reopen(&l);
	before = lab_ask(&l, "summary", NULL);
	copy = store_anonymous(l.s, &key, NULL, &l.err);
	assert_non_null(copy);
	assert_string_equal(store_path(copy), ANONYMOUS_NAME);
	store_free(l.s);
	l.s = copy;
	after = lab_ask(&l, "summary", NULL);
	assert_string_equal(before, after);
	free(before);
	free(after);
	after = lab_ask(&l, "flows", NULL);
	assert_null(strstr(after, "10.0.0.1"));
	free(after);
	/* once more: an anonymous copy is a database as any other */
	copy = store_anonymous(l.s, &key, NULL, &l.err);
	assert_non_null(copy);
	store_free(copy);
	assert_int_equal(lab_files(&l), 1);
	lab_end(&l);
}

static void test_keys(void **state)
{
	struct anonymous_key a, b;
	struct lab l;
	char path[200];
	FILE *file;

	(void)state;
	assert_int_equal(anonymous_key_random(&a, NULL), 0);
	assert_int_equal(anonymous_key_random(&b, NULL), 0);
	assert_memory_not_equal(&a, &b, sizeof a);
	lab_begin(&l);
	assert_int_equal(anonymous_key_read(&a, "/nowhere/key", &l.err), -1);
	snprintf(path, sizeof path, "%s/key", l.folder);
	file = fopen(path, "wb");
	fputs("too short", file);
	fclose(file);
	assert_int_equal(anonymous_key_read(&a, path, &l.err), -1);
	file = fopen(path, "wb");
	fputs("a key of enough octets", file);
	fclose(file);
	assert_int_equal(anonymous_key_read(&a, path, &l.err), 0);
	assert_int_equal(anonymous_key_read(&b, path, &l.err), 0);
	assert_memory_equal(&a, &b, sizeof a);
	assert_memory_not_equal(a.bytes, a.bytes + 8, 8);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_column_is_forgotten),
		cmocka_unit_test(test_addresses_keep_their_kind),
		cmocka_unit_test(test_two_addresses_never_become_one),
		cmocka_unit_test(test_lids),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_macs),
		cmocka_unit_test(test_another_key_gives_others),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_names_are_words),
		cmocka_unit_test(test_what_is_told_by_its_form),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_a_copy_answers_the_same),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
