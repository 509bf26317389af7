/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each word of a scenario builds.  The first word is read already. */
#ifndef FABSCOPE_SIMULATE_BUILD_H
#define FABSCOPE_SIMULATE_BUILD_H

struct line;
struct sim;

/* build_fabric.c */
void build_run(struct sim *s, struct line *l);
void build_switches(struct sim *s, struct line *l);
void build_nics(struct sim *s, struct line *l);
void build_dcqcn(struct sim *s, struct line *l);
void build_host(struct sim *s, struct line *l);
void build_switch(struct sim *s, struct line *l);
void build_link(struct sim *s, struct line *l);
void build_leafspine(struct sim *s, struct line *l);
void build_route(struct sim *s, struct line *l);
void build_nic(struct sim *s, struct line *l);

/* build_traffic.c */
void build_qp(struct sim *s, struct line *l);
void build_flow(struct sim *s, struct line *l);
void build_collective(struct sim *s, struct line *l);
void build_close(struct sim *s, struct line *l);

/* build_link.c: what happens on links, and who watches */
void build_fault(struct sim *s, struct line *l);
void build_down(struct sim *s, struct line *l);
void build_tap(struct sim *s, struct line *l);

#endif
