/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer target: any bytes as a frame, through decode and explain.
 *
 * Input: link type (index below), FCS length, bytes on the wire beyond those
 * captured (16 bits), then the frame.  decode_seeds.py makes seeds. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/decode/invariants.h"

enum { PREFIX = 4 };

/* The order is that of decode_seeds.py. */
static const uint16_t linktypes[] = {
	1, 0, 12, 14, 101, 108, 113, 219, 228, 229, 276, 147, 197, 247,
};

static const struct decode_options options[] = {
	{ .roce_ports = { 4791 },
	  .vxlan_ports = { 4789 },
	  .ifa_protocols = { 253 },
	  .uet_ports = { 4793 },
	  .uet_protocols = { 253 },
	  .csig_tpids = { 0x9900 } },
	{ .roce_ports = { 4791, 9741 },
	  .vxlan_ports = { 4789, 8472 },
	  .int_ports = { 5000 },
	  .ifa_protocols = { 253, 254 },
	  .uet_ports = { 9741, 4793, 4791 },
	  .uet_protocols = { 99, 254, 17 },
	  .uet_clear = 12,
	  .trimmed_dscps = 1 << 10,
	  .ifa_dnx = 0x0004,
	  .csig_tpids = { 0x9900, 0xccdd },
	  .csig_wide_tpids = { 0x9901 } },
	{ .roce_ports = { 4791 },
	  .vxlan_ports = { 4789 },
	  .uet_ports = { 4793 },
	  .uet_protocols = { 253 },
	  .uet_clear = 40,
	  .int_dscp = 0x17,
	  .int_dscp_mask = 0x3f,
	  .skip_icrc = true },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decode_input in = { 0 };
	uint8_t *frame;

	if (size < PREFIX)
		return 0;
	in.linktype = linktypes[data[0] % (sizeof linktypes / 2)];
	in.fcs_len = data[1] & 7;
	in.caplen = (uint32_t)(size - PREFIX);
	in.wirelen = in.caplen + (uint32_t)(data[2] << 8 | data[3]);
	/* A zero-size block would be of size one. */
	frame = malloc(in.caplen ? in.caplen : 1);
	if (!frame)
		return 0;
	memcpy(frame, data + PREFIX, in.caplen);
	in.data = frame;
	hold_all(&in, &options[(data[1] >> 3) % 3]);
	free(frame);
	return 0;
}
