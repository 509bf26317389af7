/* SPDX-License-Identifier: GPL-2.0-or-later
 * docs/rules-recovery.md from the tables of flow/recovery: "docgen rules". */
#include <stdio.h>

#include "flow/recovery/decide.h"
#include "store/docgen.h"

static const char head[] =
	"<!-- Made from src/flow/recovery/*.def.  Do not edit. -->\n"
	"# How a recovery is decided\n"
	"\n"
	"Why did a sender retransmit? What is observed of a recovery is kept "
	"as\nevidence (column `recovery.evidence`) until the flow is known as "
	"a whole.\nThen every rule whose evidence is there rules out the "
	"hypotheses that cannot\nproduce it, under the assumption that it "
	"names. What remains\n(`recovery.remaining`) is the verdict when it "
	"is one, and ambiguous when it is\nseveral. `fabscope query DB why "
	"--param recovery=N` shows it for one recovery.\n"
	"\n"
	"Evidence that contradicts itself rules out nothing. A sign that is "
	"no proof\nlowers the confidence, and never rules out.\n";

static void evidence_list(uint64_t bits, const char *before)
{
	for (unsigned i = 0; i < EVIDENCE_COUNT; i++)
		if (bits >> i & 1) {
			printf("%s%s", before, evidence_rows[i].name);
			before = ", ";
		}
}

/* Of all but one the shorter half is named. */
static void hypothesis_list(uint32_t bits)
{
	uint32_t all = (1u << HYPOTHESIS_COUNT) - 1;
	bool most = __builtin_popcount(bits) > HYPOTHESIS_COUNT / 2;
	const char *before = most ? "all but " : "";

	for (unsigned i = 0; i < HYPOTHESIS_COUNT; i++)
		if ((most ? all & ~bits : bits) >> i & 1) {
			printf("%s%s", before, hypothesis_rows[i].name);
			before = ", ";
		}
}

static void rule(const struct rule_row *r)
{
	printf("| %s | ", r->id);
	evidence_list(r->needs, "");
	evidence_list(r->without, r->needs ? "; not " : "not ");
	printf(" | ");
	hypothesis_list(r->excludes);
	if (r->percent)
		printf(" (weakens to %d %%)", r->percent);
	printf(" | %s | %s |\n", r->sentence, r->assumption);
}

void rules_page(void)
{
	fputs(head, stdout);
	printf("\n## Hypotheses\n\n| bit | hypothesis | |\n|---|---|---|\n");
	for (unsigned i = 0; i < HYPOTHESIS_COUNT; i++)
		printf("| %u | %s | %s |\n", i, hypothesis_rows[i].name,
		       hypothesis_rows[i].sentence);
	printf("\n## Evidence\n\n| bit | evidence | |\n|---|---|---|\n");
	for (unsigned i = 0; i < EVIDENCE_COUNT; i++)
		printf("| %u | %s | %s |\n", i, evidence_rows[i].name,
		       evidence_rows[i].sentence);
	printf("\n## Rules\n\n| rule | evidence | rules out | because | "
	       "assuming |\n|---|---|---|---|---|\n");
	for (unsigned i = 0; i < rule_rows_n; i++)
		rule(&rule_rows[i]);
	printf("\n## Verdicts\n\nThe first row that fits counts: no other "
	       "hypothesis remains, and the evidence is\nthere.\n\n"
	       "| remaining | evidence | `recovery.rule` | confidence |\n"
	       "|---|---|---|---|\n");
	for (unsigned i = 0; i < verdict_rows_n; i++) {
		const struct verdict_row *v = &verdict_rows[i];

		printf("| ");
		if (v->remaining == ~0u)
			printf("any");
		else
			hypothesis_list(v->remaining);
		printf(" | ");
		evidence_list(v->needs, "");
		printf(" | %s | %d %% |\n", v->rule, v->percent);
	}
}
