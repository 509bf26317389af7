/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a packet is that has been seen before. */
#ifndef FABSCOPE_FLOW_CORE_COPY_H
#define FABSCOPE_FLOW_CORE_COPY_H

#include "flow/core/flow.h"
#include "flow/core/tuning.h"

enum copy_kind { COPY_NEW, COPY_MIRROR, COPY_NETWORK };
enum copy_kind copy_classify(struct engine *e, struct flow *f,
			     const struct packet *p);
/* Is |ns| the |lag| of a mirror, within its jitter?  0: it has none. */
static inline bool lag_fits(int64_t lag, int64_t ns)
{
	int64_t off = ns < lag ? lag - ns : ns - lag;

	return lag && LAG_PART * off <= lag;
}

/* Is |p| the second copy of a packet of |f|, which comes when it is due at a
 * tap whose second copies all come as late? */
bool copy_lags(const struct engine *e, const struct flow *f,
	       const struct packet *p);
/* By whom it was made of |r|. */
enum copy_kind copy_kind(struct engine *e, const struct packet *p,
			 const struct recent_packet *r);
/* Has the mirror copied |p| behind a hop, and |r|, which follows it, before
 * that?  Then it misses the first copy of |p|, and which of them was ahead is
 * not known.  |r| may be NULL: it is not known. */
bool copy_is_second(const struct engine *e, const struct packet *p,
		    const struct recent_packet *r);
/* |id|: what stands for the IP identification of |p|. */
bool copy_same_bytes(const struct recent_packet *r, const struct packet *p,
		     uint16_t id);

/* |p| is one: counted and reported, and not followed. */
void copy_count(struct engine *e, struct flow *f, const struct packet *p,
		enum copy_kind kind, double confidence, const char *rule);

#endif
