/* SPDX-License-Identifier: GPL-2.0-or-later
 * Link types and DLT values. */
#include "capture/linktype.h"

#include <pcap/pcap.h>
#include <stddef.h>

/* Where systems had given different numbers, files got new ones. */
static const struct {
	uint16_t linktype;
	int dlt;
} different[] = {
	{ 100, DLT_ATM_RFC1483 }, { 101, DLT_RAW },
	{ 102, DLT_SLIP_BSDOS },  { 103, DLT_PPP_BSDOS },
	{ 106, DLT_ATM_CLIP },
};
enum { DIFFERENT = sizeof different / sizeof *different };

int linktype_dlt(uint16_t linktype)
{
	size_t i;

	for (i = 0; i < DIFFERENT; i++)
		if (different[i].linktype == linktype)
			return different[i].dlt;
	return linktype;
}

uint16_t linktype_from_dlt(int dlt)
{
	size_t i;

	for (i = 0; i < DIFFERENT; i++)
		if (different[i].dlt == dlt)
			return different[i].linktype;
	return (uint16_t)dlt;
}
