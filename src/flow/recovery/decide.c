/* SPDX-License-Identifier: GPL-2.0-or-later
 * The tables of rules, and the one function that reads them. */
#include "flow/recovery/decide.h"

#define NONE     NULL
#define DETECT   "frame_detect"
#define ORIGINAL "frame_original"
#define FIRST    "frame_first"
#define LAST     "frame_last"

const struct evidence_row evidence_rows[] = {
#define EVIDENCE(id, name, frame, sentence) { name, frame, sentence },
#include "flow/recovery/evidence.def"
#undef EVIDENCE
};
_Static_assert(EVIDENCE_COUNT <= 64, "bits of a number");

const struct hypothesis_row hypothesis_rows[] = {
#define HYPOTHESIS(id, name, sentence) { name, sentence },
#include "flow/recovery/hypotheses.def"
#undef HYPOTHESIS
};

enum { ALL = (1 << HYPOTHESIS_COUNT) - 1 };

const struct rule_row rule_rows[] = {
#define RULE(id, needs, without, excludes, assumption, sentence) \
	{ #id, needs, without, (excludes)&ALL, 0, assumption, sentence },
#define WEAK(id, needs, without, weakens, percent, sentence) \
	{ #id, needs, without, (weakens)&ALL, percent, "", sentence },
#include "flow/recovery/rules.def"
#undef RULE
#undef WEAK
};
const unsigned rule_rows_n = sizeof rule_rows / sizeof *rule_rows;

const struct verdict_row verdict_rows[] = {
#define VERDICT(cause, rule, percent, remaining, needs) \
	{ CAUSE_##cause, rule, percent, remaining, needs },
#include "flow/recovery/verdicts.def"
#undef VERDICT
};
const unsigned verdict_rows_n = sizeof verdict_rows / sizeof *verdict_rows;

static bool holds(const struct rule_row *r, uint64_t evidence)
{
	return (evidence & r->needs) == r->needs && !(evidence & r->without);
}

unsigned rule_against(uint64_t evidence, enum hypothesis_index hypothesis)
{
	for (unsigned i = 0; i < rule_rows_n; i++)
		if (!rule_rows[i].percent &&
		    (rule_rows[i].excludes >> hypothesis & 1) &&
		    holds(&rule_rows[i], evidence))
			return i;
	return rule_rows_n;
}

struct decision decide(uint64_t evidence)
{
	struct decision d = { .remaining = ALL };
	const struct verdict_row *v = verdict_rows;
	double weak = 1;

	for (unsigned i = 0; i < rule_rows_n; i++)
		if (!rule_rows[i].percent && holds(&rule_rows[i], evidence))
			d.remaining &= ~rule_rows[i].excludes;
	/* Evidence that contradicts itself rules out nothing. */
	if (!d.remaining)
		d.remaining = ALL;
	for (unsigned i = 0; i < rule_rows_n; i++)
		if (rule_rows[i].percent && holds(&rule_rows[i], evidence) &&
		    !(d.remaining & ~rule_rows[i].excludes))
			weak *= rule_rows[i].percent / 100.0;
	while ((d.remaining & ~v->remaining) ||
	       (evidence & v->needs) != v->needs)
		v++;
	d.cause = v->cause;
	d.rule = v->rule;
	d.confidence = v->percent / 100.0 * weak;
	return d;
}
