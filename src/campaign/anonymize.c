/* SPDX-License-Identifier: GPL-2.0-or-later
 * A campaign that may be made public: what its file calls runs, devices,
 * processes and settings becomes pseudonyms, and its prose goes.  What the runs
 * themselves say is anonymous already, because their databases are (measure.c).
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "campaign/campaign.h"
#include "store/anonymous.h"

static int replace(char **text, const struct anonymous_key *k)
{
	char *other = *text ? anonymous_name(k, *text) : NULL;

	if (*text && !other)
		return -1;
	free(*text);
	*text = other;
	return 0;
}

/* What a factor is measured against keeps its name. */
static bool is_baseline(enum campaign_param param, const char *text)
{
	for (size_t t = 0; t < campaign_n_tests; t++) {
		const struct campaign_factor *f = campaign_tests[t].factor;

		if (f && f->param == param && !strcasecmp(f->baseline, text))
			return true;
	}
	return false;
}

static int run_names(struct campaign_run *r, const struct anonymous_key *k)
{
	int rc = replace(&r->name, k);

	for (int i = 0; !rc && i < CAMPAIGN_PARAMS; i++) {
		const struct campaign_param_info *p = &campaign_params[i];
		char **text = &r->params[i].text;

		/* words of the operator's own, not of a list */
		if (*text && p->kind == KIND_WORD && !p->words &&
		    !is_baseline((enum campaign_param)i, *text))
			rc = replace(text, k);
	}
	return rc;
}

static int dut_names(struct campaign_dut *d, const struct anonymous_key *k)
{
	int rc = *d->name ? replace(&d->name, k) : 0;

	/* equal ones stay equal: whether fabrics are comparable */
	for (int i = 0; !rc && i < CAMPAIGN_SHEET; i++)
		rc = replace(&d->facts[i], k);
	return rc;
}

int campaign_anonymize(struct campaign *c, const struct anonymous_key *k,
		       struct err *err)
{
	int rc = 0;

	free(c->title);
	free(c->notes);
	c->title = c->notes = NULL;
	for (size_t i = 0; !rc && i < c->n_runs; i++)
		rc = run_names(&c->runs[i], k);
	for (size_t i = 0; !rc && i < c->n_duts; i++)
		rc = dut_names(&c->duts[i], k);
	for (size_t i = 0; !rc && i < c->n_samples; i++)
		rc = replace(&c->samples[i].process, k);
	return rc ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}
