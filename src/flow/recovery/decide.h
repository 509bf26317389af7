/* SPDX-License-Identifier: GPL-2.0-or-later
 * From evidence to a verdict, by elimination: rules.def says which evidence
 * rules out which hypotheses, verdicts.def what is said of those that remain.
 * A pure function, the same for every flow. */
#ifndef FABSCOPE_FLOW_RECOVERY_DECIDE_H
#define FABSCOPE_FLOW_RECOVERY_DECIDE_H

#include "flow/core/fact.h"
#include "flow/recovery/evidence.h"

enum hypothesis_index {
#define HYPOTHESIS(id, name, sentence) HYPOTHESIS_##id,
#include "flow/recovery/hypotheses.def"
#undef HYPOTHESIS
	HYPOTHESIS_COUNT
};

/* The bit of a hypothesis. */
#define H(id) (1u << HYPOTHESIS_##id)

struct decision {
	enum recovery_cause cause;
	const char *rule;
	double confidence;
	uint32_t remaining; /* hypotheses */
};

struct decision decide(uint64_t evidence);

/* The first of rule_rows that excludes |hypothesis|; rule_rows_n: none. */
unsigned rule_against(uint64_t evidence, enum hypothesis_index hypothesis);

/* The lists, for those that show them. */
struct evidence_row {
	const char *name, *frame, *sentence;
};
struct hypothesis_row {
	const char *name, *sentence;
};
struct rule_row {
	const char *id;
	uint64_t needs, without;
	uint32_t excludes;
	int percent; /* 0: excludes; else weakens to so much */
	const char *assumption, *sentence;
};

struct verdict_row {
	enum recovery_cause cause;
	const char *rule;
	int percent;
	uint32_t remaining; /* nothing else does */
	uint64_t needs;
};

extern const struct evidence_row evidence_rows[EVIDENCE_COUNT];
extern const struct hypothesis_row hypothesis_rows[HYPOTHESIS_COUNT];
extern const struct rule_row rule_rows[];
extern const unsigned rule_rows_n;
extern const struct verdict_row verdict_rows[];
extern const unsigned verdict_rows_n;

#endif
