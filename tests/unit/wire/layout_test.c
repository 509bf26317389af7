/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where each field stands, against the offsets of the reference, typed here
 * a second time: byte, bit within it (0 the most significant), width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "wire/table.h"

struct place {
	enum wire_header header;
	const char *field;
	unsigned byte, bit, width;
};

/* rocev2-and-analysis-rules 1.2 and 1.4. */
static const struct place roce[] = {
	{ WIRE_bth, "opcode", 0, 0, 8 },
	{ WIRE_bth, "se", 1, 0, 1 },
	{ WIRE_bth, "migreq", 1, 1, 1 },
	{ WIRE_bth, "padcnt", 1, 2, 2 },
	{ WIRE_bth, "tver", 1, 4, 4 },
	{ WIRE_bth, "pkey", 2, 0, 16 },
	{ WIRE_bth, "fecn", 4, 0, 1 },
	{ WIRE_bth, "becn", 4, 1, 1 },
	{ WIRE_bth, "resv6", 4, 2, 6 },
	{ WIRE_bth, "destqp", 5, 0, 24 },
	{ WIRE_bth, "ackreq", 8, 0, 1 },
	{ WIRE_bth, "resv7", 8, 1, 7 },
	{ WIRE_bth, "psn", 9, 0, 24 },
	{ WIRE_reth, "va", 0, 0, 64 },
	{ WIRE_reth, "rkey", 8, 0, 32 },
	{ WIRE_reth, "dmalen", 12, 0, 32 },
	{ WIRE_aeth, "resv", 0, 0, 1 },
	{ WIRE_aeth, "kind", 0, 1, 2 },
	{ WIRE_aeth, "value", 0, 3, 5 },
	{ WIRE_aeth, "msn", 1, 0, 24 },
	{ WIRE_aeth_ack, "credit", 0, 3, 5 },
	{ WIRE_aeth_rnr, "timer", 0, 3, 5 },
	{ WIRE_aeth_nak, "code", 0, 3, 5 },
	{ WIRE_immdt, "imm", 0, 0, 32 },
	{ WIRE_ieth, "rkey", 0, 0, 32 },
	{ WIRE_atomiceth, "va", 0, 0, 64 },
	{ WIRE_atomiceth, "rkey", 8, 0, 32 },
	{ WIRE_atomiceth, "swap", 12, 0, 64 },
	{ WIRE_atomiceth, "compare", 20, 0, 64 },
	{ WIRE_atomicacketh, "original", 0, 0, 64 },
	{ WIRE_deth, "qkey", 0, 0, 32 },
	{ WIRE_deth, "resv", 4, 0, 8 },
	{ WIRE_deth, "srcqp", 5, 0, 24 },
	{ WIRE_rdeth, "resv", 0, 0, 8 },
	{ WIRE_rdeth, "eec", 1, 0, 24 },
	{ WIRE_xrceth, "resv", 0, 0, 8 },
	{ WIRE_xrceth, "srq", 1, 0, 24 },
	/* bits 3:0 and 5:4 of the word */
	{ WIRE_feth, "placement", 3, 4, 4 },
	{ WIRE_feth, "selectivity", 3, 2, 2 },
	{ WIRE_cnp, "resv", 0, 0, 128 },
};

/* rocev2-and-analysis-rules 1.9: MAD, then CM data from MAD + 24. */
static const struct place cm[] = {
	{ WIRE_mad, "version", 0, 0, 8 },
	{ WIRE_mad, "mgmtclass", 1, 0, 8 },
	{ WIRE_mad, "classver", 2, 0, 8 },
	{ WIRE_mad, "method", 3, 0, 8 },
	{ WIRE_mad, "status", 4, 0, 16 },
	{ WIRE_mad, "tid", 8, 0, 64 },
	{ WIRE_mad, "attr", 16, 0, 16 },
	{ WIRE_mad, "modifier", 20, 0, 32 },
	{ WIRE_mad_cm, "attr", 16, 0, 16 },
	{ WIRE_mad_cm, "ece", 20, 0, 32 },
	{ WIRE_cm_req, "local_id", 0, 0, 32 },
	{ WIRE_cm_req, "vendor", 5, 0, 24 },
	{ WIRE_cm_req, "service_id", 8, 0, 64 },
	{ WIRE_cm_req, "guid", 16, 0, 64 },
	{ WIRE_cm_req, "qkey", 28, 0, 32 },
	{ WIRE_cm_req, "qpn", 32, 0, 24 },
	{ WIRE_cm_req, "resp_res", 35, 0, 8 },
	{ WIRE_cm_req, "eecn", 36, 0, 24 },
	{ WIRE_cm_req, "init_depth", 39, 0, 8 },
	{ WIRE_cm_req, "remote_timeout", 43, 0, 5 },
	{ WIRE_cm_req, "service", 43, 5, 2 },
	{ WIRE_cm_req, "e2e_fc", 43, 7, 1 },
	{ WIRE_cm_req, "psn", 44, 0, 24 },
	{ WIRE_cm_req, "local_timeout", 47, 0, 5 },
	{ WIRE_cm_req, "retry", 47, 5, 3 },
	{ WIRE_cm_req, "pkey", 48, 0, 16 },
	{ WIRE_cm_req, "mtu", 50, 0, 4 },
	{ WIRE_cm_req, "rdc", 50, 4, 1 },
	{ WIRE_cm_req, "rnr_retry", 50, 5, 3 },
	{ WIRE_cm_req, "cm_retries", 51, 0, 4 },
	{ WIRE_cm_req, "srq", 51, 4, 1 },
	{ WIRE_cm_req, "ext_service", 51, 5, 3 },
	{ WIRE_cm_req, "slid", 52, 0, 16 },
	{ WIRE_cm_req, "dlid", 54, 0, 16 },
	{ WIRE_cm_req, "sgid", 56, 0, 128 },
	{ WIRE_cm_req, "dgid", 72, 0, 128 },
	{ WIRE_cm_req, "flow", 88, 0, 20 },
	{ WIRE_cm_req, "rate", 91, 2, 6 },
	{ WIRE_cm_req, "tclass", 92, 0, 8 },
	{ WIRE_cm_req, "hop", 93, 0, 8 },
	{ WIRE_cm_req, "sl", 94, 0, 4 },
	{ WIRE_cm_req, "subnet_local", 94, 4, 1 },
	{ WIRE_cm_req, "ack_timeout", 95, 0, 5 },
	{ WIRE_cm_req, "alt_slid", 96, 0, 16 },
	{ WIRE_cm_req, "alt_ack_timeout", 139, 0, 5 },
	{ WIRE_cm_req, "private", 140, 0, 8 * 92 },
	{ WIRE_cm_rep, "local_id", 0, 0, 32 },
	{ WIRE_cm_rep, "remote_id", 4, 0, 32 },
	{ WIRE_cm_rep, "qkey", 8, 0, 32 },
	{ WIRE_cm_rep, "qpn", 12, 0, 24 },
	{ WIRE_cm_rep, "vendor_h", 15, 0, 8 },
	{ WIRE_cm_rep, "eecn", 16, 0, 24 },
	{ WIRE_cm_rep, "vendor_m", 19, 0, 8 },
	{ WIRE_cm_rep, "psn", 20, 0, 24 },
	{ WIRE_cm_rep, "vendor_l", 23, 0, 8 },
	{ WIRE_cm_rep, "resp_res", 24, 0, 8 },
	{ WIRE_cm_rep, "init_depth", 25, 0, 8 },
	{ WIRE_cm_rep, "ack_delay", 26, 0, 5 },
	{ WIRE_cm_rep, "failover", 26, 5, 2 },
	{ WIRE_cm_rep, "e2e_fc", 26, 7, 1 },
	{ WIRE_cm_rep, "rnr_retry", 27, 0, 3 },
	{ WIRE_cm_rep, "srq", 27, 3, 1 },
	{ WIRE_cm_rep, "guid", 28, 0, 64 },
	{ WIRE_cm_rep, "private", 36, 0, 8 * 196 },
	{ WIRE_cm_rtu, "local_id", 0, 0, 32 },
	{ WIRE_cm_rtu, "remote_id", 4, 0, 32 },
	{ WIRE_cm_rtu, "private", 8, 0, 8 * 224 },
	{ WIRE_cm_dreq, "local_id", 0, 0, 32 },
	{ WIRE_cm_dreq, "remote_id", 4, 0, 32 },
	{ WIRE_cm_dreq, "qpn", 8, 0, 24 },
	{ WIRE_cm_dreq, "private", 12, 0, 8 * 220 },
	{ WIRE_cm_drep, "local_id", 0, 0, 32 },
	{ WIRE_cm_drep, "remote_id", 4, 0, 32 },
	{ WIRE_cm_drep, "private", 8, 0, 8 * 224 },
	{ WIRE_cm_rej, "local_id", 0, 0, 32 },
	{ WIRE_cm_rej, "remote_id", 4, 0, 32 },
	{ WIRE_cm_rej, "msg", 8, 0, 2 },
	{ WIRE_cm_rej, "info_len", 9, 0, 7 },
	{ WIRE_cm_rej, "reason", 10, 0, 16 },
	{ WIRE_cm_rej, "ari", 12, 0, 8 * 72 },
	{ WIRE_cm_rej, "private", 84, 0, 8 * 148 },
	{ WIRE_cm_mra, "msg", 8, 0, 2 },
	{ WIRE_cm_mra, "timeout", 9, 0, 5 },
	{ WIRE_cm_mra, "private", 10, 0, 8 * 222 },
	{ WIRE_cm_sidr_req, "request_id", 0, 0, 32 },
	{ WIRE_cm_sidr_req, "pkey", 4, 0, 16 },
	{ WIRE_cm_sidr_req, "service_id", 8, 0, 64 },
	{ WIRE_cm_sidr_req, "private", 16, 0, 8 * 216 },
	{ WIRE_cm_sidr_rep, "request_id", 0, 0, 32 },
	{ WIRE_cm_sidr_rep, "status", 4, 0, 8 },
	{ WIRE_cm_sidr_rep, "qpn", 8, 0, 24 },
	{ WIRE_cm_sidr_rep, "service_id", 12, 0, 64 },
	{ WIRE_cm_sidr_rep, "qkey", 20, 0, 32 },
	{ WIRE_cm_sidr_rep, "ari", 24, 0, 8 * 72 },
	{ WIRE_cm_sidr_rep, "private", 96, 0, 8 * 136 },
	{ WIRE_rdma_cm, "version", 0, 0, 8 },
	{ WIRE_rdma_cm, "ipv", 1, 0, 4 },
	{ WIRE_rdma_cm, "sport", 2, 0, 16 },
	{ WIRE_rdma_cm, "src", 4, 0, 128 },
	{ WIRE_rdma_cm, "dst", 20, 0, 128 },
	{ WIRE_nvme_rdma, "recfmt", 0, 0, 16 },
	{ WIRE_nvme_rdma, "qid", 2, 0, 16 },
	{ WIRE_nvme_rdma, "hrqsize", 4, 0, 16 },
	{ WIRE_nvme_rdma, "hsqsize", 6, 0, 16 },
	{ WIRE_nvme_rdma, "cntlid", 8, 0, 16 },
};

/* telemetry-and-encapsulation 5.1, 5.4, 6.1, 6.2, 6.7. */
static const struct place around[] = {
	{ WIRE_pause, "opcode", 0, 0, 16 },
	{ WIRE_pause, "quanta", 2, 0, 16 },
	{ WIRE_pfc, "opcode", 0, 0, 16 },
	{ WIRE_pfc, "enable", 3, 0, 8 },
	{ WIRE_pfc, "time0", 4, 0, 16 },
	{ WIRE_pfc, "time7", 18, 0, 16 },
	{ WIRE_lldp_tlv, "type", 0, 0, 7 },
	{ WIRE_lldp_tlv, "len", 0, 7, 9 },
	{ WIRE_lldp_org, "oui", 0, 0, 24 },
	{ WIRE_lldp_org, "subtype", 3, 0, 8 },
	{ WIRE_gre, "c", 0, 0, 1 },
	{ WIRE_gre, "r", 0, 1, 1 },
	{ WIRE_gre, "k", 0, 2, 1 },
	{ WIRE_gre, "s", 0, 3, 1 },
	{ WIRE_gre, "version", 1, 5, 3 },
	{ WIRE_gre, "proto", 2, 0, 16 },
	{ WIRE_erspan2, "version", 0, 0, 4 },
	{ WIRE_erspan2, "vlan", 0, 4, 12 },
	{ WIRE_erspan2, "cos", 2, 0, 3 },
	{ WIRE_erspan2, "en", 2, 3, 2 },
	{ WIRE_erspan2, "t", 2, 5, 1 },
	{ WIRE_erspan2, "session", 2, 6, 10 },
	{ WIRE_erspan2, "index", 5, 4, 20 },
	{ WIRE_erspan3, "version", 0, 0, 4 },
	{ WIRE_erspan3, "vlan", 0, 4, 12 },
	{ WIRE_erspan3, "cos", 2, 0, 3 },
	{ WIRE_erspan3, "bso", 2, 3, 2 },
	{ WIRE_erspan3, "t", 2, 5, 1 },
	{ WIRE_erspan3, "session", 2, 6, 10 },
	{ WIRE_erspan3, "timestamp", 4, 0, 32 },
	{ WIRE_erspan3, "sgt", 8, 0, 16 },
	{ WIRE_erspan3, "p", 10, 0, 1 },
	{ WIRE_erspan3, "ft", 10, 1, 5 },
	{ WIRE_erspan3, "hwid", 10, 6, 6 },
	{ WIRE_erspan3, "d", 11, 4, 1 },
	{ WIRE_erspan3, "gra", 11, 5, 2 },
	{ WIRE_erspan3, "o", 11, 7, 1 },
	{ WIRE_erspan3_sub1, "domain", 2, 4, 12 },
	{ WIRE_erspan3_sub1, "port", 4, 0, 32 },
	{ WIRE_erspan3_sub3, "port", 2, 2, 14 },
	{ WIRE_erspan3_sub3, "upper", 4, 0, 32 },
	{ WIRE_erspan3_sub5, "device", 0, 6, 10 },
	{ WIRE_erspan3_sub5, "port", 2, 0, 16 },
	{ WIRE_erspan3_sub5, "seconds", 4, 0, 32 },
	{ WIRE_erspan3_sub7, "source", 1, 4, 20 },
	{ WIRE_erspan3_sub7, "upper", 4, 0, 32 },
	{ WIRE_vxlan, "flags", 0, 0, 8 },
	{ WIRE_vxlan, "vni", 4, 0, 24 },
	{ WIRE_vxlan_gpe, "next", 3, 0, 8 },
	{ WIRE_vxlan_gpe, "vni", 4, 0, 24 },
	{ WIRE_geneve, "version", 0, 0, 2 },
	{ WIRE_geneve, "optlen", 0, 2, 6 },
	{ WIRE_geneve, "o", 1, 0, 1 },
	{ WIRE_geneve, "c", 1, 1, 1 },
	{ WIRE_geneve, "proto", 2, 0, 16 },
	{ WIRE_geneve, "vni", 4, 0, 24 },
	{ WIRE_geneve_opt, "class", 0, 0, 16 },
	{ WIRE_geneve_opt, "type", 2, 0, 8 },
	{ WIRE_geneve_opt, "len", 3, 3, 5 },
	{ WIRE_mpls, "label", 0, 0, 20 },
	{ WIRE_mpls, "tc", 2, 4, 3 },
	{ WIRE_mpls, "bos", 2, 7, 1 },
	{ WIRE_mpls, "ttl", 3, 0, 8 },
	{ WIRE_sll, "type", 0, 0, 16 },
	{ WIRE_sll, "arphrd", 2, 0, 16 },
	{ WIRE_sll, "addrlen", 4, 0, 16 },
	{ WIRE_sll, "addr", 6, 0, 64 },
	{ WIRE_sll, "proto", 14, 0, 16 },
	{ WIRE_sll2, "proto", 0, 0, 16 },
	{ WIRE_sll2, "ifindex", 4, 0, 32 },
	{ WIRE_sll2, "arphrd", 8, 0, 16 },
	{ WIRE_sll2, "type", 10, 0, 8 },
	{ WIRE_sll2, "addrlen", 11, 0, 8 },
	{ WIRE_sll2, "addr", 12, 0, 64 },
};

static const struct wire_field *find(const struct place *p)
{
	const struct wire_layout *l = wire_layout(p->header);

	for (unsigned i = 0; i < l->n_fields; i++)
		if (!strcmp(l->fields[i].name, p->field))
			return &l->fields[i];
	fail_msg("%s has no field %s", l->about->name, p->field);
	return NULL;
}

static void check(const struct place *places, size_t n)
{
	for (const struct place *p = places; p < places + n; p++) {
		const struct wire_field *f = find(p);

		if (f->off != 8 * p->byte + p->bit || f->width != p->width)
			fail_msg("%s.%s is at bit %u, width %u",
				 wire_layout(p->header)->about->name, p->field,
				 f->off, f->width);
	}
}

#define CHECK(places) check((places), sizeof(places) / sizeof((places)[0]))

static void roce_headers_as_in_the_reference(void **state)
{
	(void)state;
	CHECK(roce);
}

static void cm_messages_as_in_the_reference(void **state)
{
	(void)state;
	CHECK(cm);
}

static void mirrors_and_link_control_as_in_the_reference(void **state)
{
	(void)state;
	CHECK(around);
}

/* Frame sizes of rocev2-and-analysis-rules 1.1: Ethernet, IPv4, UDP, headers,
 * ICRC, without FCS. */
static unsigned frame_size(uint8_t opcode, unsigned payload)
{
	return 14 + 20 + 8 + wire_opcode(opcode)->headers + payload + 4;
}

static void frame_sizes_as_in_the_reference(void **state)
{
	(void)state;
	assert_int_equal(frame_size(0x11, 0), 62);      /* ACK */
	assert_int_equal(frame_size(0x12, 0), 70);      /* ATOMIC ACK */
	assert_int_equal(frame_size(0x81, 0), 74);      /* CNP */
	assert_int_equal(frame_size(0x0c, 0), 74);      /* READ REQ */
	assert_int_equal(frame_size(0x13, 0), 86);      /* ATOMIC REQ */
	assert_int_equal(frame_size(0x64, 256), 322);   /* CM MAD */
	assert_int_equal(frame_size(0x07, 1024), 1082); /* full MIDDLE */
	assert_int_equal(WIRE_SIZE_eth + WIRE_SIZE_ipv4 + WIRE_SIZE_udp, 42);
	assert_int_equal(WIRE_SIZE_ipv6, 40);
	assert_int_equal(WIRE_SIZE_grh, 40);
	assert_int_equal(WIRE_SIZE_mad + WIRE_SIZE_cm_req, 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roce_headers_as_in_the_reference),
		cmocka_unit_test(cm_messages_as_in_the_reference),
		cmocka_unit_test(mirrors_and_link_control_as_in_the_reference),
		cmocka_unit_test(frame_sizes_as_in_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
