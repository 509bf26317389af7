/* SPDX-License-Identifier: GPL-2.0-or-later
 * SRv6: who the hosts are of a packet whose destination is a way. */
#include "decode/srv6.h"

#include <endian.h>
#include <stddef.h>
#include <string.h>

enum {
	WORDS = 8,       /* of 16 bits, in an address */
	BLOCK_WORDS = 2, /* at least, of what comes before the nodes */
	/* From here on numbers mean something to one node only: its links,
	 * say (RFC 9800 calls it the local block; where it begins is a
	 * convention of implementations). */
	LOCAL = 0xe000,
};

struct words {
	uint16_t w[WORDS]; /* host order */
};

static struct words words_of(struct addr a)
{
	struct words out;

	memcpy(&out, &a, sizeof out);
	for (int i = 0; i < WORDS; i++)
		out.w[i] = be16toh(out.w[i]);
	return out;
}

static struct addr address_of(struct words words)
{
	struct addr out;

	for (int i = 0; i < WORDS; i++)
		words.w[i] = htobe16(words.w[i]);
	memcpy(&out, &words, sizeof out);
	return out;
}

bool srv6_block(struct addr address, unsigned bits, struct srv6_block *out)
{
	if (bits % 16 || !bits || bits > 64)
		return false;
	*out = (struct srv6_block) {
		.prefix = be64toh(address.w[0]) >> (64 - bits),
		.bits = (uint8_t)bits,
		.only_lists = true,
	};
	return true;
}

static const struct srv6_block *block_of(const struct decode_options *options,
					 struct addr a)
{
	uint64_t high = be64toh(a.w[0]);

	for (size_t i = 0; i < SRV6_BLOCKS && options->srv6[i].bits; i++)
		if (high >> (64 - options->srv6[i].bits) ==
		    options->srv6[i].prefix)
			return &options->srv6[i];
	return NULL;
}

/* The end of the list that begins at |from|; 0: it is none. */
static unsigned list_end(const struct words *a, unsigned from)
{
	unsigned end = from;

	while (end < WORDS && a->w[end])
		end++;
	for (unsigned i = end; i < WORDS; i++)
		if (a->w[i])
			return 0;
	return end > from ? end : 0;
}

/* Only the first |block| words and those from |from| up to |to|. */
static struct addr named(const struct words *a, unsigned block, unsigned from,
			 unsigned to)
{
	struct words out = { { 0 } };

	memcpy(out.w, a->w, block * sizeof *a->w);
	memcpy(out.w + block, a->w + from, (to - from) * sizeof *a->w);
	return address_of(out);
}

bool srv6_hosts(const struct decode_options *options, bool outer,
		struct addr *src, struct addr *dst)
{
	const struct srv6_block *b = block_of(options, *dst);
	struct words to, from;
	unsigned block, end, host;

	if (!b)
		return false;
	to = words_of(*dst);
	block = b->bits / 16 > BLOCK_WORDS ? b->bits / 16 : BLOCK_WORDS;
	end = list_end(&to, block);
	/* Six words that are no zeros may as well be anybody's address. */
	if (!end || (end == WORDS && !b->only_lists && !outer))
		return false;
	/* The last node, with what it does. */
	host = end - 1;
	while (host > block && to.w[host] >= LOCAL)
		host--;
	*dst = named(&to, block, host, end);
	from = words_of(*src);
	if (!memcmp(from.w, to.w, block * sizeof *to.w))
		*src = named(&from, block, block, block + 1);
	return true;
}
