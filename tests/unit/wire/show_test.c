/* SPDX-License-Identifier: GPL-2.0-or-later
 * Headers in words, whole and cut off, and the lists of all fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bytes.h"
#include "wire/fields.h"
#include "wire/show.h"

/* Collects "field=text;" of each field. */
struct page {
	char text[16384];
	size_t len;
	unsigned fields;
};

static void collect(void *ctx, const struct wire_shown *s)
{
	struct page *page = ctx;

	page->fields++;
	page->len += (size_t)snprintf(page->text + page->len,
				      sizeof page->text - page->len, "%s=%s;",
				      s->field->name, s->text);
}

static void expect(enum wire_header id, const char *hex, const char *want)
{
	struct bytes o = bytes(hex);
	struct page page = { .len = 0 };

	assert_int_equal(wire_show(id, o.p, o.n, collect, &page), 0);
	assert_string_equal(page.text, want);
	free(o.p);
}

static void base_transport_header(void **state)
{
	(void)state;
	expect(WIRE_bth, "81 00 ffff 40 000118 00 000000",
	       "opcode=0x81 (CNP);se=0;migreq=0;padcnt=0;tver=0;pkey=0xffff;"
	       "fecn=0;becn=1;resv6=0x00;destqp=0x000118;ackreq=0;resv7=0x00;"
	       "psn=0;");
}

/* The same byte means three things. */
static void aeth_by_kind(void **state)
{
	(void)state;
	expect(WIRE_aeth, "0c 000005",
	       "resv=0;kind=0 (ACK);credit=12 (64 messages);msn=5;");
	expect(WIRE_aeth, "1f 000005", "resv=0;kind=0 (ACK);credit=31;msn=5;");
	expect(WIRE_aeth, "2c ffffff",
	       "resv=0;kind=1 (RNR NAK);timer=12 (640 us);msn=16777215;");
	expect(WIRE_aeth, "20 000000",
	       "resv=0;kind=1 (RNR NAK);timer=0 (655.36 ms);msn=0;");
	expect(WIRE_aeth, "60 000001",
	       "resv=0;kind=3 (NAK);code=0 (PSN sequence error);msn=1;");
	expect(WIRE_aeth, "40 000001", "resv=0;kind=2;value=0;msn=1;");
}

static void addresses(void **state)
{
	(void)state;
	expect(WIRE_eth, "0180c2000001 020000000001 8808",
	       "dmac=01:80:c2:00:00:01;smac=02:00:00:00:00:01;"
	       "type=0x8808 (MAC control);");
	expect(WIRE_ipv4, "45c2003c718c4000401191610a0011010a001201",
	       "version=4;ihl=5;dscp=48;ecn=2 (ECT(0));len=60;id=0x718c;rf=0;"
	       "df=1;mf=0;frag=0;ttl=64;proto=17 (UDP);csum=0x9161;"
	       "src=10.0.17.1;dst=10.0.18.1;");
	expect(WIRE_ipv6,
	       "66a1234500201140 20010db8000000000000000000000001"
	       "20010db8000000000000000000000002",
	       "version=6;dscp=26;ecn=2 (ECT(0));flow=0x12345;len=32;"
	       "next=17 (UDP);hop=64;src=2001:db8::1;dst=2001:db8::2;");
}

static void bytes_are_cut_where_they_bore(void **state)
{
	(void)state;
	expect(WIRE_cnp, "00000000000000000000000000000000", "resv=16 zeros;");
	expect(WIRE_cnp, "00000000000000000000000000000001",
	       "resv=00000000000000000000000000000001;");
	expect(WIRE_sll, "0004 0001 0006 0200000000010000 0800",
	       "type=4 (Sent by us);arphrd=1;addrlen=6;"
	       "addr=0200000000010000;proto=0x0800 (IPv4);");
}

static void private_data_is_cut(void **state)
{
	uint8_t *p = calloc(1, WIRE_SIZE_cm_rtu);
	struct page page = { .len = 0 };

	(void)state;
	p[3] = 7;
	p[8 + 30] = 1;
	wire_show(WIRE_cm_rtu, p, WIRE_SIZE_cm_rtu, collect, &page);
	assert_string_equal(
		page.text, "local_id=0x00000007;remote_id=0x00000000;private="
			   "000000000000000000000000000000000000000000000000..."
			   " (224 bytes);");
	free(p);
}

/* Cut at each byte: what is whole is shown, and nothing behind is read. */
static void every_header_cut_anywhere(void **state)
{
	(void)state;
	for (unsigned id = 0; id < WIRE_HEADERS; id++) {
		const struct wire_layout *l = wire_layout(id);

		for (size_t len = 0; len <= l->size; len++) {
			uint8_t *p = malloc(len ? len : 1);
			struct page page = { .len = 0 };
			unsigned cut;

			memset(p, 0xff, len ? len : 1);
			cut = wire_show(id, p, len, collect, &page);
			assert_true(page.fields == 0 || len > 0);
			assert_true((cut == 0) == (len == l->size));
			free(p);
		}
	}
}

static void management_datagrams(void **state)
{
	struct bytes req = bytes("01 07 02 03 0000 0000 0000000000000001"
				 "0010 0000 00000000");
	struct bytes adm = bytes("01 03 02 03 0000 0000 0000000000000001"
				 "0010 0000 00000000");

	(void)state;
	assert_int_equal(wire_form(WIRE_mad, req.p, req.n), WIRE_mad_cm);
	assert_int_equal(wire_next(WIRE_mad, req.p, req.n), WIRE_cm_req);
	assert_int_equal(wire_form(WIRE_mad, adm.p, adm.n), WIRE_mad);
	assert_int_equal(wire_next(WIRE_mad, adm.p, adm.n), WIRE_HEADERS);
	/* too short to know */
	assert_int_equal(wire_form(WIRE_mad, req.p, 1), WIRE_mad);
	assert_int_equal(wire_next(WIRE_mad, req.p, 17), WIRE_HEADERS);
	free(req.p);
	free(adm.p);
}

static char *printed(enum wire_fields_format format)
{
	FILE *f = tmpfile();
	char *text;
	long n;

	assert_non_null(f);
	wire_fields_print(f, format);
	n = ftell(f);
	rewind(f);
	text = calloc(1, (size_t)n + 1);
	assert_int_equal(fread(text, 1, (size_t)n, f), n);
	fclose(f);
	return text;
}

static void list_has_one_line_per_field(void **state)
{
	char *text = printed(WIRE_FIELDS_LIST);
	unsigned lines = 0, fields = 0;

	(void)state;
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	for (unsigned id = 0; id < WIRE_HEADERS; id++)
		fields += wire_layout(id)->n_fields;
	assert_int_equal(lines, fields + 1);
	assert_non_null(strstr(text, "\nbth.psn                      72"
				     "    24  dec   Packet sequence number\n"));
	free(text);
}

static void markdown_has_everything(void **state)
{
	char *text = printed(WIRE_FIELDS_MARKDOWN);
	char heading[64];

	(void)state;
	for (unsigned id = 0; id < WIRE_HEADERS; id++) {
		snprintf(heading, sizeof heading, "\n## %s\n",
			 wire_layout(id)->about->name);
		assert_non_null(strstr(text, heading));
	}
	for (unsigned list = 1; list < WIRE_LISTS; list++) {
		snprintf(heading, sizeof heading, "\n## Values of %s\n",
			 wire_rows(list)->about.name);
		assert_non_null(strstr(text, heading));
	}
	assert_null(strstr(text, ".md#"));
	assert_non_null(strstr(text, "| 0xac | XRC_READ_REQUEST | XRC READ "
				     "Request | xrceth reth | 32 | whole |  |"
				     " request | none |\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_transport_header),
		cmocka_unit_test(aeth_by_kind),
		cmocka_unit_test(addresses),
		cmocka_unit_test(bytes_are_cut_where_they_bore),
		cmocka_unit_test(private_data_is_cut),
		cmocka_unit_test(every_header_cut_anywhere),
		cmocka_unit_test(management_datagrams),
		cmocka_unit_test(list_has_one_line_per_field),
		cmocka_unit_test(markdown_has_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
