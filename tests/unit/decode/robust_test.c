/* SPDX-License-Identifier: GPL-2.0-or-later
 * Frames of real captures, whole, cut at every byte, with every bit flipped
 * and with random damage, in memory of exactly their size.
 *
 * usage: decode_robust_test CHECKOUT
 * Reads captures/ and, where it is, ../shared/captures beside the checkout. */
#include <dirent.h>
#include <pcap.h>
#include <stdint.h>
#include <sys/stat.h>

#include "invariants.h"

enum {
	FRAMES = 12,   /* of a capture are damaged */
	FLIPPED = 160, /* bytes at the front, bit by bit */
	ROUNDS = 300,  /* of random damage */
};

static unsigned long decodes, frames, files;

/* A generator of our own: the same damage on every machine. */
static uint32_t next_random(void)
{
	static uint32_t x = 2463534242;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

static struct packet decode_exactly(const struct decode_input *in)
{
	struct decode_input exact = *in;
	uint8_t *copy = malloc(in->caplen ? in->caplen : 1);
	struct packet p;

	HOLDS(copy);
	memcpy(copy, in->data, in->caplen);
	exact.data = copy;
	p = hold_all(&exact, &decode_defaults);
	free(copy);
	decodes++;
	return p;
}

/* What cutting may change, made equal. */
static struct packet without_the_end(struct packet p)
{
	p.icrc = 0;
	p.icrc_status = ICRC_UNCHECKABLE;
	p.mad = NULL;
	p.flags &= ~(uint32_t)PACKET_HAS_CM;
	return p;
}

/* |p| without what extension headers said that |cut| has no flag of. */
static struct packet without_extensions(struct packet p,
					const struct packet *cut)
{
	uint32_t gone = p.flags & ~cut->flags &
			(PACKET_HAS_RETH | PACKET_HAS_AETH | PACKET_HAS_IMM |
			 PACKET_HAS_XRCETH | PACKET_EXTENDED);

	p.flags &= ~gone;
	if (gone & PACKET_HAS_RETH)
		p.dma_len = 0;
	if (gone & PACKET_HAS_XRCETH)
		p.src_qp = 0;
	if (gone & PACKET_HAS_AETH)
		p.msn = p.syndrome = 0;
	return p;
}

/* |cut| with all that a packet whose SES header was cut must still have of
 * |whole|. */
static struct packet without_ses(const struct packet *whole,
				 const struct packet *cut)
{
	struct packet p = *cut;

	p.psn = whole->psn;
	p.src = whole->src;
	p.dst = whole->dst;
	p.sport = whole->sport;
	p.uet.type = whole->uet.type;
	p.uet.next = whole->uet.next;
	if (p.uet.flags & (UET_REQUEST | UET_RESPONSE))
		p.uet.opcode = whole->uet.opcode;
	p.uet.spdcid = whole->uet.spdcid;
	p.uet.dpdcid = whole->uet.dpdcid;
	p.uet.flags &= whole->uet.flags | UET_ODD;
	return p;
}

static void cut_everywhere(const struct decode_input *in)
{
	struct decode_input cut = *in;
	struct packet whole = without_the_end(decode_exactly(in));

	for (cut.caplen = 0; cut.caplen < in->caplen; cut.caplen++) {
		struct packet p = without_the_end(decode_exactly(&cut));

		/* Tunnels are found by what plausibly follows. */
		if (whole.status != PACKET_OK || whole.flags & PACKET_TUNNELLED)
			continue;
		HOLDS(p.status == PACKET_OK || p.status == PACKET_TRUNCATED);
		if (p.status == PACKET_OK) {
			struct packet same =
				p.uet.flags & UET_SES || p.kind != PACKET_UET
					? without_extensions(whole, &p)
					: without_ses(&whole, &p);

			HOLDS(packets_same(&p, &same));
		}
	}
}

static void flip_every_bit(const struct decode_input *in, uint8_t *bytes)
{
	uint32_t n = in->caplen < FLIPPED ? in->caplen : FLIPPED;

	for (uint32_t bit = 0; bit < 8 * n; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		decode_exactly(in);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

/* Values that lengths and types are decided by. */
static uint8_t nasty(void)
{
	static const uint8_t values[] = {
		0x00, 0x01, 0x04, 0x06, 0x08, 0x11, 0x12, 0x1b, 0x29, 0x2f,
		0x40, 0x45, 0x46, 0x4f, 0x60, 0x7f, 0x80, 0x81, 0xb7, 0xff,
	};

	return values[next_random() % sizeof values];
}

static void damage_at_random(const struct decode_input *in, uint8_t *bytes)
{
	struct decode_input broken = *in;
	uint8_t *keep = malloc(in->caplen + 1);

	HOLDS(keep);
	memcpy(keep, bytes, in->caplen);
	for (int round = 0; in->caplen && round < ROUNDS; round++) {
		for (uint32_t n = next_random() % 6 + 1; n; n--) {
			uint32_t r = next_random();

			bytes[next_random() % in->caplen] =
				r & 1 ? nasty() : (uint8_t)(r >> 8);
		}
		broken.caplen = next_random() % 4
					? in->caplen
					: next_random() % (in->caplen + 1);
		decode_exactly(&broken);
		memcpy(bytes, keep, in->caplen);
	}
	free(keep);
}

static void damage(const struct decode_input *in)
{
	struct decode_input own = *in;
	uint8_t *bytes = malloc(in->caplen + 1);

	HOLDS(bytes);
	memcpy(bytes, in->data, in->caplen);
	own.data = bytes;
	cut_everywhere(&own);
	flip_every_bit(&own, bytes);
	damage_at_random(&own, bytes);
	/* The same bytes by every link type. */
	for (int type = 0; type < 300; type++) {
		own.linktype = (uint16_t)type;
		decode_exactly(&own);
	}
	free(bytes);
}

/* Every frame as it is; of the first, and of those of another length than
 * their predecessor, also what damage makes of them. */
static void read_capture(const char *path)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, why);
	struct pcap_pkthdr *header;
	uint32_t last = UINT32_MAX;
	const u_char *data;
	int damaged = 0;

	if (!pcap)
		return; /* the readers' tests care */
	files++;
	while (pcap_next_ex(pcap, &header, &data) == 1) {
		struct decode_input in = {
			.data = data,
			.caplen = header->caplen,
			.wirelen = header->len,
			.linktype = (uint16_t)pcap_datalink(pcap),
		};

		frames++;
		hold_all(&in, &decode_defaults);
		if (header->caplen == last || header->caplen > 5000 ||
		    damaged >= FRAMES)
			continue;
		damage(&in);
		last = header->caplen;
		damaged++;
	}
	pcap_close(pcap);
}

static void read_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	struct stat st;

	while (folder && (entry = readdir(folder))) {
		char name[4096];

		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] == '.' || stat(name, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			read_folder(name);
		else
			read_capture(name);
	}
	if (folder)
		closedir(folder);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "captures",
					       "../shared/captures" };
	char path[4096];

	if (argc != 2)
		return 2;
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", argv[1], folders[i]);
		read_folder(path);
	}
	printf("%lu files, %lu frames, %lu damaged ones\n", files, frames,
	       decodes);
	return frames == 0;
}
