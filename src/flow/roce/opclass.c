/* SPDX-License-Identifier: GPL-2.0-or-later
 * The engine's view of the opcode table: flags per opcode. */
#include "flow/core/flow.h"
#include "flow/roce/roce.h"
#include "wire/wire.h"

/* READ responses and ATOMIC acknowledges own the PSN they carry. */
static bool owns_psn(unsigned operation)
{
	return operation >= RC_READ_FIRST && operation <= RC_ATOMIC_ACK &&
	       operation != RC_ACK;
}

/* They are answered with READ responses and ATOMIC acknowledges. */
static bool wants_data(unsigned operation)
{
	return operation == RC_READ_REQUEST || operation == RC_COMPARE_SWAP ||
	       operation == RC_FETCH_ADD || operation == RC_FLUSH ||
	       operation == RC_ATOMIC_WRITE;
}

static unsigned classify(uint8_t opcode)
{
	const struct wire_opcode *op = wire_opcode(opcode);
	unsigned operation = opcode & 0x1f;
	unsigned c = 0;

	if (!op->name)
		return 0;
	c |= IS_KNOWN;
	c |= op->does & OP_REPLY ? IS_RESPONSE : IS_REQUEST;
	if (op->does & OP_STARTS)
		c |= IS_START;
	if (op->does & OP_ENDS)
		c |= IS_END;
	if (op->does & OP_RQE)
		c |= IS_RQE;
	if (operation == RC_READ_REQUEST)
		c |= IS_READ;
	if (!(op->does & OP_REPLY) && wants_data(operation))
		c |= IS_ANSWERED;
	if ((op->does & OP_REPLY) && owns_psn(operation))
		c |= IS_DATA;
	return c;
}

void opclass_fill(uint32_t op[256])
{
	for (unsigned i = 0; i < 256; i++)
		op[i] = classify((uint8_t)i);
}
