/* SPDX-License-Identifier: GPL-2.0-or-later
 * LLDP with DCBX, and the credits of UEC: frames of the reference. */
#include "frames.h"

#include <stdio.h>

#include "decode/control.h"
#include "wire/wire.h"

enum { LLDP_AT = 14 };

/* Every part as "name" or "name field=value ..." of those asked for. */
struct seen {
	char text[1024];
	size_t n;
};

static void tell(void *ctx, const struct explain_part *part)
{
	struct seen *s = ctx;

	s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n,
				 "%s%s %u", s->n ? ", " : "", part->name,
				 part->length);
}

/* Decoded where it is, so that packet.control stays. */
static struct packet in_place(const struct frame_bytes *f)
{
	struct packet p = { 0 };
	const struct decode_input in = { .data = f->data,
					 .caplen = (uint32_t)f->n,
					 .wirelen = (uint32_t)f->n,
					 .linktype = 1 };

	packet_decode(&in, &decode_defaults, &p);
	return p;
}

static const char *parts_of(const struct frame_bytes *f)
{
	static struct seen s;
	struct packet p = in_place(f);

	s.n = 0;
	*s.text = 0;
	assert_int_equal(p.kind, PACKET_LLDP);
	lldp_explain(&p, tell, &s);
	return s.text;
}

/* telemetry-and-encapsulation 5.4. */
static void ieee(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put(&f, "0180c200000e 020000000001 88cc 0207 04 020000000001");
	put(&f, "fe19 0080c209 00 00010000 3232000000000000 0202000000000000");
	put(&f, "fe06 0080c20b 08 18 fe0b 0080c20c 00 6312b7 618915 0000");
	put_zeros(&f, 7);
	p = decode_frame(&f, 1);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_string_equal(parts_of(&f),
			    "lldp_tlv 2, lldp value 7, "
			    "lldp_tlv 2, lldp_org 4, ets_conf 21, "
			    "lldp_tlv 2, lldp_org 4, pfc_conf 2, "
			    "lldp_tlv 2, lldp_org 4, app_conf 1, app_entry 3, "
			    "app_entry 3, lldp_tlv 2");
	for (size_t n = LLDP_AT; n < f.n; n++) {
		p = decode_cut(&f, n, 0, 1);
		assert_int_equal(p.status, n < f.n - 7 ? PACKET_TRUNCATED
						       : PACKET_FOREIGN);
	}
}

static void fields(void **state)
{
	struct frame_bytes f = { .n = 0 };
	const uint8_t *p = f.data;

	(void)state;
	put(&f, "00 00010000 3232000000000000 0202000000000000");
	assert_int_equal(WIRE_GET(ets_conf, willing, p), 0);
	assert_int_equal(WIRE_GET(ets_conf, maxtcs, p), 0);
	assert_int_equal(WIRE_GET(ets_conf, tc2, p), 0);
	assert_int_equal(WIRE_GET(ets_conf, tc3, p), 1);
	assert_int_equal(WIRE_GET(ets_conf, bw1, p), 50);
	assert_int_equal(WIRE_GET(ets_conf, tsa1, p), TSA_ETS);
	assert_int_equal(WIRE_GET(ets_conf, tsa2, p), TSA_STRICT);
	f.n = 0;
	put(&f, "08 18");
	assert_int_equal(WIRE_GET(pfc_conf, willing, p), 0);
	assert_int_equal(WIRE_GET(pfc_conf, cap, p), 8);
	assert_int_equal(WIRE_GET(pfc_conf, enable, p), 1 << 3 | 1 << 4);
	f.n = 0;
	put(&f, "6312b7");
	assert_int_equal(WIRE_GET(app_entry, prio, p), 3);
	assert_int_equal(WIRE_GET(app_entry, sel, p), APP_SEL_UDP);
	assert_int_equal(WIRE_GET(app_entry, proto, p), 4791);
}

/* Features inside one TLV, lengths that promise too much. */
static void pre_standard(void **state)
{
	struct frame_bytes f = { .n = 0 };

	(void)state;
	put(&f, "0180c200000e 020000000001 88cc fe28 001b2102"
		"020a 0000 00000001 00000001 0606 0000 8000 08 08"
		"0411 0000 8000 ffff0000 3232000000000000 08");
	f.data[LLDP_AT + 1] = (uint8_t)(f.n - LLDP_AT - 2);
	put(&f, "0000");
	assert_string_equal(parts_of(&f),
			    "lldp_tlv 2, lldp_org 4, "
			    "cee_feature 6, lldp value 6, "
			    "cee_feature 6, cee_pfc 2, "
			    "cee_feature 6, cee_pg 13, lldp_tlv 2");
	f.data[LLDP_AT + 2 + 4 + 12 + 1] = 0xff;
	parts_of(&f);
	f.data[LLDP_AT + 2 + 4 + 12 + 1] = 0;
	parts_of(&f);
	f.n = LLDP_AT;
	put(&f, "fe03 001b21 fe04 0080c20b fe04 001b2102 0000");
	assert_string_equal(parts_of(&f),
			    "lldp_tlv 2, lldp value 3, lldp_tlv 2, lldp_org 4, "
			    "lldp_tlv 2, lldp_org 4, lldp_tlv 2");
}

/* uet.md, E16. */
static void credits(void **state)
{
	struct frame_bytes f = { .n = 0 };
	struct packet p;

	(void)state;
	put(&f, "0180c2000001 02000000000a 8808 fffe fa7acb 01"
		"00000001 11002220 03330044 40055500 66600777 00888009"
		"9900aaa0 0bbb00cc c00ddd00 eee00fff");
	p = in_place(&f);
	assert_ptr_equal(p.control, f.data + LLDP_AT);
	assert_int_equal(p.kind, PACKET_UEC_CC);
	assert_int_equal(p.status, PACKET_FOREIGN);
	assert_int_equal(p.src_mac, 0x02000000000a);
	assert_int_equal(p.payload, 46);
	assert_int_equal(WIRE_GET(uec_cc, cid, p.control), 0xfa7acb);
	assert_int_equal(WIRE_GET(uec_cc, type, p.control), UEC_CC_LOW);
	assert_int_equal(WIRE_GET(uec_cc, cc0, p.control), 0);
	assert_int_equal(WIRE_GET(uec_cc, cc1, p.control), 0x111);
	assert_int_equal(WIRE_GET(uec_cc, cc2, p.control), 0x222);
	assert_int_equal(WIRE_GET(uec_cc, cc15, p.control), 0xfff);
	p = decode_cut(&f, f.n - 1, 0, 1);
	assert_int_equal(p.status, PACKET_TRUNCATED);
	f.data[16] = 0;
	p = decode_frame(&f, 1);
	assert_int_equal(p.kind, PACKET_OTHER);
	assert_int_equal(p.status, PACKET_FOREIGN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ieee),
		cmocka_unit_test(fields),
		cmocka_unit_test(pre_standard),
		cmocka_unit_test(credits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
