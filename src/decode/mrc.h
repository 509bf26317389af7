/* SPDX-License-Identifier: GPL-2.0-or-later
 * Multipath Reliable Connection (OCP MRC 1.0): RoCEv2 with opcodes of its own,
 * of which each packet may take another path.  wire/mrc.def says what is known
 * of it. */
#ifndef FABSCOPE_DECODE_MRC_H
#define FABSCOPE_DECODE_MRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/walk.h"

/* Bytes of headers behind a BTH that is one of MRC, by opcode and flags, and
 * that |len| bytes from it to the ICRC have room for; 0: it is none. */
size_t mrc_headers(const uint8_t *bth, size_t len);
/* Behind such a BTH.  False: what says whom it is about was not captured. */
bool mrc_read(struct walk *w, const uint8_t *bth);

#endif
