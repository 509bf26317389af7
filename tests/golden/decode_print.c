/* SPDX-License-Identifier: GPL-2.0-or-later
 * What decode makes of a capture, for decode_tshark.py: one JSON object per
 * frame, of the packet and of every field of every header.
 *
 * Reads with libpcap: this is about decoding, not about our readers. */
#include <inttypes.h>
#include <pcap.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/explain.h"
#include "wire/table.h"

static void print_bytes(const uint8_t *p, size_t n)
{
	putchar('"');
	while (n--)
		printf("%02x", *p++);
	putchar('"');
}

static void print_part(void *ctx, const struct explain_part *part)
{
	bool *first = ctx;
	const struct wire_layout *layout;

	printf("%s[\"%s\",%u,%u", *first ? "" : ",", part->name, part->offset,
	       part->length);
	*first = false;
	if (part->header < 0) {
		printf("]");
		return;
	}
	layout = wire_layout((enum wire_header)part->header);
	for (unsigned i = 0; i < layout->n_fields; i++) {
		const struct wire_field *f = &layout->fields[i];

		printf("%s\"%s\":", i ? "," : ",{", f->name);
		if (f->width > 64 || f->base >= WIRE_MAC)
			print_bytes(part->data + f->off / 8, f->width / 8);
		else
			printf("%" PRIu64,
			       wire_field_get(f, part->data, part->captured));
	}
	printf("}]");
}

static void print_packet(const struct packet *p)
{
	char src[ADDR_TEXT], dst[ADDR_TEXT];

	printf("\"status\":%d,\"kind\":%d,\"icrc_status\":%d,\"flags\":%u,"
	       "\"src\":\"%s\",\"dst\":\"%s\",\"opcode\":%d,\"psn\":%u,"
	       "\"dst_qp\":%u,\"payload\":%u,\"syndrome\":%d,\"msn\":%u,"
	       "\"dma_len\":%u,\"src_qp\":%u,\"tos\":%d,\"ttl\":%d,"
	       "\"ip_id\":%d,\"sport\":%d,\"vlan\":%d,\"pcp\":%d,"
	       "\"icrc\":%u,\"src_mac\":%" PRIu64 ",\"mirror_seq\":%u,"
	       "\"mirror_session\":%d,\"wire_len\":%u",
	       p->status, p->kind, p->icrc_status, p->flags,
	       addr_text(p->src, src), addr_text(p->dst, dst), p->opcode,
	       p->psn, p->dst_qp, p->payload, p->syndrome, p->msn, p->dma_len,
	       p->src_qp, p->tos, p->ttl, p->ip_id, p->sport, p->vlan, p->pcp,
	       p->icrc, p->src_mac, p->mirror_seq, p->mirror_session,
	       p->wire_len);
}

static void print_frame(uint64_t number, const struct decode_input *in)
{
	struct packet p = { .frame = number };
	struct explain_end end;
	bool first = true;

	printf("{\"frame\":%" PRIu64 ",\"parts\":[", number);
	packet_explain(in, &decode_defaults, &p, print_part, &first, &end);
	packet_decode(in, &decode_defaults, &p);
	printf("],");
	print_packet(&p);
	printf(",\"end\":%u,\"at\":\"%s\",\"why\":\"%s\"}\n", end.offset,
	       end.at ? end.at : "", end.why ? end.why : "");
}

int main(int argc, char **argv)
{
	char why[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const u_char *data;
	uint64_t number = 0;
	pcap_t *pcap;

	if (argc != 2)
		return 2;
	pcap = pcap_open_offline(argv[1], why);
	if (!pcap) {
		fprintf(stderr, "%s: %s\n", argv[1], why);
		return 1;
	}
	while (pcap_next_ex(pcap, &header, &data) == 1) {
		struct decode_input in = {
			.data = data,
			.caplen = header->caplen,
			.wirelen = header->len,
			.linktype = (uint16_t)pcap_datalink(pcap),
		};

		print_frame(++number, &in);
	}
	pcap_close(pcap);
	return 0;
}
